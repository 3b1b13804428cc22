#include "renderer/raster/cuda/bin_chunk.cuh"
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct RegionPolicy {
  static constexpr int kThreads = 1024;
  /// Circles that a lane loads at once.
  static constexpr int kLoads = 5;
};

constexpr int kWarps = RegionPolicy::kThreads / 32;
constexpr int kTiles = kRegionWidth * kRegionHeight;
constexpr int kParts = kWarps / kTiles;  // parts of the near circles: a warp for each tile and part
static_assert(kWarps == 32 && kTiles * kParts == kWarps, "a lane a warp");

struct Shared {
  std::uint32_t num_near[kWarps];  // found by each warp
  std::uint32_t counts[kWarps];    // for [tile][part]
};

/// A circle near the region: its rectangle of subtiles, ends included, three bits each, below its
/// number in the chunk.
using NearCircle = std::uint32_t;
constexpr int kNumberShift = 12;
static_assert(kRegionWidth * kTileSize / kSubtileWidth <= 8 &&
              kRegionHeight * kTileSize / kSubtileHeight <= 8 &&
              kMaxRegionCircles <= 1u << (32 - kNumberShift));

__device__ std::uint32_t mask_in_tile(NearCircle circle, int x, int y) {
  const int x0 = circle & 7, x1 = circle >> 3 & 7, y0 = circle >> 6 & 7, y1 = circle >> 9 & 7;
  if (x1 < 2 * x || x0 > 2 * x + 1 || y1 < 4 * y || y0 > 4 * y + 3) return 0;
  return subtile_mask(x0 - 2 * x, x1 - 2 * x, y0 - 4 * y, y1 - 4 * y);
}

struct Region {
  int tile_x, tile_y;
  TileArea area;

  __device__ explicit Region(const TileGrid& grid)
      : tile_x(static_cast<int>(blockIdx.x) % regions_x(grid) * kRegionWidth),
        tile_y(static_cast<int>(blockIdx.x) / regions_x(grid) * kRegionHeight),
        area(grid, tile_x, tile_y, kRegionWidth, kRegionHeight) {}

  /// Returns an empty rectangle if no subtile of the region is reached.
  __device__ NearCircle near_circle(const TileGrid& grid, const Shape& shape,
                                    std::uint32_t number) const {
    constexpr int kMaxX = kRegionWidth * kTileSize / kSubtileWidth - 1;
    constexpr int kMaxY = kRegionHeight * kTileSize / kSubtileHeight - 1;
    const PixelRect pixels = grid.pixel_bounds(shape);
    const int x0 = pixels.x0 / kSubtileWidth - 2 * tile_x,
              x1 = pixels.x1 / kSubtileWidth - 2 * tile_x;
    const int y0 = pixels.y0 / kSubtileHeight - 4 * tile_y,
              y1 = pixels.y1 / kSubtileHeight - 4 * tile_y;
    const bool is_outside = pixels.empty() || x0 > kMaxX || x1 < 0 || y0 > kMaxY || y1 < 0;
    if (is_outside) return number << kNumberShift | 7;  // empty: from column 7 to column 0
    return number << kNumberShift |
           static_cast<std::uint32_t>(max(x0, 0) | min(x1, kMaxX) << 3 | max(y0, 0) << 6 |
                                      min(y1, kMaxY) << 9);
  }
};

/// Circles of a warp, in whole words of 32.
__device__ __host__ std::uint32_t circles_of_warp(std::uint32_t count) {
  return (count + kWarps * 32 - 1) / (kWarps * 32) * 32;
}

/// Block (region) of 1,024 threads. Each warp finds the near circles in a part of all, then those
/// in one tile in a part of the near ones. It counts these and writes them at the position from the
/// scan over parts, tiles and regions.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(RegionPolicy::kThreads)
    bin_regions_kernel(const __grid_constant__ BinCirclesArgs args) {
  constexpr int kLoads = RegionPolicy::kLoads;
  __shared__ Shared shared;
  // [kWarps · circles_of_warp()], followed by their numbers.
  extern __shared__ NearCircle near_circles[];
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const TileGrid& grid = args.grid;
  const Region region(grid);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const unsigned before_lane = (1u << lane()) - 1;

  const std::uint32_t part = circles_of_warp(args.count);
  auto* const numbers =
      reinterpret_cast<std::uint16_t*>(near_circles + kWarps * part) + warp * part;
  const std::uint32_t begin = min(warp * part, args.count), end = min(begin + part, args.count);
  std::uint32_t found = 0;
  const int last = static_cast<int>(args.count - end);
  int number = static_cast<int>(args.count - 1 - begin) - lane();
  for (std::uint32_t first = begin; first < end; first += 32 * kLoads, number -= 32 * kLoads) {
    Shape shapes[kLoads];  // loads all before using one
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      shapes[k] = load_shape(args.shapes + max(number - 32 * k, last));
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const bool is_near = number - 32 * k >= last && !region.area.is_far(shapes[k]);
      const unsigned lanes = __ballot_sync(kAllLanes, is_near);
      if (is_near)
        numbers[found + __popc(lanes & before_lane)] = static_cast<std::uint16_t>(number - 32 * k);
      found += __popc(lanes);
    }
  }
  if (lane() == 0) shared.num_near[warp] = found;
  __syncthreads();

  // Packs near circles, front to back.
  const std::uint32_t up_to_here = warp_inclusive_sum(shared.num_near[lane()]);
  const std::uint32_t num_near = __shfl_sync(kAllLanes, up_to_here, kWarps - 1);
  const std::uint32_t first_near = __shfl_sync(kAllLanes, up_to_here, warp) - found;
  for (std::uint32_t i = lane(); i < found; i += 32) {
    const std::uint32_t number = numbers[i];
    near_circles[first_near + i] =
        region.near_circle(grid, load_shape(args.shapes + number), number);
  }
  __syncthreads();

  const int tile = warp / kParts;
  const int tile_x = region.tile_x + tile % kRegionWidth,
            tile_y = region.tile_y + tile / kRegionWidth;
  const bool is_inside = tile_x < grid.tiles_x && tile_y < grid.tiles_y;
  const bool is_active =
      is_inside && (kIsFirstChunk || args.active_subtiles[tile_y * grid.tiles_x + tile_x] != 0);
  const std::uint32_t words = is_active ? (num_near + 31) / 32 : 0;
  const std::uint32_t words_of_part = (words + kParts - 1) / kParts;
  const std::uint32_t first_word = warp % kParts * words_of_part,
                      end_word = min(first_word + words_of_part, words);
  const auto mask_of = [&](std::uint32_t i, NearCircle& circle) {
    if (i >= num_near) return 0u;
    circle = near_circles[i];
    return mask_in_tile(circle, tile % kRegionWidth, tile / kRegionWidth);
  };
  std::uint32_t count = 0;
  for (std::uint32_t word = first_word; word < end_word; ++word) {
    NearCircle circle = 0;
    count += __popc(__ballot_sync(kAllLanes, mask_of(word * 32 + lane(), circle) != 0));
  }
  if (lane() == 0) shared.counts[warp] = count;
  __syncthreads();
  std::uint32_t before = 0, of_tile = 0;  // overlaps of parts in front, of all parts
#pragma unroll
  for (int part_of_tile = 0; part_of_tile < kParts; ++part_of_tile) {
    const std::uint32_t of_part = shared.counts[tile * kParts + part_of_tile];
    if (part_of_tile < warp % kParts) before += of_part;
    of_tile += of_part;
  }
  if (!is_inside) return;
  const std::uint32_t list = (tile_y * grid.tiles_x + tile_x) * args.count;
  if (warp % kParts == 0 && lane() == 0) {
    args.lists[tile_y * grid.tiles_x + tile_x] = {list, of_tile};
    atomicAdd(&args.progress->listed, of_tile);
  }
  std::uint32_t start = list + before;
  for (std::uint32_t word = first_word; word < end_word; ++word) {
    NearCircle circle = 0;
    const std::uint32_t mask = mask_of(word * 32 + lane(), circle);
    const unsigned lanes = __ballot_sync(kAllLanes, mask != 0);
    if (mask != 0)
      args.overlaps[start + __popc(lanes & before_lane)] =
          (circle >> kNumberShift) << kOverlapCircleShift | mask;
    start += __popc(lanes);
  }
}

std::size_t dynamic_bytes(std::uint32_t count) {
  return std::size_t{kWarps} * circles_of_warp(count) *
         (sizeof(NearCircle) + sizeof(std::uint16_t));
}

}  // namespace

std::size_t region_memory(std::uint64_t count) {
  return sizeof(Shared) + dynamic_bytes(static_cast<std::uint32_t>(count));
}

void bin_regions(const BinCirclesArgs& args, cudaStream_t stream) {
  const auto kernel = args.chunk_number == 0 ? with_all_shared_memory<bin_regions_kernel<true>>()
                                             : with_all_shared_memory<bin_regions_kernel<false>>();
  const std::size_t shared_bytes = dynamic_bytes(args.count);
  launch(kernel, static_cast<unsigned>(num_regions(args.grid)), RegionPolicy::kThreads,
         shared_bytes, args, args.begins_early, stream);
}

}  // namespace roundel::cuda
