#pragma once
#include <cstddef>
#include <cstdint>

namespace roundel {

/// What the differences of floats add up to; per channel.
struct FloatDifferences {
  double largest[4] = {}, sum[4] = {}, squares[4] = {};
  double peak = 0;               ///< the largest finite value of either picture
  std::uint64_t pixels = 0;      ///< with a channel that differs
  std::uint64_t not_finite = 0;  ///< of them, with NaN or infinity on one side only

  void add(const FloatDifferences& other);
};

/// Adds a row of `pixels` pixels of `channels` channels each. Values are the same as numbers are,
/// or both NaN. In `over` (see PixelSet::row) it sets the bits of the pixels with a difference
/// above `limit`, or that are not finite.
void compare_float_row(const float* a, const float* b, std::size_t pixels, int channels,
                       double limit, FloatDifferences& differences, std::uint64_t* over);

}  // namespace roundel
