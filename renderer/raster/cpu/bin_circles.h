#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/raster/circle.h"
#include "renderer/raster/cpu/bin_slab.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// For each bin of a grid the circles of one chunk that may cover one of its pixels, in paint
/// order: elements offsets[b] .. offsets[b + 1] − 1 of `indices`, or, where `has_copies`, of
/// `copies`.
struct BinLists {
  std::vector<std::uint64_t> offsets;  ///< [num_bins + 1]
  Buffer<std::uint32_t> indices;  ///< [>= offsets[num_bins]], relative to the chunk's first circle
  Buffer<CircleCopy> copies;      ///< the same
  bool has_copies = false;

  bool is_empty(std::size_t bin) const { return offsets[bin] == offsets[bin + 1]; }
  std::span<const std::uint32_t> list(std::size_t bin) const {
    return {indices.data() + offsets[bin], indices.data() + offsets[bin + 1]};
  }
  std::span<const CircleCopy> list_of_copies(std::size_t bin) const {
    return {copies.data() + offsets[bin], copies.data() + offsets[bin + 1]};
  }
  std::uint64_t overlaps() const { return offsets.back(); }
};

/// Lists the circles for every bin that is not finished. Counts overlaps per slab of circles and
/// bin, scans the counts, emits: positions come from the scan, so the lists do not depend on the
/// threads. Returns false, with the lists unspecified, if they would take more than `max_bytes`.
/// With `paints`, lists hold copies where that is faster: of many circles that lie in one bin each,
/// which would be fetched from all over the memory otherwise. Runs on the calling thread's TBB
/// arena.
bool bin_circles(std::span<const Shape> shapes, std::span<const Paint> paints, const TileGrid& grid,
                 std::span<const std::uint8_t> finished, std::uint64_t max_bytes, BinLists& lists);

}  // namespace roundel::cpu
