#pragma once
#include "renderer/compare/picture_difference.h"
#include "tests/image/image_test_support.h"

namespace roundel {

inline Picture random_picture(int width, int height, int channels, unsigned seed) {
  return picture_of(random_image(width, height, channels, seed), {});
}

/// Returns the values as linear floats, 0 to `white`.
inline Picture as_floats(const Picture& bytes, float white) {
  Picture picture;
  picture.width = bytes.width, picture.height = bytes.height, picture.channels = bytes.channels;
  picture.samples = Picture::Samples::kFloats;
  picture.floats = Buffer<float>(bytes.bytes.size());
  for (std::size_t i = 0; i < bytes.bytes.size(); ++i)
    picture.floats[i] = static_cast<float>(bytes.bytes[i]) / 255.0f * white;
  return picture;
}

/// Returns the index of channel c of pixel (x, y).
inline std::size_t sample_at(const Picture& picture, int x, int y, int c) {
  return static_cast<std::size_t>((y * picture.width + x) * picture.channels + c);
}

}  // namespace roundel
