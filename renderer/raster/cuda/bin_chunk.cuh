#pragma once
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {

/// Begins a chunk's first kernel. Returns false if there is nothing to do.
template <bool kIsFirstChunk>
__device__ bool begin_chunk(const BinCirclesArgs& args) {
  if (!kIsFirstChunk && args.begins_early) wait_for_previous_kernel();
  if (kIsFirstChunk) return true;  // the host has cleared the progress
  const FrameProgress& progress = *args.progress;
  if (progress.active_subtiles[(args.chunk_number + 1) % 2] == 0) return false;
  return progress.overflow == 0 || progress.overflow == args.chunk_number + 1;
}

/// Subtiles of a macrotile that a circle's pixels may lie in, ends included: x0 and x1 with 6 bits,
/// y0 and y1 with 7. kNoSubtiles if there are none.
using SubtileRect = std::uint32_t;
inline constexpr SubtileRect kNoSubtiles = ~SubtileRect{0};

inline __device__ SubtileRect subtile_rect(const TileGrid& grid, const Shape& shape,
                                           int macrotile_x, int macrotile_y) {
  constexpr int kSubtilesX = kMacrotileSide * kTileSize / kSubtileWidth;
  constexpr int kSubtilesY = kMacrotileSide * kTileSize / kSubtileHeight;
  static_assert(kSubtilesX == 64 && kSubtilesY == 128, "SubtileRect's bits");
  const PixelRect pixels = grid.pixel_bounds(shape);
  // Arithmetic shifts: an empty rectangle ends at −1 and stays empty.
  static_assert(kSubtileWidth == 1 << 4 && kSubtileHeight == 1 << 3);
  const int x0 = max((pixels.x0 >> 4) - macrotile_x * kSubtilesX, 0);
  const int x1 = min((pixels.x1 >> 4) - macrotile_x * kSubtilesX, kSubtilesX - 1);
  const int y0 = max((pixels.y0 >> 3) - macrotile_y * kSubtilesY, 0);
  const int y1 = min((pixels.y1 >> 3) - macrotile_y * kSubtilesY, kSubtilesY - 1);
  if (pixels.empty() || x0 > x1 || y0 > y1) return kNoSubtiles;
  return x0 | x1 << 6 | y0 << 12 | y1 << 19;
}

/// A rectangle of tiles, which have 2 × 4 subtiles.
struct TileRect {
  int x0, y0, width, height;

  __device__ explicit TileRect(SubtileRect subtiles)
      : x0((subtiles & 63) >> 1),
        y0((subtiles >> 12 & 127) >> 2),
        width(subtiles == kNoSubtiles ? 0 : ((subtiles >> 6 & 63) >> 1) - x0 + 1),
        height(subtiles == kNoSubtiles ? 0 : ((subtiles >> 19 & 127) >> 2) - y0 + 1) {}
};

/// Mask of the subtiles in tile (x, y) of the macrotile.
inline __device__ std::uint32_t mask_in_tile(SubtileRect subtiles, int x, int y) {
  const int x0 = subtiles & 63, x1 = subtiles >> 6 & 63, y0 = subtiles >> 12 & 127,
            y1 = subtiles >> 19 & 127;
  return subtile_mask(x0 - 2 * x, x1 - 2 * x, y0 - 4 * y, y1 - 4 * y);
}

/// A rectangle of tiles in frame space, for a fast test that excludes most circles.
struct TileArea {
  float middle_x, middle_y, half_width, half_height, margin;

  /// `tile_x`, `tile_y`: the lower left tile.
  __device__ TileArea(const TileGrid& grid, int tile_x, int tile_y, int tiles_x, int tiles_y) {
    const float tile = static_cast<float>(kTileSize) * grid.s;
    half_width = 0.5f * static_cast<float>(tiles_x) * tile;
    half_height = 0.5f * static_cast<float>(tiles_y) * tile;
    middle_x =
        grid.left() + (static_cast<float>(tile_x) + 0.5f * static_cast<float>(tiles_x)) * tile;
    middle_y =
        grid.bottom() + (static_cast<float>(tile_y) + 0.5f * static_cast<float>(tiles_y)) * tile;
    margin = 0.125f * grid.s + 0x1p-17f * (middle_x + half_width + middle_y + half_height);
  }

  /// True only if the circle's box does not touch the rectangle.
  __device__ bool is_far(const Shape& shape) const {
    const float dx = fabsf(shape.x - middle_x) - half_width;
    const float dy = fabsf(shape.y - middle_y) - half_height;
    // The margin exceeds all rounding: near circles lie within their radius of the rectangle.
    return fmaxf(dx, dy) > __fmaf_rn(shape.radius, 1 + 0x1p-12f, margin);
  }
};

inline __device__ void collect_active_tiles(const BinCirclesArgs& args, int macrotile_x,
                                            int macrotile_y,
                                            std::uint32_t (&active)[kMacrotileSide]) {
  static_assert(kMacrotileSide == 32, "a lane a column");
  const int x = macrotile_x * kMacrotileSide + lane();
  for (int row = threadIdx.x / 32; row < kMacrotileSide; row += blockDim.x / 32) {
    const int y = macrotile_y * kMacrotileSide + row;
    const bool is_active = x < args.grid.tiles_x && y < args.grid.tiles_y &&
                           args.active_subtiles[y * args.grid.tiles_x + x] != 0;
    const std::uint32_t bits = __ballot_sync(kAllLanes, is_active);
    if (lane() == 0) active[row] = bits;
  }
}

/// The macrotile of a block, from two dimensions of the grid.
struct Macrotile {
  int x, y;
  std::size_t number, count;

  __device__ Macrotile(unsigned column, unsigned row, unsigned columns, unsigned rows)
      : x(static_cast<int>(column)),
        y(static_cast<int>(row)),
        number(static_cast<std::size_t>(row) * columns + column),
        count(static_cast<std::size_t>(rows) * columns) {}
};

/// A slab, counted from the front, and a macrotile.
struct Slab {
  Macrotile macrotile;
  std::uint32_t first_circle;  // counted from the front
  std::size_t number;          // counted over all macrotiles

  __device__ Slab(const BinCirclesArgs& args, std::uint32_t slab, const Macrotile& macrotile)
      : macrotile(macrotile),
        first_circle(slab * args.slab_circles),
        number(macrotile.number * args.num_slabs + slab) {}

  /// Number in the chunk of circle i, counted from the front; negative if there is none.
  __device__ int circle(const BinCirclesArgs& args, std::uint32_t i) const {
    return static_cast<int>(args.count - 1 - first_circle - i);
  }
  /// Loads a circle, an empty one if `circle` is negative.
  __device__ static Shape load(const BinCirclesArgs& args, int circle) {
    Shape shape = load_shape(args.shapes + max(circle, 0));
    if (circle < 0) shape.radius = 0;
    return shape;
  }
};

}  // namespace roundel::cuda
