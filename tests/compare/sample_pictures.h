#pragma once
#include "renderer/image/files.h"
#include "tests/testing.h"

namespace roundel {

inline Image plain_image(int width, int height) {
  Image image;
  image.resize(width, height, 3);
  std::fill(image.bytes.begin(), image.bytes.end(), std::uint8_t{100});
  return image;
}

inline Image with_spot(const Image& image, int x, int y) {
  Image spot;
  spot.resize(image.width, image.height, image.channels);
  std::copy(image.bytes.begin(), image.bytes.end(), spot.bytes.begin());
  spot.bytes[static_cast<std::size_t>((y * image.width + x) * image.channels)] += 50;
  return spot;
}

}  // namespace roundel
