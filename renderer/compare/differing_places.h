#pragma once
#include <cstdint>
#include <vector>

#include "renderer/compare/picture.h"
#include "renderer/compare/pixel_set.h"

namespace roundel {

/// Differing pixels that lie near each other, for people to go to.
struct DifferingPlace {
  PixelBox box;              ///< the smallest that holds them
  std::uint64_t pixels = 0;  ///< how many they are
  double peak = 0;  ///< the largest |a − b| of a channel; infinite where only one is finite
  int peak_x = 0, peak_y = 0;  ///< the first pixel that differs so much
};

/// Of the pixels that `difference`, the difference_image() of `a` and `b`, has in red. Pixels in
/// the same or in neighbouring squares of 16x16 belong together. The largest peak first, then the
/// most pixels, then from the top.
std::vector<DifferingPlace> differing_places(const Picture& a, const Picture& b,
                                             const Image& difference);

/// True for a pixel of a difference_image() whose values differ, by little or much.
bool is_colored(const std::uint8_t* rgb);

}  // namespace roundel
