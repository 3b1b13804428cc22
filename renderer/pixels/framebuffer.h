#pragma once
#include <algorithm>
#include <cstddef>

#include "renderer/base/buffer.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// A finished float pixel, in the blend space: over the background or, for images with alpha,
/// premultiplied. alpha is 1 − T for images with alpha, else 1.
struct alignas(16) Pixel {
  float red, green, blue, alpha;
  bool operator==(const Pixel&) const = default;
};

/// Float pixels, rows **bottom to top**: pixel i of row j is pixels[j·width + i].
struct Framebuffer {
  int width = 0, height = 0;
  Buffer<Pixel> pixels;  ///< [height · width]

  void resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    pixels.resize_discard(pixel_count(width, height));
  }
};

/// Frees finished rows' memory, some MiB at a time.
class RowDiscarder {
 public:
  explicit RowDiscarder(Framebuffer& framebuffer)
      : framebuffer_(framebuffer),
        row_pixels_(static_cast<std::size_t>(framebuffer.width)),
        batch_(1 + (std::size_t{4} << 20) / (row_pixels_ * sizeof(Pixel))) {}

  /// Call for each row in order, upwards or downwards.
  void row_done(int row) {
    const auto index = static_cast<std::size_t>(row);
    first_ = waiting_ == 0 ? index : std::min(first_, index);
    if (++waiting_ < batch_) return;
    framebuffer_.pixels.discard(first_ * row_pixels_, (first_ + waiting_) * row_pixels_);
    waiting_ = 0;
  }

 private:
  Framebuffer& framebuffer_;
  std::size_t row_pixels_, batch_, first_ = 0, waiting_ = 0;
};

}  // namespace roundel
