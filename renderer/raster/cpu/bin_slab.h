#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/raster/circle.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// A circle, copied to where it is needed.
struct CircleCopy {
  Shape shape;
  Paint paint;
};

/// The bins that are not finished.
struct OpenBins {
  std::span<const std::uint8_t> finished;  ///< [num_bins], or empty where all are open
  bool all;                                ///< none is finished
  std::size_t stride;                      ///< bins_x + 1
  /// [bins_y + 1][bins_x + 1]: open bins below and to the left of a corner of bins; empty if `all`.
  std::vector<std::uint32_t> sums;

  OpenBins(const TileGrid& grid, std::span<const std::uint8_t> finished_bins);

  /// True if one of columns [x0, x1] × rows [y0, y1] of bins is open.
  bool any(int x0, int y0, int x1, int y1) const {
    if (all) return true;
    const std::uint32_t* const below = sums.data() + static_cast<std::size_t>(y0) * stride;
    const std::uint32_t* const above = sums.data() + static_cast<std::size_t>(y1 + 1) * stride;
    return above[x1 + 1] - above[x0] != below[x1 + 1] - below[x0];
  }
};

/// Counts, for the open bins, how many of the circles may cover a pixel of them, as steps from one
/// bin to the next: the sum of steps[0..bin] is bin's count. Adds to steps [num_bins + 1]. What it
/// says about finished bins means nothing.
void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                std::uint64_t* steps);

/// For each of those circles and open bins, in the circles' order, indices[next[bin]++] is the
/// circle's position in `shapes` plus `first_index`.
void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                  std::uint32_t first_index, std::uint64_t* next, std::uint32_t* indices);

/// The same with the circles themselves.
void emit_copies(std::span<const Shape> shapes, const Paint* paints, const TileGrid& grid,
                 const OpenBins& open, std::uint64_t* next, CircleCopy* copies);

}  // namespace roundel::cpu
