#pragma once
#include <cstddef>

#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/pixels/quantize_levels.h"

namespace roundel {

/// Returns the picture of a framebuffer, with the framebuffer's size; `settings` has the meaning of
/// its values and the type of its samples.
inline Image to_image(const Framebuffer& framebuffer, const ImageSettings& settings) {
  Image image;
  image.resize(framebuffer.width, framebuffer.height, settings.channels(), settings.bits);
  const SampleFormat format(settings);
  std::uint8_t* bytes = image.bytes.data();
  for (int y = 0; y < image.height; ++y)  // image rows go down
    for (int x = 0; x < image.width; ++x, bytes += image.pixel_bytes())
      store_samples(
          framebuffer
              .pixels[pixel_count(image.width, image.height - 1 - y) + static_cast<std::size_t>(x)],
          format, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), bytes);
  return image;
}

}  // namespace roundel
