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

/// For each tile of a grid the circles of one chunk that may cover one of its pixels. A tile's list
/// is its pieces in the slabs' lists, from the last slab to the first: front circles first.
struct TileLists {
  std::vector<SlabLists> slabs;
  Buffer<Shape> shapes;  ///< copies, of all slabs
  Buffer<Paint> paints;
  std::uint64_t copies_written = 0;  ///< by this chunk or those before
  std::uint64_t overlaps = 0;
  std::uint64_t circles_kept = 0;  ///< made on the way: those that take memory of the chunk's
  std::uint64_t bytes = 0;         ///< that the lists and these circles take, written ones only
  std::uint64_t bytes_made = 0;    ///< of these: not refused because they would be too many
  double generate_share = 0;       ///< of the time it took: what making circles took

  bool is_empty(std::size_t tile) const;
  /// The list of a tile, front circles first, where there are no copies.
  std::vector<std::uint32_t> indices(std::size_t tile) const;
};

/// Slabs of circles whose lists hold indices: enough to keep the threads busy, few enough that the
/// counts stay small beside the circles.
std::size_t index_slabs(std::size_t circles, std::size_t tiles, std::size_t threads);

/// What the lists of one circle may take that lies in every tile.
std::uint64_t least_list_bytes(const TileGrid& grid);

/// One chunk of circles on its way into lists.
struct BinCirclesArgs {
  const CircleStream& circles;
  std::uint64_t begin, count;  ///< of the chunk
  Circles& made;               ///< at least [count], where circles are not in memory
  TileGrid grid;
  std::span<const std::uint8_t> done;  ///< [num_tiles]
  std::uint64_t max_bytes;             ///< least_list_bytes() at least
  /// Lists may hold copies where that is faster: of many circles that lie in one tile each, which
  /// would be fetched from all over the memory otherwise.
  bool may_copy = true;

  /// The chunk's circles; of those that are made on the way only what lists name by index is there.
  std::span<const Shape> shapes() const;
  std::span<const Paint> paints() const;
};

/// Lists the circles for every tile that is active. Slabs are runs of circles, each binned by one
/// task: it counts overlaps per tile, scans the counts, emits the lists. Positions come from the
/// scan, so the lists do not depend on the threads. Returns false, with the lists unspecified but
/// for `bytes`, if that would be more than `max_bytes`: what it would be, or the largest number
/// where even the circles do not fit. Runs on the calling thread's TBB arena.
bool bin_circles(const BinCirclesArgs& args, TileLists& lists);

}  // namespace roundel::cpu
