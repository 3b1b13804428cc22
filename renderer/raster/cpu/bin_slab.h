#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/generate/circle.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// For each bin the circles of a slab that may cover one of its pixels, front ones first: elements
/// offsets[b] .. offsets[b + 1] − 1 of `indices` or, where these are not null, of `shapes` and
/// `paints`, copies of the circles.
struct SlabLists {
  std::vector<std::uint32_t> offsets;  ///< [num_bins + 1]
  Buffer<std::uint32_t> indices;       ///< [>= offsets[num_bins]], of circles in the chunk
  std::uint64_t indices_written = 0;   ///< of `indices`, by this chunk or those before
  Shape* shapes = nullptr;             ///< [offsets[num_bins]]
  Paint* paints = nullptr;             ///< the same
};

/// The bins that are not finished.
struct OpenBins {
  std::span<const std::uint8_t> finished;  ///< [num_bins], or empty where all are open
  bool all;                                ///< none is finished
  std::size_t stride;                      ///< bins_x + 1
  /// [bins_y + 1][bins_x + 1]: open bins below and to the left of a corner of bins; empty if `all`.
  std::vector<std::uint32_t> sums;

  OpenBins(const TileGrid& grid, std::span<const std::uint8_t> finished_bins);

  bool is_open(int bin) const { return all || finished[static_cast<std::size_t>(bin)] == 0; }

  /// True if one of columns [x0, x1] × rows [y0, y1] of bins is open.
  bool any(int x0, int y0, int x1, int y1) const {
    if (all) return true;
    const std::uint32_t* const below = sums.data() + static_cast<std::size_t>(y0) * stride;
    const std::uint32_t* const above = sums.data() + static_cast<std::size_t>(y1 + 1) * stride;
    return above[x1 + 1] - above[x0] != below[x1 + 1] - below[x0];
  }
};

/// Counts, for the open bins, how many of the circles may cover a pixel of them. Adds those of a
/// single bin to `counts`, and the others to `steps` from one bin to the next: the sum of
/// counts[bin] and steps[0..bin] is bin's number. Both have num_bins + 1 elements. What they say
/// about finished bins means nothing.
void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                std::uint32_t* counts, std::uint32_t* steps);

/// For each of those circles and open bins, from the last circle to the first,
/// indices[next[bin]++] is the circle's position in `shapes` plus `first_index`.
void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                  std::uint32_t first_index, std::uint32_t* next, std::uint32_t* indices);

/// to[i] = from[indices[i]], past the caches.
void stream_copies(const Shape* from, std::span<const std::uint32_t> indices, Shape* to);
void stream_copies(const Paint* from, std::span<const std::uint32_t> indices, Paint* to);

}  // namespace roundel::cpu
