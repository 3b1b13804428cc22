#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// For each tile b the circles of a slab that may cover one of its pixels, front ones first:
/// elements offsets[b] .. offsets[b + 1] − 1 of `indices`, or of the copies `shapes` and `paints`
/// if these are not null.
struct SlabLists {
  std::vector<std::uint32_t> offsets;  ///< [num_tiles + 1]
  Buffer<std::uint32_t> indices;       ///< [>= offsets[num_tiles]], of circles in the chunk
  std::uint64_t indices_written = 0;   ///< elements written, by this or earlier chunks
  Shape* shapes = nullptr;             ///< [offsets[num_tiles]]
  Paint* paints = nullptr;             ///< [offsets[num_tiles]]
};

struct ActiveTiles {
  std::span<const std::uint8_t> done;  ///< [num_tiles], or empty if all are active
  bool all;                            ///< all tiles are active
  std::size_t stride;                  ///< tiles_x + 1
  /// [tiles_y + 1][tiles_x + 1]: number of active tiles to the left of a corner and below; empty if
  /// `all`.
  std::vector<std::uint32_t> sums;

  ActiveTiles(const TileGrid& grid, std::span<const std::uint8_t> done_tiles);

  bool is_active(int tile) const { return all || done[static_cast<std::size_t>(tile)] == 0; }

  /// True if a tile in columns [x0, x1] × rows [y0, y1] is active.
  bool any(int x0, int y0, int x1, int y1) const {
    if (all) return true;
    const std::uint32_t* const below = sums.data() + static_cast<std::size_t>(y0) * stride;
    const std::uint32_t* const above = sums.data() + static_cast<std::size_t>(y1 + 1) * stride;
    return above[x1 + 1] - above[x0] != below[x1 + 1] - below[x0];
  }
};

/// Counts circles by active tile: circles of a single tile in `counts`, others as differences from
/// tile to tile in `steps`. A tile's number is counts[tile] plus the sum of steps[0..tile]; done
/// tiles have meaningless values. Both have num_tiles + 1 elements.
void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                std::uint32_t* counts, std::uint32_t* steps);

/// For each of these circles and tiles, from the last circle on: indices[next[tile]++] is the
/// circle's position in `shapes` plus first_index.
void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                  std::uint32_t first_index, std::uint32_t* next, std::uint32_t* indices);

/// to[i] = from[indices[i]], written past the caches.
void stream_copies(const Shape* from, std::span<const std::uint32_t> indices, Shape* to);
void stream_copies(const Paint* from, std::span<const std::uint32_t> indices, Paint* to);

}  // namespace roundel::cpu
