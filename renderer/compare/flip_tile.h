#pragma once
#include <vector>

namespace roundel {

/// One dimension of a separable filter: weights [2·radius + 1].
struct FilterTaps {
  int radius = 0;
  std::vector<float> weights;
};

/// The filters of ꟻLIP for a number of pixels per degree.
struct FlipFilters {
  int radius = 0;  ///< the largest of all
  // Contrast sensitivity of the achromatic, red–green and blue–yellow channels (Andersson et al.
  // 2020, section 4.1.1). The last one is the sum of two Gaussians, whose weights are in `columns`
  // only.
  FilterTaps achromatic, red_green, blue_yellow_rows[2], blue_yellow_columns[2];
  // Edges and points (section 4.2.1): a Gaussian and its first and second derivatives.
  FilterTaps smooth, edge, point;
};
FlipFilters flip_filters(double pixels_per_degree);

/// Three planes of a part of a picture, linear RGB.
struct ColorPlanes {
  std::vector<float> planes[3];
};

inline constexpr int kLargestFlipTileWidth = 128;

/// A rectangle of width · height pixels, at most kLargestFlipTileWidth wide; the planes reach
/// `radius` pixels beyond on each side.
struct FlipTile {
  int width = 0, height = 0;
  ColorPlanes a, b;
  /// HDR-ꟻLIP: both are multiplied by this and tone-mapped; 0 for LDR-ꟻLIP.
  float exposure = 0;
  std::vector<float> errors;  ///< [height · width]: raised to what this call finds
};

/// Memory of flip_tile() that its next call on this thread uses again.
struct FlipScratch {
  std::vector<float> opponent[3];
  std::vector<float> filtered[14];
};

void flip_tile(const FlipFilters& filters, FlipTile& tile, FlipScratch& scratch);

}  // namespace roundel
