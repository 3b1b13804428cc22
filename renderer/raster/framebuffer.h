#pragma once
#include "renderer/base/buffer.h"

namespace roundel {

/// One finished pixel, before quantising. Colour is in the blend space, over the background or, for
/// images with alpha, premultiplied over nothing. alpha = 1 − T for images with alpha, else 1.
struct alignas(16) Pixel {
  float red, green, blue, alpha;
  bool operator==(const Pixel&) const = default;
};

/// Float pixels, rows **bottom to top**: pixel i of row j is pixels[j·width + i].
struct Framebuffer {
  int width = 0, height = 0;
  Buffer<Pixel> pixels;  ///< [height · width]

  /// Contents are undefined afterwards.
  void resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    pixels.resize_discard(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }
};

}  // namespace roundel
