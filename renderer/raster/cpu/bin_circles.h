#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/circle_stream.h"
#include "renderer/raster/cpu/bin_slab.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// Lists of a chunk's circles that may cover a pixel of each tile. A tile's list is its segments in
/// all slabs, from the last slab (front) to the first.
struct TileLists {
  std::vector<SlabLists> slabs;
  Buffer<Shape> shapes;  ///< copies, of all slabs
  Buffer<Paint> paints;
  std::uint64_t copies_written = 0;  ///< by this or earlier chunks
  std::uint64_t overlaps = 0;
  std::uint64_t circles_kept = 0;  ///< made circles that take memory of the chunk
  std::uint64_t bytes = 0;         ///< written lists and kept circles
  std::uint64_t bytes_made = 0;    ///< `bytes` without refused lists
  double generate_share = 0;       ///< share of the time that making circles took

  bool is_empty(std::size_t tile) const;
  /// Returns a tile's list, front circles first; only without copies.
  std::vector<std::uint32_t> indices(std::size_t tile) const;
};

/// Number of slabs: enough for the threads, with counts that stay small compared to the circles.
std::size_t index_slabs(std::size_t circles, std::size_t tiles, std::size_t threads);

/// Memory of the lists of one circle that touches every tile.
std::uint64_t min_list_bytes(const TileGrid& grid);

struct BinCirclesArgs {
  const CircleStream& circles;
  std::uint64_t begin, count;  ///< the chunk's circles
  Circles& made;               ///< at least [count], if circles are not in memory
  TileGrid grid;
  std::span<const std::uint8_t> done;  ///< [num_tiles]
  std::uint64_t max_bytes;             ///< at least min_list_bytes()
  /// Lists may hold copies, for many circles of one tile each, which would be fetched from
  /// scattered memory otherwise.
  bool may_copy = true;

  /// Circles of the chunk. Only circles that lists name by index exist if they are made while
  /// binning.
  std::span<const Shape> shapes() const;
  std::span<const Paint> paints() const;
};

/// Lists the circles for every active tile. A task bins a slab: it counts overlaps by tile, scans
/// the counts, emits the lists. Positions come from the scan, so the lists do not depend on
/// threads. Returns false, with unspecified lists, if they exceed `max_bytes`; `bytes` is then
/// their size, or the largest number if even the circles do not fit. Runs in the caller's TBB
/// arena.
bool bin_circles(const BinCirclesArgs& args, TileLists& lists);

}  // namespace roundel::cpu
