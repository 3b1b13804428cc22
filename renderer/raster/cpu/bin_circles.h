#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/generate/circle.h"
#include "renderer/raster/circle_feed.h"
#include "renderer/raster/cpu/bin_slab.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// For each bin of a grid the circles of one chunk that may cover one of its pixels. A bin's list
/// is its pieces in the slabs' lists, from the last slab to the first: front circles first.
struct BinLists {
  std::vector<SlabLists> slabs;
  Buffer<Shape> shapes;  ///< copies, of all slabs
  Buffer<Paint> paints;
  std::uint64_t copies_written = 0;  ///< by this chunk or those before
  std::uint64_t overlaps = 0;
  std::uint64_t circles_kept = 0;  ///< of a feed: those that take memory of the chunk's
  std::uint64_t bytes = 0;         ///< that the lists and these circles take, written ones only
  std::uint64_t bytes_made = 0;    ///< of these: not refused because they would be too many
  double feed_share = 0;           ///< of the time it took to make these lists: what the feed took

  bool is_empty(std::size_t bin) const;
  /// The list of a bin, front circles first, where there are no copies.
  std::vector<std::uint32_t> indices(std::size_t bin) const;
};

/// What the lists of one circle may take that lies in every bin.
std::uint64_t least_list_bytes(const TileGrid& grid);

/// Lists the circles for every bin that is not finished. Slabs are runs of circles, each binned by
/// one task: it counts overlaps per bin, scans the counts, emits. Positions come from the scan, so
/// the lists do not depend on the threads. Returns false, with the lists unspecified but for
/// `bytes`, if that would be more than `max_bytes`: what it would be, or the largest number where
/// even the circles do not fit. With `paints`,
/// lists hold copies where that is faster: of many circles that lie in one bin each, which would be
/// fetched from all over the memory otherwise. `max_bytes` is to be least_list_bytes() at least.
/// Runs on the calling thread's TBB arena.
bool bin_circles(std::span<const Shape> shapes, std::span<const Paint> paints, const TileGrid& grid,
                 std::span<const std::uint8_t> finished, std::uint64_t max_bytes, BinLists& lists);

/// The same for a chunk that is made on the way, slab by slab: circles first, first + 1, … of a
/// feed. `shapes` and `paints` are room for it; they get the circles that lists name by index.
bool bin_feed(const CircleFeed& feed, std::size_t first, std::span<Shape> shapes,
              std::span<Paint> paints, const TileGrid& grid, std::span<const std::uint8_t> finished,
              std::uint64_t max_bytes, BinLists& lists);

}  // namespace roundel::cpu
