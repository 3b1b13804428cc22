#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// For each tile the circles of a slab that may cover one of its pixels, front ones first: elements
/// offsets[b] .. offsets[b + 1] − 1 of `indices` or, where these are not null, of `shapes` and
/// `paints`, copies of the circles.
struct SlabLists {
  std::vector<std::uint32_t> offsets;  ///< [num_tiles + 1]
  Buffer<std::uint32_t> indices;       ///< [>= offsets[num_tiles]], of circles in the chunk
  std::uint64_t indices_written = 0;   ///< of `indices`, by this chunk or those before
  Shape* shapes = nullptr;             ///< [offsets[num_tiles]]
  Paint* paints = nullptr;             ///< the same
};

/// The tiles that are not done.
struct ActiveTiles {
  std::span<const std::uint8_t> done;  ///< [num_tiles], or empty where all are active
  bool all;                            ///< none is done
  std::size_t stride;                  ///< tiles_x + 1
  /// [tiles_y + 1][tiles_x + 1]: active tiles below and to the left of a corner of tiles; empty if
  /// `all`.
  std::vector<std::uint32_t> sums;

  ActiveTiles(const TileGrid& grid, std::span<const std::uint8_t> done_tiles);

  bool is_active(int tile) const { return all || done[static_cast<std::size_t>(tile)] == 0; }

  /// True if one of columns [x0, x1] × rows [y0, y1] of tiles is active.
  bool any(int x0, int y0, int x1, int y1) const {
    if (all) return true;
    const std::uint32_t* const below = sums.data() + static_cast<std::size_t>(y0) * stride;
    const std::uint32_t* const above = sums.data() + static_cast<std::size_t>(y1 + 1) * stride;
    return above[x1 + 1] - above[x0] != below[x1 + 1] - below[x0];
  }
};

/// Counts, for the active tiles, how many of the circles may cover a pixel of them. Adds those of a
/// single tile to `counts`, and the others to `steps` from one tile to the next: the sum of
/// counts[tile] and steps[0..tile] is tile's number. Both have num_tiles + 1 elements. What they
/// say about done tiles means nothing.
void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                std::uint32_t* counts, std::uint32_t* steps);

/// For each of those circles and active tiles, from the last circle to the first,
/// indices[next[tile]++] is the circle's position in `shapes` plus `first_index`.
void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                  std::uint32_t first_index, std::uint32_t* next, std::uint32_t* indices);

/// to[i] = from[indices[i]], past the caches.
void stream_copies(const Shape* from, std::span<const std::uint32_t> indices, Shape* to);
void stream_copies(const Paint* from, std::span<const std::uint32_t> indices, Paint* to);

}  // namespace roundel::cpu
