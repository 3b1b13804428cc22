#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/generate/circle.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Pixels a side of a bin, the unit of lists and of thread blocks.
inline constexpr int kBinSize = 32;
/// A bin has 2 × 4 tiles, a warp's pixels each. Tile t is in column t % 2 and row t / 2.
inline constexpr int kTileWidth = 16, kTileHeight = 8, kTilesPerBin = 8;
/// Bins a side of a window: one thread block bins circles for one window.
inline constexpr int kWindowSide = 32, kWindowBins = kWindowSide * kWindowSide;
/// Circles of a chunk at most, because of Overlap.
inline constexpr std::uint32_t kMostChunkCircles = 1u << 24;
static_assert(kMostChunkCircles <= kMostCirclesAtOnce);
/// Circles of a slab: at least, and at most for the sake of shared memory.
inline constexpr std::uint32_t kFewSlabCircles = 64, kMostSlabCircles = 2048;

/// A circle's entry in a bin's list: bit t tells whether it may cover a pixel of tile t, bits 8 to
/// 31 are the circle's number in its chunk.
using Overlap = std::uint32_t;
inline constexpr int kOverlapCircleShift = kTilesPerBin;

/// Where the overlaps of one slab with one bin stand, in paint order.
struct alignas(8) Cell {
  std::uint32_t start, count;
};

/// How far a frame has come, in device memory. All zero before the first frame; frames leave it
/// ready for the next one.
struct FrameProgress {
  unsigned long long used;      ///< shared room taken by the chunk being drawn, in overlaps
  unsigned long long listed;    ///< overlaps of the chunk being drawn
  unsigned long long overlaps;  ///< of the chunks of this frame that were drawn
  std::uint32_t open_bins[2];   ///< bins with unfinished pixels after chunk k, at k % 2
  std::uint32_t chunks;         ///< chunks of this frame that were drawn
  /// 1 + the first chunk whose lists did not fit, or 0. Nothing was drawn since, and `used` is what
  /// they need. Cleared by the host.
  std::uint32_t overflow;
};

/// One chunk of circles on its way into lists.
struct BinCirclesArgs {
  TileGrid grid;
  std::uint32_t chunk_number = 0;                ///< in this frame
  const Shape* shapes = nullptr;                 // [count]
  std::uint32_t count = 0;                       ///< circles, at most kMostChunkCircles
  std::uint32_t slab_circles = kFewSlabCircles;  ///< a multiple of that
  std::uint32_t num_slabs = 0;
  /// Tiles of a bin that later chunks can still change; not read for chunk 0.
  const std::uint8_t* open_tiles = nullptr;  // [num_bins]
  Cell* cells = nullptr;                     // [num_windows][num_slabs][kWindowBins]
  /// Every slab has room of its own in every window, so that most need not ask for any; behind it
  /// there is shared room for those with more overlaps. At most 2³² in all.
  Overlap* overlaps = nullptr;    // [num_windows · num_slabs · own_room + shared_room]
  std::uint32_t own_room = 0;     ///< overlaps
  std::uint64_t shared_room = 0;  ///< overlaps
  FrameProgress* progress = nullptr;
};

inline ROUNDEL_HOST_DEVICE int windows_x(const TileGrid& grid) {
  return (grid.bins_x + kWindowSide - 1) / kWindowSide;
}
inline ROUNDEL_HOST_DEVICE int num_windows(const TileGrid& grid) {
  return windows_x(grid) * ((grid.bins_y + kWindowSide - 1) / kWindowSide);
}

/// Index in `cells` of a bin's cell for slab 0; that for slab i is i · kWindowBins further on.
inline ROUNDEL_HOST_DEVICE std::size_t first_cell(const TileGrid& grid, std::uint32_t num_slabs,
                                                  int bin_x, int bin_y) {
  const int window = bin_y / kWindowSide * windows_x(grid) + bin_x / kWindowSide;
  const int bin_in_window = bin_y % kWindowSide * kWindowSide + bin_x % kWindowSide;
  return static_cast<std::size_t>(window) * num_slabs * kWindowBins + bin_in_window;
}

/// Lists, for every bin, the circles of the chunk that may cover one of its pixels.
void bin_circles(const BinCirclesArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
