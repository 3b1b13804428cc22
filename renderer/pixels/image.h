#pragma once
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// An 8-bit sRGB picture, rows **top to bottom** as in files, channels interleaved: RGB, or
/// straight (not premultiplied) RGBA.
struct Image {
  int width = 0, height = 0;
  int channels = 3;            ///< 3 or 4
  Buffer<std::uint8_t> bytes;  ///< [height · width · channels]

  /// Contents are undefined afterwards.
  void resize(int new_width, int new_height, int new_channels) {
    width = new_width;
    height = new_height;
    channels = new_channels;
    bytes.resize_discard(pixel_count(width, height) * static_cast<std::size_t>(channels));
  }
};

}  // namespace roundel
