#pragma once
#include <vector>

namespace roundel {

/// One dimension of a separable filter: weights [2·radius + 1].
struct FilterTaps {
  int radius = 0;
  std::vector<float> weights;
};

struct FlipFilters {
  int radius = 0;  ///< the largest of all
  // Contrast sensitivity of the achromatic, red–green and blue–yellow channels (Andersson et al.
  // 2020, section 4.1.1). The last is the sum of two Gaussians, weighted in `columns`.
  FilterTaps achromatic, red_green, blue_yellow_rows[2], blue_yellow_columns[2];
  // Edges and points (section 4.2.1): a Gaussian and its first and second derivatives.
  FilterTaps smooth, edge, point;
};
FlipFilters flip_filters(double pixels_per_degree);

/// A part of a picture, linear RGB.
struct ColorPlanes {
  std::vector<float> planes[3];
};

inline constexpr int kMaxFlipTileWidth = 128;

/// A rectangle, at most kMaxFlipTileWidth wide; the planes extend `radius` pixels beyond it on each
/// side.
struct FlipTile {
  int width = 0, height = 0;
  ColorPlanes a, b;
  /// HDR-ꟻLIP: factor before tone mapping; 0: LDR-ꟻLIP.
  float exposure = 0;
  std::vector<float> errors;  ///< [height · width]: raised to the errors of this call
};

/// Memory that the thread's next call reuses.
struct FlipScratch {
  std::vector<float> opponent[3];
  std::vector<float> filtered[14];
};

void flip_tile(const FlipFilters& filters, FlipTile& tile, FlipScratch& scratch);

}  // namespace roundel
