#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/circles/circle.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Pixels a side of a tile.
inline constexpr int kTileSize = 32;
/// A tile has 2 × 4 subtiles, a warp's pixels each; subtile t is in column t % 2, row t / 2.
inline constexpr int kSubtileWidth = 16, kSubtileHeight = 8, kSubtilesPerTile = 8;
/// Tiles a side of a macrotile; one thread block bins circles for one macrotile.
inline constexpr int kMacrotileSide = 32, kTilesPerMacrotile = kMacrotileSide * kMacrotileSide;
/// Maximum, limited by Overlap.
inline constexpr std::uint32_t kMaxDeviceChunkCircles = 1u << 24;
static_assert(kMaxDeviceChunkCircles <= kMaxChunkCircles);
/// Tiles whose counts one block scans; slabs that one block lists.
inline constexpr int kScannedTiles = 8, kGroupSlabs = 4;
/// Circles of a slab: a multiple of kSlabStep, since a slab has a count for every tile. The maximum
/// keeps a group's counts below 2^16.
inline constexpr std::uint32_t kSlabStep = 64,
                               kMaxSlabCircles = (1 << 16) / kGroupSlabs - kSlabStep;
/// Maximum of slabs, by CUDA's limit for grids.
inline constexpr std::uint32_t kMaxSlabs = 65535;
/// Tiles of a region, for which one thread block bins few circles.
inline constexpr int kRegionWidth = 4, kRegionHeight = 2;
/// Maximum circles for regions: shared memory has a word for each.
inline constexpr std::uint32_t kMaxRegionCircles = 1u << 15;

/// Entry of a list: bit t for subtile t; bits 8 to 31 are the circle's number in the chunk.
using Overlap = std::uint32_t;
inline constexpr int kOverlapCircleShift = kSubtilesPerTile;

/// Bits of the subtiles in columns x0 to x1 and rows y0 to y1, ends included, counted from the
/// tile's lower left. Ends may lie outside, but the ranges must reach the tile.
inline ROUNDEL_HOST_DEVICE std::uint32_t subtile_mask(int x0, int x1, int y0, int y1) {
  static_assert(kTileSize == 2 * kSubtileWidth && kTileSize == 4 * kSubtileHeight);
  const std::uint32_t columns = (x0 <= 0 ? 0x55 : 0) | (x1 > 0 ? 0xaa : 0);
  return columns & ((4u << 2 * (y1 < 3 ? y1 : 3)) - (1u << 2 * (y0 > 0 ? y0 : 0)));
}

/// An overlap of a slab with a macrotile, before listing: the circle's number in the slab (from the
/// front) in bits 18 to 31, the tile in bits 8 to 17, and the subtiles.
using SlabOverlap = std::uint32_t;
inline constexpr int kSlabTileShift = kSubtilesPerTile, kSlabCircleShift = kSlabTileShift + 10;
static_assert(kTilesPerMacrotile == 1 << 10 && kMaxSlabCircles <= 1u << (32 - kSlabCircleShift));
/// Maximum overlaps of a slab with a macrotile that are kept, a multiple of kSlabStep; larger
/// numbers become kCrowded.
inline constexpr std::uint32_t kMaxSlabOverlaps = 2560, kCrowded = ~0u;

struct alignas(8) OverlapRun {
  std::uint32_t start, count;
};

/// Progress of a frame, in device memory: zero before the first frame; complete frames leave it
/// ready for the next. Blending writes the counts, since not every chunk is binned.
struct FrameProgress {
  unsigned long long listed;             ///< overlaps of the current chunk
  unsigned long long num_slab_overlaps;  ///< slab overlaps of the current chunk
  unsigned long long overlaps;           ///< overlaps of this frame's drawn chunks
  /// Number of unfinished subtiles after chunk k, at k % 2; 0 for the next chunk.
  std::uint32_t active_subtiles[2];
  std::uint32_t chunks;  ///< chunks of this frame that were not empty
  /// 1 + the first chunk whose lists overflowed, or 0. `listed` is then the needed capacity, and
  /// later chunks are not drawn. Cleared by the host.
  std::uint32_t overflow;
};

struct BinCirclesArgs {
  TileGrid grid;
  std::uint32_t chunk_number = 0;          ///< in the frame
  bool begins_early = false;               ///< see launch(); not for chunk 0
  bool continues_early = false;            ///< for kernels after the first, see launch()
  int shared_percent = -1;                 ///< see launch()
  const Shape* shapes = nullptr;           // [count]
  std::uint32_t count = 0;                 ///< at most kMaxDeviceChunkCircles
  std::uint32_t slab_circles = kSlabStep;  ///< a multiple of kSlabStep
  std::uint32_t num_slabs = 0;
  std::uint32_t max_slab_overlaps = kMaxSlabOverlaps;  ///< see fitting_slab_overlaps()
  /// Active subtiles of each tile; not read for chunk 0.
  const std::uint8_t* active_subtiles = nullptr;  // [num_tiles]
  /// Overlaps of a slab with each tile of a macrotile, and sums over the groups in front.
  std::uint16_t* counts = nullptr;   // [num_macrotiles][num_slabs][kTilesPerMacrotile]
  std::uint32_t* offsets = nullptr;  // [num_macrotiles][num_groups()][kTilesPerMacrotile]
  /// Unordered overlaps of slabs with macrotiles, and their runs; the count is kCrowded if they
  /// were not kept.
  SlabOverlap* slab_overlaps = nullptr;  // [capacity]
  OverlapRun* slab_runs = nullptr;       // [num_macrotiles][num_slabs]
  std::uint64_t* scan_words = nullptr;   // [num_scan_words()], for look_back()
  OverlapRun* lists = nullptr;           // [num_tiles], each front to back
  /// Tiles in the best order for blending, column in the low 16 bits, row in the high 16; or null.
  std::uint32_t* tile_order = nullptr;  // [num_tiles]
  Overlap* overlaps = nullptr;          // [capacity]
  std::uint64_t capacity = 0;           ///< at most 2³²
  FrameProgress* progress = nullptr;

  bool operator==(const BinCirclesArgs&) const = default;
  ROUNDEL_HOST_DEVICE std::uint32_t num_groups() const {
    return (num_slabs + kGroupSlabs - 1) / kGroupSlabs;
  }
  /// Number of slabs of all macrotiles.
  ROUNDEL_HOST_DEVICE std::uint64_t num_blocks() const;
  /// Number of blocks of the kernel that scans.
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

void count_overlaps(const BinCirclesArgs& args, cudaStream_t stream);
void scan_counts(const BinCirclesArgs& args, cudaStream_t stream);
void list_overlaps(const BinCirclesArgs& args, cudaStream_t stream);

/// Stage bin, a compaction: counts, their exclusive scan over the device, lists. Bins before tiles
/// are an idea of CudaRaster (Laine & Karras 2011), ordered lists for tiles of 3D Gaussian
/// Splatting (Kerbl et al. 2023) and Vello (Levien); the scan is by Merrill & Garland 2016.
inline void bin_circles(const BinCirclesArgs& args, cudaStream_t stream) {
  count_overlaps(args, stream);
  scan_counts(args, stream);
  list_overlaps(args, stream);
}

/// Number of a slab's overlaps that fit into a block's shared memory: all with 75 KiB, a few
/// hundred fewer with the 64 KiB of compute capability 7.5.
std::uint32_t fitting_slab_overlaps(std::size_t block_memory);

/// Bins few circles in one kernel, without slabs: each region's block tests all of them. Every list
/// can hold all circles: `capacity` is num_tiles · count.
void bin_regions(const BinCirclesArgs& args, cudaStream_t stream);

/// Maximum shared memory of a block of bin_regions(), in bytes.
std::size_t region_memory(std::uint64_t count);

}  // namespace roundel::cuda
