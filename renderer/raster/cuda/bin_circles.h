#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/generate/circle.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Pixels a side of a tile, the unit of lists and of thread blocks.
inline constexpr int kTileSize = 32;
/// A tile has 2 × 4 subtiles, a warp's pixels each. Subtile t is in column t % 2 and row t / 2.
inline constexpr int kSubtileWidth = 16, kSubtileHeight = 8, kSubtilesPerTile = 8;
/// Tiles a side of a macrotile: one thread block bins circles for one macrotile.
inline constexpr int kMacrotileSide = 32, kTilesPerMacrotile = kMacrotileSide * kMacrotileSide;
/// Circles of a chunk at most, because of Overlap.
inline constexpr std::uint32_t kMostChunkCircles = 1u << 24;
static_assert(kMostChunkCircles <= kMostCirclesAtOnce);
/// Circles of a slab: at least, and at most for the sake of shared memory.
inline constexpr std::uint32_t kFewSlabCircles = 64, kMostSlabCircles = 2048;

/// A circle's entry in a tile's list: bit t tells whether it may cover a pixel of subtile t, bits 8
/// to 31 are the circle's number in its chunk.
using Overlap = std::uint32_t;
inline constexpr int kOverlapCircleShift = kSubtilesPerTile;

/// The bits of a tile's subtiles in columns x0 to x1 and rows y0 to y1, ends included, counted from
/// the tile's lower left: either end may lie outside of it, but not all of them.
inline ROUNDEL_HOST_DEVICE std::uint32_t subtile_mask(int x0, int x1, int y0, int y1) {
  static_assert(kTileSize == 2 * kSubtileWidth && kTileSize == 4 * kSubtileHeight);
  const std::uint32_t columns = (x0 <= 0 ? 0x55 : 0) | (x1 > 0 ? 0xaa : 0);
  return columns & ((4u << 2 * (y1 < 3 ? y1 : 3)) - (1u << 2 * (y0 > 0 ? y0 : 0)));
}

/// Where the overlaps of one slab with one tile stand, in paint order.
struct alignas(8) ListSegment {
  std::uint32_t start, count;
};

/// How far a frame has come, in device memory. All zero before the first frame; frames that are
/// drawn to their end leave it ready for the next one. Blending of a chunk writes the counts, since
/// not every chunk is binned.
struct FrameProgress {
  unsigned long long used;      ///< shared room taken by the chunk being drawn, in overlaps
  unsigned long long listed;    ///< overlaps of the chunk being drawn
  unsigned long long overlaps;  ///< of the chunks of this frame that were drawn
  /// Tiles with unfinished pixels after chunk k, at k % 2; 0 for the chunk that comes next.
  std::uint32_t active_tiles[2];
  std::uint32_t chunks;  ///< chunks of this frame that were drawn
  /// 1 + the first chunk whose lists did not fit, or 0. Nothing was drawn since, and `used` is what
  /// they need. Cleared by the host.
  std::uint32_t overflow;
};

/// One chunk of circles on its way into lists.
struct BinCirclesArgs {
  TileGrid grid;
  std::uint32_t chunk_number = 0;                ///< in this frame
  bool begins_early = false;                     ///< see launch(); not for chunk 0
  const Shape* shapes = nullptr;                 // [count]
  std::uint32_t count = 0;                       ///< circles, at most kMostChunkCircles
  std::uint32_t slab_circles = kFewSlabCircles;  ///< a multiple of that
  std::uint32_t num_slabs = 0;
  /// Tiles of a tile that later chunks can still change; not read for chunk 0.
  const std::uint8_t* active_subtiles = nullptr;  // [num_tiles]
  ListSegment* segments = nullptr;                // [num_macrotiles][num_slabs][kTilesPerMacrotile]
  /// Every slab has room of its own in every macrotile, so that most need not ask for any; behind
  /// it there is shared room for those with more overlaps. At most 2³² in all.
  Overlap* overlaps = nullptr;  // [num_macrotiles · num_slabs · slab_capacity + overflow_capacity]
  std::uint32_t slab_capacity = 0;      ///< overlaps
  std::uint64_t overflow_capacity = 0;  ///< overlaps
  FrameProgress* progress = nullptr;

  /// Of the launch: a block a slab and macrotile.
  std::uint64_t num_blocks() const;
};

inline ROUNDEL_HOST_DEVICE int macrotiles_x(const TileGrid& grid) {
  return (grid.tiles_x + kMacrotileSide - 1) / kMacrotileSide;
}
inline ROUNDEL_HOST_DEVICE int num_macrotiles(const TileGrid& grid) {
  return macrotiles_x(grid) * ((grid.tiles_y + kMacrotileSide - 1) / kMacrotileSide);
}

/// Index in `segments` of a tile's segment for slab 0; that for slab i is i · kTilesPerMacrotile
/// further on.
inline ROUNDEL_HOST_DEVICE std::size_t first_segment(const TileGrid& grid, std::uint32_t num_slabs,
                                                     int tile_x, int tile_y) {
  const int macrotile = tile_y / kMacrotileSide * macrotiles_x(grid) + tile_x / kMacrotileSide;
  const int tile_in_macrotile = tile_y % kMacrotileSide * kMacrotileSide + tile_x % kMacrotileSide;
  return static_cast<std::size_t>(macrotile) * num_slabs * kTilesPerMacrotile + tile_in_macrotile;
}

inline std::uint64_t BinCirclesArgs::num_blocks() const {
  return static_cast<std::uint64_t>(num_slabs) * static_cast<std::uint64_t>(num_macrotiles(grid));
}

/// Stage bin: lists, for every tile, the circles of the chunk that may cover one of its pixels. A
/// compaction by counts, their exclusive scan, and lists. Bins before tiles are an idea of
/// CudaRaster (Laine & Karras 2011), ordered lists for tiles one of 3D Gaussian Splatting (Kerbl et
/// al. 2023) and Vello (Levien). A block scans its own slab; a scan over the whole device would be
/// that of Merrill & Garland 2016.
void bin_circles(const BinCirclesArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
