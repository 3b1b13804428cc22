#include "renderer/compare/display_image.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "renderer/pixels/pixel_to_bytes.h"

namespace roundel {
namespace {

std::uint8_t display_byte(const Picture& picture, std::size_t at, float alpha) {
  if (picture.samples == Picture::Samples::kBytes) return picture.bytes[at];
  const float sample = picture.floats[at];
  if (!picture.is_linear()) return quantize(sample / 255.0f);
  return linear_to_byte(alpha > 0 ? sample / alpha : sample);
}

}  // namespace

Image display_image(const Picture& picture) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  const bool has_alpha = channels % 2 == 0, is_grey = channels < 3;
  Image image;
  image.resize(picture.width, picture.height, has_alpha ? 4 : 3);
  const auto width = static_cast<std::size_t>(picture.width);
  tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(picture.height), [&](std::size_t y) {
    std::uint8_t* out = image.bytes.data() + y * width * static_cast<std::size_t>(image.channels);
    for (std::size_t at = y * width * channels; at < (y + 1) * width * channels; at += channels) {
      const bool divides = has_alpha && picture.is_linear();
      const float alpha = divides ? picture.floats[at + channels - 1] : 1.0f;
      for (std::size_t c = 0; c < 3; ++c)
        *out++ = display_byte(picture, at + (is_grey ? 0 : c), alpha);
      if (!has_alpha) continue;
      *out++ = divides ? quantize(alpha) : display_byte(picture, at + channels - 1, 1.0f);
    }
  });
  return image;
}

}  // namespace roundel
