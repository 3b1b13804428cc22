#include "renderer/draw_pixels.h"

#include <tbb/parallel_for.h>

#include <cstring>
#include <utility>

namespace roundel {
namespace {

/// Copies a framebuffer, whose rows are bottom to top and always have alpha.
void take_floats(const Framebuffer& framebuffer, Pixels& pixels) {
  const auto width = static_cast<std::size_t>(pixels.width);
  const auto height = static_cast<std::size_t>(pixels.height);
  const auto channels = static_cast<std::size_t>(pixels.channels);
  tbb::parallel_for(std::size_t{0}, height, [&](std::size_t row) {
    const Pixel* in = framebuffer.pixels.data() + (height - 1 - row) * width;
    std::uint8_t* out = pixels.bytes.data() + row * width * channels * sizeof(float);
    for (std::size_t i = 0; i < width; ++i, ++in, out += channels * sizeof(float))
      std::memcpy(out, in, channels * sizeof(float));
  });
}

void set_samples(ImageSettings& image, SampleType type) {
  image.bits = type == SampleType::kUint16 ? 16 : 8;
  image.low_byte_first = true;  // as on this machine
  image.dither = image.dither && type == SampleType::kUint8;
}

}  // namespace

std::size_t sample_bytes(SampleType type) {
  return type == SampleType::kFloat32 ? 4 : type == SampleType::kUint16 ? 2 : 1;
}

Pixels draw_pixels(Rasterizer& rasterizer, const CircleStream& circles, ImageSettings image,
                   SampleType type, StageStats& stats) {
  Pixels pixels{image.width, image.height, image.channels(), type, {}};
  if (type == SampleType::kFloat32) {
    Framebuffer framebuffer;
    rasterizer.draw(circles, image, framebuffer, stats);
    pixels.bytes = Buffer<std::uint8_t>(pixel_count(pixels.width, pixels.height) *
                                        static_cast<std::size_t>(pixels.channels) * sizeof(float));
    take_floats(framebuffer, pixels);
    return pixels;
  }
  set_samples(image, type);
  Image drawn;
  rasterizer.draw(circles, image, drawn, stats);
  pixels.bytes = std::move(drawn.bytes);
  return pixels;
}

std::shared_ptr<void> draw_pixels_on_device(Rasterizer& rasterizer, const CircleStream& circles,
                                            ImageSettings image, SampleType type,
                                            StageStats& stats) {
  DevicePixels pixels{type == SampleType::kFloat32};
  if (!pixels.is_float) set_samples(image, type);
  rasterizer.draw(circles, image, pixels, stats);
  return pixels.samples;
}

}  // namespace roundel
