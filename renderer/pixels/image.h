#pragma once
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// An sRGB picture, rows **top to bottom** as in files, channels interleaved: RGB, or straight (not
/// premultiplied) RGBA.
struct Image {
  int width = 0, height = 0;
  int channels = 3;
  /// Bits of a sample: 8 or 16, high byte first unless ImageSettings::low_byte_first.
  int bits = 8;
  Buffer<std::uint8_t> bytes;  ///< [height · width · pixel_bytes()]

  std::size_t pixel_bytes() const { return static_cast<std::size_t>(channels * bits / 8); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(width) * pixel_bytes(); }

  void resize(int new_width, int new_height, int new_channels, int new_bits = 8) {
    width = new_width;
    height = new_height;
    channels = new_channels;
    bits = new_bits;
    bytes.resize_discard(pixel_count(width, height) * pixel_bytes());
  }
};

}  // namespace roundel
