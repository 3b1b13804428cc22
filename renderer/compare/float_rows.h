#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/compare/difference_sums.h"

namespace roundel {

struct FloatDifferences : DifferenceSums<double> {
  double peak = 0;               ///< the largest finite value of either picture
  std::uint64_t not_finite = 0;  ///< of `pixels`, with NaN or infinity on one side only

  void add(const FloatDifferences& other) {
    DifferenceSums::add(other);
    peak = std::max(peak, other.peak);
    not_finite += other.not_finite;
  }
};

/// Adds a row of `pixels` pixels of `channels` channels each. Values are the same as numbers are,
/// or both NaN. In `over` (see PixelSet::row) it sets the bits of the pixels with a difference
/// above `limit`, or that are not finite.
void compare_float_row(const float* a, const float* b, std::size_t pixels, int channels,
                       double limit, FloatDifferences& differences, std::uint64_t* over);

}  // namespace roundel
