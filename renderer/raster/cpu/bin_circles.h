#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/raster/circle.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// For each bin of a grid the circles of one chunk that may cover one of its pixels, in paint
/// order. Bin b's list is indices[offsets[b]] .. indices[offsets[b + 1] - 1].
struct BinLists {
  std::vector<std::uint64_t> offsets;  ///< [num_bins + 1]
  Buffer<std::uint32_t> indices;  ///< [>= offsets[num_bins]], relative to the chunk's first circle

  std::span<const std::uint32_t> list(std::size_t bin) const {
    return {indices.data() + offsets[bin], indices.data() + offsets[bin + 1]};
  }
  std::uint64_t overlaps() const { return offsets.back(); }
};

/// Lists the circles for every bin that is not finished. Counts overlaps per slab of circles and
/// bin, scans the counts, emits: positions come from the scan, so the lists do not depend on the
/// threads. Returns false, with the lists unspecified, if they would hold more than `max_overlaps`.
/// Runs on the calling thread's TBB arena.
bool bin_circles(std::span<const Shape> shapes, const TileGrid& grid,
                 std::span<const std::uint8_t> finished, std::uint64_t max_overlaps,
                 BinLists& lists);

}  // namespace roundel::cpu
