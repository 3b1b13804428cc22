#pragma once
#include <cstdint>
#include <random>

#include "renderer/base/input_file.h"
#include "renderer/image/files.h"
#include "renderer/image/png_decoder.h"
#include "tests/testing.h"
#include "tests/to_image.h"

namespace roundel {

/// Returns overlapping discs of random colours over white, like this program's pictures; values up
/// to 1.2.
inline Framebuffer discs(int width, int height, int count, unsigned seed, float alpha = 1) {
  std::mt19937 random(seed);
  const auto draw = [&random] { return static_cast<float>(random() >> 8) * 0x1p-24f; };
  Framebuffer framebuffer;
  framebuffer.resize(width, height);
  for (Pixel& pixel : framebuffer.pixels) pixel = {1, 1, 1, alpha};
  for (int k = 0; k < count; ++k) {
    const float x = draw() * static_cast<float>(width), y = draw() * static_cast<float>(height);
    const float radius = draw() * 0.1f * static_cast<float>(width) + 1;
    const Pixel color{draw() * 1.2f, draw(), draw(), 1};
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) {
        const float dx = static_cast<float>(i) - x, dy = static_cast<float>(j) - y;
        if (dx * dx + dy * dy > radius * radius) continue;
        Pixel& pixel = framebuffer.pixels[static_cast<std::size_t>(j * width + i)];
        pixel.red = 0.5f * (pixel.red + color.red);
        pixel.green = 0.5f * (pixel.green + color.green);
        pixel.blue = 0.5f * (pixel.blue + color.blue);
      }
    }
  }
  return framebuffer;
}

/// Returns `framebuffer` in 8 bits.
inline Image to_image(const Framebuffer& framebuffer, bool alpha,
                      BlendSpace blend_space = BlendSpace::kDisplay) {
  ImageSettings settings;
  settings.alpha = alpha;
  settings.blend_space = blend_space;
  return to_image(framebuffer, settings);
}

/// Decodes an RGB or RGBA PNG of 8 or 16 bits. Throws what read_png_info() throws.
inline Image read_png(const std::string& path) {
  const Buffer<std::byte> file = InputFile(path).read_all();
  PngDecoder decoder(path, file.span());
  if (decoder.header().bit_depth < 8 || decoder.header().channels() < 3)
    decoder.fail("expected RGB or RGBA");
  PngDecoder::Pixels pixels = decoder.decode();
  Image image;
  image.width = static_cast<int>(decoder.header().width);
  image.height = static_cast<int>(decoder.header().height);
  image.channels = pixels.channels;
  image.bits = pixels.bit_depth;
  image.bytes = std::move(pixels.data);
  if (image.bits == 16)  // samples have the machine's byte order
    for (std::size_t k = 0; k < image.bytes.size(); k += 2)
      std::swap(image.bytes[k], image.bytes[k + 1]);
  return image;
}

inline Image random_image(int width, int height, int channels, unsigned seed, int bits = 8) {
  std::mt19937 random(seed);
  Image image;
  image.resize(width, height, channels, bits);
  for (std::uint8_t& byte : image.bytes) byte = static_cast<std::uint8_t>(random());
  return image;
}

/// Returns a seeded mixture of everything that the encoder treats differently: runs of equal
/// pixels, single ones, noise, and rows that change little.
inline Image mixed_image(int width, int height, int channels, int bits, unsigned seed) {
  std::mt19937 engine(seed);
  const auto random = [&engine] { return static_cast<unsigned>(engine()); };
  Image image;
  image.resize(width, height, channels, bits);
  const std::size_t pixel = image.pixel_bytes(), row = image.row_bytes();
  const unsigned noise = random() % 8, longest = 1U << random() % 12, colors = 1 + random() % 300;
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    std::uint8_t* const out = image.bytes.data() + y * row;
    const std::uint8_t* const row_above = y > 0 ? out - row : nullptr;
    std::size_t left = 0;
    unsigned kind = 0, step = 0;
    for (std::size_t k = 0; k < row; ++k) {
      const auto in_pixel = static_cast<unsigned>(k % pixel);
      if (in_pixel == 0 && left-- == 0) {
        left = random() % longest;
        kind = random() % 8;
        step = random() % colors;
      }
      const unsigned above = row_above != nullptr ? row_above[k] : 0;
      const unsigned change = kind < noise    ? random() % (1 + step)
                              : kind % 2 == 0 ? step * (1 + in_pixel)
                                              : step;
      out[k] = static_cast<std::uint8_t>(above + change);
    }
  }
  return image;
}

inline const ImageMetadata kMetadata{"roundel 0.1.0", "00112233445566778899aabbccddeeff",
                                     4294967295U, 9000000000};

}  // namespace roundel
