#pragma once
#include <algorithm>
#include <cstdint>

namespace roundel {

/// What the differences of samples add up to; per channel.
template <typename Number>
struct DifferenceSums {
  Number largest[4] = {}, sum[4] = {}, squares[4] = {};
  std::uint64_t pixels = 0;  ///< with a channel that differs

  void add(const DifferenceSums& other) {
    for (int c = 0; c < 4; ++c) {
      largest[c] = std::max(largest[c], other.largest[c]);
      sum[c] += other.sum[c];
      squares[c] += other.squares[c];
    }
    pixels += other.pixels;
  }
};

}  // namespace roundel
