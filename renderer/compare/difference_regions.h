#pragma once
#include <cstdint>
#include <vector>

#include "renderer/compare/picture.h"
#include "renderer/compare/pixel_set.h"

namespace roundel {

/// Differing pixels near each other, to step through.
struct DifferenceRegion {
  PixelBox box;
  std::uint64_t pixels = 0;
  double peak = 0;             ///< largest |a − b| of a channel; infinite if only one is finite
  int peak_x = 0, peak_y = 0;  ///< first pixel with this difference
};

/// Groups the red pixels of `difference`, the difference_image() of `a` and `b`, in the same or
/// adjacent squares of 16x16. Largest peaks first, then most pixels, then from the top.
std::vector<DifferenceRegion> difference_regions(const Picture& a, const Picture& b,
                                                 const Image& difference);

/// True for a pixel of a difference_image() whose values differ.
bool is_colored(const std::uint8_t* rgb);

}  // namespace roundel
