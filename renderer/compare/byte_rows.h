#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace roundel {

/// Per channel.
template <typename Number>
struct DifferenceSums {
  Number largest[4] = {}, sum[4] = {}, squares[4] = {};
  std::uint64_t pixels = 0;  ///< with a differing channel

  void add(const DifferenceSums& other) {
    for (int c = 0; c < 4; ++c) {
      largest[c] = std::max(largest[c], other.largest[c]);
      sum[c] += other.sum[c];
      squares[c] += other.squares[c];
    }
    pixels += other.pixels;
  }
};

using ByteDifferences = DifferenceSums<std::uint64_t>;

/// Adds a row of at most 65536 pixels. Sets the bits of pixels with a difference above `limit` in
/// `over` (see PixelSet::row).
void compare_byte_row(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels,
                      int channels, std::uint8_t limit, ByteDifferences& differences,
                      std::uint64_t* over);

}  // namespace roundel
