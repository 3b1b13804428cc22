#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/circles/circle.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Pixels a side of a tile, the unit of lists.
inline constexpr int kTileSize = 32;
/// A tile has 2 × 4 subtiles, a warp's pixels each. Subtile t is in column t % 2 and row t / 2.
inline constexpr int kSubtileWidth = 16, kSubtileHeight = 8, kSubtilesPerTile = 8;
/// Tiles a side of a macrotile: one thread block bins circles for one macrotile.
inline constexpr int kMacrotileSide = 32, kTilesPerMacrotile = kMacrotileSide * kMacrotileSide;
/// Circles of a chunk at most, because of Overlap.
inline constexpr std::uint32_t kMostChunkCircles = 1u << 24;
static_assert(kMostChunkCircles <= kMostCirclesAtOnce);
/// Circles of a slab: a multiple of the one, and at most the other for the sake of shared memory.
inline constexpr std::uint32_t kSlabStep = 128, kMostSlabCircles = 2048;
/// Tiles whose counts one block scans over the slabs, and slabs whose overlaps one block lists.
inline constexpr int kScannedTiles = 8, kGroupSlabs = 4;
/// Tiles of a region, which one thread block bins few circles for.
inline constexpr int kRegionWidth = 4, kRegionHeight = 2;
/// Circles that regions are for, at most: shared memory has a word for each.
inline constexpr std::uint32_t kMostRegionCircles = 1u << 14;

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

/// An overlap of a slab with a macrotile on its way to its list: the circle's number in the slab,
/// from the front, in bits 18 to 28, the tile in the macrotile in bits 8 to 17, and the subtiles.
using SlabOverlap = std::uint32_t;
inline constexpr int kSlabTileShift = kSubtilesPerTile, kSlabCircleShift = kSlabTileShift + 10;
static_assert(kTilesPerMacrotile == 1 << 10 && kMostSlabCircles <= 1u << (32 - kSlabCircleShift));
/// Overlaps of a slab with a macrotile that are kept at most, a multiple of kSlabStep, and instead
/// of their number where there are more.
inline constexpr std::uint32_t kMostSlabOverlaps = 2560, kCrowded = ~0u;

/// Overlaps side by side.
struct alignas(8) OverlapRun {
  std::uint32_t start, count;
};

/// How far a frame has come, in device memory. All zero before the first frame; frames that are
/// drawn to their end leave it ready for the next one. Blending of a chunk writes the counts, since
/// not every chunk is binned.
struct FrameProgress {
  unsigned long long listed;    ///< overlaps of the chunk being drawn
  unsigned long long placed;    ///< of these, on their way to the lists
  unsigned long long overlaps;  ///< of the chunks of this frame that were drawn
  /// Subtiles with unfinished pixels after chunk k, at k % 2; 0 for the chunk that comes next.
  std::uint32_t active_subtiles[2];
  std::uint32_t chunks;  ///< of this frame that had something to draw
  /// 1 + the first chunk whose lists did not fit, or 0. Nothing was drawn since, and `listed` is
  /// what they need. Cleared by the host.
  std::uint32_t overflow;
};

/// One chunk of circles on its way into lists.
struct BinCirclesArgs {
  TileGrid grid;
  std::uint32_t chunk_number = 0;          ///< in this frame
  bool begins_early = false;               ///< see launch(); not for chunk 0
  bool continues_early = false;            ///< the same for the kernels behind the first
  int shared_percent = -1;                 ///< see launch()
  const Shape* shapes = nullptr;           // [count]
  std::uint32_t count = 0;                 ///< circles, at most kMostChunkCircles
  std::uint32_t slab_circles = kSlabStep;  ///< a multiple of that
  std::uint32_t num_slabs = 0;
  std::uint32_t most_slab_overlaps = kMostSlabOverlaps;  ///< see fitting_slab_overlaps()
  /// Subtiles of a tile that later chunks can still change; not read for chunk 0.
  const std::uint8_t* active_subtiles = nullptr;  // [num_tiles]
  /// Overlaps of a slab with each tile of a macrotile, and how many the groups in front have.
  std::uint16_t* counts = nullptr;   // [num_macrotiles][num_slabs][kTilesPerMacrotile]
  std::uint32_t* offsets = nullptr;  // [num_macrotiles][num_groups()][kTilesPerMacrotile]
  /// The overlaps of a slab with a macrotile in any order, and where they stand, in any order of
  /// the slabs; kCrowded of them where they do not.
  SlabOverlap* slab_overlaps = nullptr;  // [capacity]
  OverlapRun* slab_runs = nullptr;       // [num_macrotiles][num_slabs]
  std::uint64_t* scan_words = nullptr;   // [num_scan_words()], for look_back()
  OverlapRun* lists = nullptr;           // [num_tiles], each front to back
  /// The tiles, column below row, in the order in which they are best blended; or null.
  std::uint32_t* tile_order = nullptr;  // [num_tiles]
  Overlap* overlaps = nullptr;          // [capacity]
  std::uint64_t capacity = 0;           ///< at most 2³²
  FrameProgress* progress = nullptr;

  bool operator==(const BinCirclesArgs&) const = default;
  ROUNDEL_HOST_DEVICE std::uint32_t num_groups() const {
    return (num_slabs + kGroupSlabs - 1) / kGroupSlabs;
  }
  /// Slabs of all macrotiles.
  ROUNDEL_HOST_DEVICE std::uint64_t num_blocks() const;
  /// Blocks of the kernel that scans.
  ROUNDEL_HOST_DEVICE std::uint32_t num_scan_words() const;
};

inline ROUNDEL_HOST_DEVICE int macrotiles_x(const TileGrid& grid) {
  return (grid.tiles_x + kMacrotileSide - 1) / kMacrotileSide;
}
inline ROUNDEL_HOST_DEVICE int macrotiles_y(const TileGrid& grid) {
  return (grid.tiles_y + kMacrotileSide - 1) / kMacrotileSide;
}
inline ROUNDEL_HOST_DEVICE int num_macrotiles(const TileGrid& grid) {
  return macrotiles_x(grid) * macrotiles_y(grid);
}
inline ROUNDEL_HOST_DEVICE int regions_x(const TileGrid& grid) {
  return (grid.tiles_x + kRegionWidth - 1) / kRegionWidth;
}
inline ROUNDEL_HOST_DEVICE int num_regions(const TileGrid& grid) {
  return regions_x(grid) * ((grid.tiles_y + kRegionHeight - 1) / kRegionHeight);
}

inline ROUNDEL_HOST_DEVICE std::uint64_t BinCirclesArgs::num_blocks() const {
  return static_cast<std::uint64_t>(num_slabs) * static_cast<std::uint64_t>(num_macrotiles(grid));
}
inline ROUNDEL_HOST_DEVICE std::uint32_t BinCirclesArgs::num_scan_words() const {
  return static_cast<std::uint32_t>(num_macrotiles(grid) * (kTilesPerMacrotile / kScannedTiles));
}

/// The three kernels of bin_circles().
void count_overlaps(const BinCirclesArgs& args, cudaStream_t stream);
void scan_counts(const BinCirclesArgs& args, cudaStream_t stream);
void list_overlaps(const BinCirclesArgs& args, cudaStream_t stream);

/// Stage bin: lists, for every tile, the circles of the chunk that may cover one of its pixels. A
/// compaction by counts, their exclusive scan over the whole device, and lists. Bins before tiles
/// are an idea of CudaRaster (Laine & Karras 2011), ordered lists for tiles one of 3D Gaussian
/// Splatting (Kerbl et al. 2023) and Vello (Levien); the scan is that of Merrill & Garland 2016.
inline void bin_circles(const BinCirclesArgs& args, cudaStream_t stream) {
  count_overlaps(args, stream);
  scan_counts(args, stream);
  list_overlaps(args, stream);
}

/// Overlaps of a slab, up to kMostSlabOverlaps, for which a block's shared memory is enough: all
/// with 75 KiB, a few hundred less with the 64 KiB of compute capability 7.5.
std::uint32_t fitting_slab_overlaps(std::size_t block_memory);

/// The same for few circles, in one kernel that needs no slabs: a block a region looks at all of
/// them. Every list has room for all circles: `capacity` is num_tiles · count.
void bin_regions(const BinCirclesArgs& args, cudaStream_t stream);

/// What that takes of a block's shared memory at most, bytes.
std::size_t region_memory(std::uint64_t count);

}  // namespace roundel::cuda
