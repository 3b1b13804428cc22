#pragma once
#include "renderer/base/buffer.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/pixel_set.h"

namespace roundel {

/// For a screen 0.7 m wide with 3840 pixels, seen from 0.7 m.
inline constexpr double kDefaultPixelsPerDegree = 3840 * 3.14159265358979323846 / 180;
inline constexpr double kMinPixelsPerDegree = 1, kMaxPixelsPerDegree = 1000;

/// Perceived difference of two pictures flipped on a screen, in [0, 1] per pixel. Display values:
/// LDR-ꟻLIP (Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström and Fairchild 2020). Linear
/// floats: HDR-ꟻLIP (Andersson, Nilsson, Shirley and Akenine-Möller 2021), the maximum over
/// exposures that `a`, the reference, determines, tone-mapped as ACES. Pictures with alpha are
/// composited over black and over white, and the larger difference counts.
struct FlipMap {
  int width = 0, height = 0;
  PixelBox box;          ///< errors outside are 0
  Buffer<float> errors;  ///< [box.height · box.width]
};
/// Both have the same shape, in sRGB; negative and non-finite values count as 0.
FlipMap flip_map(const Picture& a, const Picture& b, double pixels_per_degree);

struct FlipStatistics {
  double mean = 0;
  double weighted_median = 0;  ///< half of the sum of all values lies below
  double min = 0, max = 0;
};
FlipStatistics flip_statistics(const FlipMap& map);
inline FlipStatistics flip_statistics(const Picture& a, const Picture& b,
                                      double pixels_per_degree) {
  return flip_statistics(flip_map(a, b, pixels_per_degree));
}

}  // namespace roundel
