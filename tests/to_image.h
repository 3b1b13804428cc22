#pragma once
#include <cstddef>

#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/pixels/pixel_to_bytes.h"

namespace roundel {

/// The 8-bit picture of a framebuffer, RGBA where `settings.alpha` is set, else RGB. The picture
/// has the framebuffer's size; `settings` says only what its values mean.
inline Image to_image(const Framebuffer& framebuffer, const ImageSettings& settings) {
  Image image;
  image.resize(framebuffer.width, framebuffer.height, settings.channels());
  const auto width = static_cast<std::size_t>(framebuffer.width);
  std::uint8_t* bytes = image.bytes.data();
  for (auto row = static_cast<std::size_t>(framebuffer.height); row-- > 0;)  // image rows go down
    for (std::size_t i = row * width; i < (row + 1) * width; ++i, bytes += image.channels)
      store_pixel(framebuffer.pixels[i], settings, bytes);
  return image;
}

}  // namespace roundel
