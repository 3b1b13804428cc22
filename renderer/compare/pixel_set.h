#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "renderer/base/buffer.h"

namespace roundel {

/// Pixels x..x+width−1 of rows y..y+height−1, rows counted from the top.
struct PixelBox {
  int x = 0, y = 0, width = 0, height = 0;
};

/// One bit per pixel.
class PixelSet {
 public:
  /// Undefined contents: fill every row.
  PixelSet(int width, int height)
      : width_(width),
        height_(height),
        row_words_((static_cast<std::size_t>(width) + 63) / 64),
        words_(row_words_ * static_cast<std::size_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  /// Pixel x is bit x % 64 of word x / 64; bits beyond the width are 0.
  std::span<std::uint64_t> row(int y) {
    return words_.span().subspan(static_cast<std::size_t>(y) * row_words_, row_words_);
  }
  std::span<const std::uint64_t> row(int y) const {
    return words_.span().subspan(static_cast<std::size_t>(y) * row_words_, row_words_);
  }

  bool has(int x, int y) const {
    const auto place = static_cast<std::size_t>(x);
    return (row(y)[place / 64] >> (place % 64) & 1U) != 0;
  }
  std::uint64_t count() const;
  /// Returns the smallest box around them; empty if there are none.
  PixelBox box() const;
  /// Returns the topmost, then leftmost window of this size (or the picture's, if smaller) with
  /// most of them, and its count. `box` is box().
  std::pair<PixelBox, std::uint64_t> densest_window(const PixelBox& box, int window_width,
                                                    int window_height) const;

 private:
  int width_, height_;
  std::size_t row_words_;
  Buffer<std::uint64_t> words_;
};

}  // namespace roundel
