#pragma once
#include <cmath>
#include <cstddef>

#include "renderer/compare/picture.h"
#include "renderer/compare/pixel_set.h"

namespace roundel {

/// A pixel as an opaque colour: display values in [0, 1], or linear values from 0 up.
struct OpaquePixel {
  float red, green, blue;
};

/// Returns the pixel over a background with this value in all channels. Negative and non-finite
/// values become 0.
inline OpaquePixel opaque_pixel(const Picture& picture, int x, int y, float background) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t at = picture.sample_at(x, y);
  const auto value = [&](std::size_t c) {
    constexpr float kLevel = 1.0f / 255.0f;
    if (picture.samples == Picture::Samples::kBytes)
      return static_cast<float>(picture.bytes[at + c]) * kLevel;
    const float sample = picture.floats[at + c];
    if (!std::isfinite(sample) || sample < 0) return 0.0f;
    return picture.is_linear() ? sample : sample * kLevel;
  };
  const float red = value(0);
  const OpaquePixel pixel =
      channels < 3 ? OpaquePixel{red, red, red} : OpaquePixel{red, value(1), value(2)};
  if (channels == 1 || channels == 3) return pixel;
  const float alpha = std::fmin(value(channels - 1), 1.0f);
  const float weight = picture.is_linear() ? 1.0f : alpha;  // linear values are premultiplied
  const float rest = (1 - alpha) * background;
  return {pixel.red * weight + rest, pixel.green * weight + rest, pixel.blue * weight + rest};
}

/// Returns the smallest box around the differing bits of two pictures of the same shape; may be
/// empty.
PixelBox differing_box(const Picture& a, const Picture& b);
PixelBox grown(const PixelBox& box, int margin, const Picture& picture);
bool is_translucent(const Picture& picture);

}  // namespace roundel
