#pragma once
#include <optional>

#include "renderer/compare/picture_difference.h"

namespace roundel {

inline constexpr int kMaxShift = 16;  ///< pixels in x and in y

/// Finds a shift of the content, other than none, that removes all differences, or at least a
/// quarter of them and some pixels: b(x + shift.x, y + shift.y) is a(x, y), within
/// tolerance.max_delta. `a` and `b` have the same shape, or differ in size only. Reads every pixel
/// some twenty times, and takes the candidates from a sample of pixels at edges.
std::optional<PictureDifference::Shift> find_shift(const Picture& a, const Picture& b,
                                                   const Tolerance& tolerance);

}  // namespace roundel
