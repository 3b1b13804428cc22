#include "renderer/image/to_image.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

#include "renderer/pixels/pixel_to_bytes.h"

namespace roundel {

Image to_image(const Framebuffer& framebuffer, const ImageSettings& settings) {
  Image image;
  image.resize(framebuffer.width, framebuffer.height, settings.channels());
  const auto width = static_cast<std::size_t>(framebuffer.width);
  const auto height = static_cast<std::size_t>(framebuffer.height);
  const auto channels = static_cast<std::size_t>(image.channels);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, height),
                    [&](const tbb::blocked_range<std::size_t>& rows) {
                      for (std::size_t j = rows.begin(); j < rows.end(); ++j) {
                        // Framebuffer rows go up, image rows go down.
                        const Pixel* pixel = framebuffer.pixels.data() + (height - 1 - j) * width;
                        std::uint8_t* bytes = image.bytes.data() + j * width * channels;
                        for (std::size_t i = 0; i < width; ++i, ++pixel, bytes += channels)
                          store_pixel(*pixel, settings, bytes);
                      }
                    });
  return image;
}

}  // namespace roundel
