#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "renderer/raster/cuda/bin_chunk.cuh"
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/look_back.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct BinPolicy {
  /// Every warp has counts of its own, 2 KiB in shared memory.
  static constexpr int kThreads = 256;
  static constexpr int kBlocksPerProcessor = 5;
  static constexpr int kListThreads = 512;
  static constexpr std::uint32_t kScanThreads = 1024;
  /// Circles of a lane on their way from memory at once, and overlaps of a thread.
  static constexpr int kLoads = 4, kListLoads = 5;
};

constexpr int kThreads = BinPolicy::kThreads, kListThreads = BinPolicy::kListThreads;
constexpr int kWarps = kThreads / 32;
static_assert(kMostSlabCircles * kGroupSlabs < 1u << 16, "counts have 16 bits");
constexpr std::uint32_t kMostPlacedByWarp = kMostPlaced / kWarps;
constexpr int kPlaceShift = 10;
static_assert(kTilesPerMacrotile == 1 << kPlaceShift);

/// The subtiles of a macrotile that a circle's pixels may lie in, ends included, in one word: x0
/// and x1 with 6 bits, y0 and y1 with 7. kNowhere if there are none.
using SubtileRect = std::uint32_t;
constexpr SubtileRect kNowhere = ~SubtileRect{0};

__device__ SubtileRect subtile_rect(const TileGrid& grid, const Shape& shape, int macrotile_x,
                                    int macrotile_y) {
  constexpr int kSubtilesX = kMacrotileSide * kTileSize / kSubtileWidth;
  constexpr int kSubtilesY = kMacrotileSide * kTileSize / kSubtileHeight;
  static_assert(kSubtilesX == 64 && kSubtilesY == 128, "SubtileRect's bits");
  const PixelRect pixels = grid.pixel_bounds(shape);
  // Arithmetic shifts: an empty rectangle ends at −1, and stays empty.
  static_assert(kSubtileWidth == 1 << 4 && kSubtileHeight == 1 << 3);
  const int x0 = max((pixels.x0 >> 4) - macrotile_x * kSubtilesX, 0);
  const int x1 = min((pixels.x1 >> 4) - macrotile_x * kSubtilesX, kSubtilesX - 1);
  const int y0 = max((pixels.y0 >> 3) - macrotile_y * kSubtilesY, 0);
  const int y1 = min((pixels.y1 >> 3) - macrotile_y * kSubtilesY, kSubtilesY - 1);
  if (pixels.empty() || x0 > x1 || y0 > y1) return kNowhere;
  return x0 | x1 << 6 | y0 << 12 | y1 << 19;
}

/// A rectangle of tiles (kTileSize × kTileSize pixels, 2 × 4 subtiles).
struct TileRect {
  int x0, y0, width, height;

  __device__ explicit TileRect(SubtileRect subtiles)
      : x0((subtiles & 63) >> 1),
        y0((subtiles >> 12 & 127) >> 2),
        width(subtiles == kNowhere ? 0 : ((subtiles >> 6 & 63) >> 1) - x0 + 1),
        height(subtiles == kNowhere ? 0 : ((subtiles >> 19 & 127) >> 2) - y0 + 1) {}
  __device__ bool is_small() const { return width <= 2 && height <= 2; }
};

/// The rectangle's subtiles among those of tile (x, y) of its macrotile.
__device__ std::uint32_t mask_in_tile(SubtileRect subtiles, int x, int y) {
  const int x0 = subtiles & 63, x1 = subtiles >> 6 & 63, y0 = subtiles >> 12 & 127,
            y1 = subtiles >> 19 & 127;
  return subtile_mask(x0 - 2 * x, x1 - 2 * x, y0 - 4 * y, y1 - 4 * y);
}

/// Calls visit(tile) for the tiles of a circle that is the same in all lanes, a lane a tile.
template <class Visit>
__device__ void for_each_tile(SubtileRect subtiles, Visit&& visit) {
  const TileRect rect(subtiles);
  for (int i = threadIdx.x % 32; i < rect.width * rect.height; i += 32) {
    // Exact: both are whole and below 2^20, and the half keeps the quotient off whole numbers.
    const int row =
        static_cast<int>(__fdividef(static_cast<float>(i) + 0.5f, static_cast<float>(rect.width)));
    visit((rect.y0 + row) * kMacrotileSide + rect.x0 + (i - row * rect.width));
  }
}

/// Which tiles of a macrotile can still change: a word a row.
__device__ void collect_active_tiles(const BinCirclesArgs& args, int macrotile_x, int macrotile_y,
                                     std::uint32_t (&active)[kMacrotileSide]) {
  static_assert(kMacrotileSide == 32, "a lane a column");
  const int x = macrotile_x * kMacrotileSide + static_cast<int>(threadIdx.x) % 32;
  for (int row = threadIdx.x / 32; row < kMacrotileSide; row += blockDim.x / 32) {
    const int y = macrotile_y * kMacrotileSide + row;
    const bool is_active = x < args.grid.tiles_x && y < args.grid.tiles_y &&
                           args.active_subtiles[y * args.grid.tiles_x + x] != 0;
    const std::uint32_t bits = __ballot_sync(kAllLanes, is_active);
    if (threadIdx.x % 32 == 0) active[row] = bits;
  }
}

/// A slab, of those that go from the front to the back, and a macrotile.
struct Slab {
  int macrotile_x, macrotile_y;
  std::uint32_t first_circle;  // from the front
  std::size_t number;          // among those of all macrotiles

  __device__ Slab(const BinCirclesArgs& args, std::uint32_t slab, int macrotile)
      : macrotile_x(macrotile % macrotiles_x(args.grid)),
        macrotile_y(macrotile / macrotiles_x(args.grid)),
        first_circle(slab * args.slab_circles),
        number(static_cast<std::size_t>(macrotile) * args.num_slabs + slab) {}

  /// Circle i of the slab has this number in the chunk; negative where there is none.
  __device__ int circle(const BinCirclesArgs& args, std::uint32_t i) const {
    return static_cast<int>(args.count - 1 - first_circle - i);
  }
  /// An empty one where there is none.
  __device__ static Shape load(const BinCirclesArgs& args, int circle) {
    Shape shape = load_shape(args.shapes + max(circle, 0));
    if (circle < 0) shape.radius = 0;
    return shape;
  }
  __device__ std::size_t first_count() const { return number * kTilesPerMacrotile; }
};

/// Overlaps of each warp of a block with each tile.
template <int kBlockWarps>
union WarpCounts {
  std::uint32_t words[kBlockWarps][kTilesPerMacrotile / 2];  // two tiles a word, 16 bits each
  std::uint16_t tiles[kBlockWarps][kTilesPerMacrotile];

  __device__ void clear() {
    for (int i = threadIdx.x; i < kBlockWarps * kTilesPerMacrotile / 8; i += 32 * kBlockWarps)
      reinterpret_cast<uint4*>(words)[i] = {0, 0, 0, 0};
  }

  /// Turns the counts into each warp's first place among a tile's overlaps, and writes their sums,
  /// a word two tiles. All threads call it.
  __device__ void scan_over_warps(std::uint32_t* sums) {
    for (int i = threadIdx.x; i < kTilesPerMacrotile / 2; i += 32 * kBlockWarps) {
      std::uint32_t sum = 0;
#pragma unroll
      for (auto& of_warp : words) {
        const std::uint32_t count = of_warp[i];
        of_warp[i] = sum;
        sum += count;
      }
      if (sums) sums[i] = sum;
    }
    __syncthreads();
  }
};

/// A warp's part of a slab, whole words of 32 circles.
struct WarpCircles {
  std::uint32_t first, end;

  __device__ WarpCircles(const BinCirclesArgs& args, int num_warps) {
    const std::uint32_t part = (args.slab_circles / 32 + num_warps - 1) / num_warps * 32;
    first = min(threadIdx.x / 32 * part, args.slab_circles);
    end = min(first + part, args.slab_circles);
  }
};

/// Calls visit(tile, circle's number in the chunk, subtiles) for the active tiles of the warp's
/// circles: one circle after the other, a lane a tile.
template <bool kIsFirstChunk, class Visit>
__device__ void for_each_overlap(const BinCirclesArgs& args, const Slab& slab,
                                 const std::uint32_t (&active)[kMacrotileSide], Visit&& visit) {
  const WarpCircles circles(args, static_cast<int>(blockDim.x) / 32);
  for (std::uint32_t first = circles.first; first < circles.end; first += 32) {
    const int own_circle = slab.circle(args, first + lane());
    const SubtileRect own =
        subtile_rect(args.grid, Slab::load(args, own_circle), slab.macrotile_x, slab.macrotile_y);
    for (std::uint32_t i = 0; i < 32; ++i) {
      const SubtileRect subtiles = __shfl_sync(kAllLanes, own, i);
      for_each_tile(subtiles, [&](int tile) {
        if (kIsFirstChunk || (active[tile / 32] >> tile % 32 & 1) != 0)
          visit(tile, static_cast<std::uint32_t>(slab.circle(args, first + i)), subtiles);
      });
      __syncwarp();
    }
  }
}

struct CountShared {
  WarpCounts<kWarps> counts;
  PlacedOverlap placed[kWarps][kMostPlacedByWarp];
  std::uint32_t active[kMacrotileSide];  // bit x of word y: tile (x, y) is not done
  std::uint32_t num_placed[kWarps];
  bool is_crowded;
  OverlapRun placed_run;
};

/// Finds a warp's overlaps and their places among those with the same tile.
template <bool kIsFirstChunk>
class OverlapPlacer {
 public:
  __device__ OverlapPlacer(const BinCirclesArgs& args, const Slab& slab, CountShared& shared)
      : args_(args),
        slab_(slab),
        active_(shared.active),
        counts_(shared.counts.tiles[threadIdx.x / 32]),
        placed_(shared.placed[threadIdx.x / 32]) {}

  /// False where there are more than fit. Leaves the warp's counts.
  __device__ bool place() {
    constexpr int kLoads = BinPolicy::kLoads;
    const WarpCircles circles(args_, kWarps);
    for (std::uint32_t first = circles.first; first < circles.end; first += 32 * kLoads) {
      Shape shapes[kLoads];  // all are on their way before one is looked at
      const int circle = slab_.circle(args_, first + lane());
#pragma unroll
      for (int k = 0; k < kLoads; ++k) shapes[k] = Slab::load(args_, circle - 32 * k);
#pragma unroll
      for (int k = 0; k < kLoads; ++k) {
        if (first + 32 * k >= circles.end) break;
        const SubtileRect subtiles =
            subtile_rect(args_.grid, shapes[k], slab_.macrotile_x, slab_.macrotile_y);
        const bool fits = __any_sync(kAllLanes, !TileRect(subtiles).is_small())
                              ? append_large(static_cast<std::uint32_t>(circle - 32 * k), subtiles)
                              : append_small(static_cast<std::uint32_t>(circle - 32 * k), subtiles);
        if (!fits) return false;
        __syncwarp();
        for (; num_ - ranked_ >= 32; ranked_ += 32) rank();
      }
    }
    rank();
    return true;
  }
  __device__ std::uint32_t size() const {
    return num_;
  }

 private:
  __device__ bool is_active(int tile) const {
    return kIsFirstChunk || (active_[tile / 32] >> tile % 32 & 1) != 0;
  }

  /// The overlaps of 32 circles with at most 2 × 2 tiles each.
  __device__ bool append_small(std::uint32_t circle, SubtileRect subtiles) {
    const std::uint32_t x0 = subtiles & 63, x1 = subtiles >> 6 & 63, y0 = subtiles >> 12 & 127,
                        y1 = subtiles >> 19 & 127;
    const int tile = static_cast<int>(y0 / 4 * kMacrotileSide + x0 / 2);
    const bool is_one = subtiles != kNowhere;
    const bool is_wide = is_one && x0 / 2 != x1 / 2, is_tall = is_one && y0 / 4 != y1 / 4;
    bool takes[4] = {is_one, is_wide, is_tall, is_wide && is_tall};
    if (!kIsFirstChunk) {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        takes[k] = takes[k] && is_active(tile + k / 2 * kMacrotileSide + k % 2);
    }
    // The tile's columns are bits 0x55 and 0xaa, its rows two bits each.
    const std::uint32_t left = (x0 % 2 != 0 ? 0xaa : 0xff) & (is_wide || x1 % 2 != 0 ? 0xff : 0x55);
    const std::uint32_t right = x1 % 2 != 0 ? 0xff : 0x55;
    const std::uint32_t lower =
        (0xffu << 2 * (y0 % 4)) & (is_tall ? 0xff : 0xffu >> (6 - 2 * (y1 % 4)));
    const std::uint32_t upper = 0xffu >> (6 - 2 * (y1 % 4));
    const unsigned before = (1u << lane()) - 1;
    std::uint32_t at = num_;
#pragma unroll
    for (bool take : takes) {
      const unsigned lanes = __ballot_sync(kAllLanes, take);
      at += __popc(lanes & before);
      num_ += __popc(lanes);
    }
    if (num_ > kMostPlacedByWarp) return false;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t mask = (k % 2 == 0 ? left : right) & (k / 2 == 0 ? lower : upper);
      if (takes[k])
        placed_[at++] = {circle << kOverlapCircleShift | mask,
                         static_cast<std::uint32_t>(tile + k / 2 * kMacrotileSide + k % 2)};
    }
    return true;
  }

  /// Those of 32 circles of any size, one after the other.
  __device__ bool append_large(std::uint32_t own_circle, SubtileRect own_subtiles) {
    for (int i = 0; i < 32; ++i) {
      const SubtileRect subtiles = __shfl_sync(kAllLanes, own_subtiles, i);
      const std::uint32_t circle = __shfl_sync(kAllLanes, own_circle, i);
      const TileRect rect(subtiles);
      const int tiles = rect.width * rect.height;
      if (num_ + tiles > kMostPlacedByWarp) return false;
      for (int first = 0; first < tiles; first += 32) {
        const int k = first + lane();
        const int row = k / max(rect.width, 1), column = k - row * rect.width;
        const int x = rect.x0 + column, y = rect.y0 + row;
        const bool takes = k < tiles && is_active(y * kMacrotileSide + x);
        const unsigned lanes = __ballot_sync(kAllLanes, takes);
        if (takes)
          placed_[num_ + __popc(lanes & ((1u << lane()) - 1))] = {
              circle << kOverlapCircleShift | mask_in_tile(subtiles, x, y),
              static_cast<std::uint32_t>(y * kMacrotileSide + x)};
        num_ += __popc(lanes);
      }
    }
    return true;
  }

  /// Gives the next 32 overlaps, or those left, their places; those of the same tile by their
  /// order.
  __device__ void rank() {
    const std::uint32_t i = ranked_ + lane();
    const bool is_one = i < num_;
    const std::uint32_t tile = is_one ? placed_[i].place : kCrowded;
    const unsigned same_tile = __match_any_sync(kAllLanes, tile);
    const int rank = __popc(same_tile & ((1u << lane()) - 1));
    std::uint32_t count = 0;
    if (is_one) count = counts_[tile];
    __syncwarp();
    if (is_one) {
      if (rank == 0) counts_[tile] = static_cast<std::uint16_t>(count + __popc(same_tile));
      placed_[i].place = tile | (count + rank) << kPlaceShift;
    }
    __syncwarp();
  }

  const BinCirclesArgs& args_;
  const Slab& slab_;
  const std::uint32_t (&active_)[kMacrotileSide];
  std::uint16_t (&counts_)[kTilesPerMacrotile];
  PlacedOverlap (&placed_)[kMostPlacedByWarp];
  std::uint32_t num_ = 0, ranked_ = 0;
};

/// Block (slab, macrotile) of 256 threads finds one slab's overlaps with the tiles of one
/// macrotile, a warp an eighth of the slab, and counts them by tile: place among the warp's, scan
/// over the warps, place among the slab's. Where there are too many for shared memory it only
/// counts.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kThreads, BinPolicy::kBlocksPerProcessor)
    count_overlaps_kernel(const __grid_constant__ BinCirclesArgs args) {
  __shared__ CountShared shared;
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const int thread = threadIdx.x, warp = thread / 32;
  const Slab slab(args, blockIdx.x, static_cast<int>(blockIdx.y));
  shared.counts.clear();
  for (std::uint32_t i = (blockIdx.y * gridDim.x + blockIdx.x) * kThreads + thread;
       i < args.num_scan_words(); i += gridDim.x * gridDim.y * kThreads)
    args.scan_words[i] = 0;
  if (thread == 0) shared.is_crowded = false;
  if (!kIsFirstChunk) collect_active_tiles(args, slab.macrotile_x, slab.macrotile_y, shared.active);
  __syncthreads();
  OverlapPlacer<kIsFirstChunk> placer(args, slab, shared);
  if (!placer.place()) shared.is_crowded = true;
  if (lane() == 0) shared.num_placed[warp] = placer.size();
  __syncthreads();
  const bool is_crowded = shared.is_crowded;
  if (is_crowded) {
    shared.counts.clear();
    __syncthreads();
    for_each_overlap<kIsFirstChunk>(
        args, slab, shared.active, [&](int tile, std::uint32_t, SubtileRect) {
          ++shared.counts.tiles[warp][tile];  // another one in each lane
        });
    __syncthreads();
  }
  shared.counts.scan_over_warps(reinterpret_cast<std::uint32_t*>(args.counts + slab.first_count()));
  std::uint32_t first = 0, total = 0;  // of the warp
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) first += shared.num_placed[w];
    total += shared.num_placed[w];
  }
  if (thread == 0) {
    std::uint64_t start = 0;
    if (!is_crowded && total > 0) start = atomicAdd(&args.progress->placed, total);
    // Where lists do not fit these do not either.
    if (is_crowded || start + total > args.capacity) total = kCrowded;
    args.placed_runs[slab.number] = {static_cast<std::uint32_t>(start), total};
    shared.placed_run = {static_cast<std::uint32_t>(start), total};
  }
  __syncthreads();
  if (shared.placed_run.count == kCrowded) return;
  PlacedOverlap* const out = args.placed + shared.placed_run.start + first;
  for (std::uint32_t i = lane(); i < placer.size(); i += 32) {
    PlacedOverlap one = shared.placed[warp][i];
    one.place +=
        static_cast<std::uint32_t>(shared.counts.tiles[warp][one.place % kTilesPerMacrotile])
        << kPlaceShift;
    out[i] = one;
  }
}

/// Block (eight tiles of a macrotile's row), a thread a group of slabs: turns the counts of all
/// slabs into how many overlaps the groups in front have, and writes where each tile's list is.
/// Counts [2,3] and [0,2] of two groups with two tiles become the offsets [0,0] and [2,3], and
/// lists that start at [0,2].
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(BinPolicy::kScanThreads)
    scan_counts_kernel(const __grid_constant__ BinCirclesArgs args) {
  constexpr int kTiles = kScannedTiles;
  static_assert(kTiles == 8, "16 bits each: a uint4");
  __shared__ std::uint32_t sums[32][kTiles + 1];  // of a warp, for each tile
  if (args.continues_early) wait_for_kernel_in_front();
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  constexpr int kBlocks = kTilesPerMacrotile / kTiles;  // of a macrotile
  const int warp = static_cast<int>(threadIdx.x) / 32,
            num_warps = static_cast<int>(blockDim.x) / 32;
  const std::size_t macrotile = blockIdx.x / kBlocks;
  const std::size_t first_tile = blockIdx.x % kBlocks * kTiles;
  const std::uint32_t num_groups = args.num_groups();
  std::uint32_t carry[kTiles] = {};  // of the groups before
  for (std::uint32_t begin = 0; begin < num_groups; begin += blockDim.x) {
    const std::uint32_t group = begin + threadIdx.x;
    uint4 slabs[kGroupSlabs];
#pragma unroll
    for (int k = 0; k < kGroupSlabs; ++k) {
      const std::uint32_t slab = group * kGroupSlabs + k;
      slabs[k] = slab < args.num_slabs
                     ? *reinterpret_cast<const uint4*>(
                           args.counts + (macrotile * args.num_slabs + slab) * kTilesPerMacrotile +
                           first_tile)
                     : uint4{0, 0, 0, 0};
    }
    uint4 words{0, 0, 0, 0};
#pragma unroll
    for (const uint4& slab : slabs)
      words = {words.x + slab.x, words.y + slab.y, words.z + slab.z, words.w + slab.w};
    const std::uint32_t counts[kTiles] = {words.x & 0xffff, words.x >> 16,    words.y & 0xffff,
                                          words.y >> 16,    words.z & 0xffff, words.z >> 16,
                                          words.w & 0xffff, words.w >> 16};
    std::uint32_t offsets[kTiles];
#pragma unroll
    for (int t = 0; t < kTiles; ++t) offsets[t] = warp_inclusive_sum(counts[t]);
    if (begin > 0) __syncthreads();  // all have read the sums of the groups before
    if (lane() == 31)
#pragma unroll
      for (int t = 0; t < kTiles; ++t) sums[warp][t] = offsets[t];
    __syncthreads();
    if (warp < kTiles) {  // a warp a tile
      const std::uint32_t of_warp = lane() < num_warps ? sums[lane()][warp] : 0;
      const std::uint32_t inclusive = warp_inclusive_sum(of_warp);
      __syncwarp();
      if (lane() < num_warps) sums[lane()][warp] = inclusive;
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      offsets[t] += carry[t] - counts[t] + (warp > 0 ? sums[warp - 1][t] : 0);
      carry[t] += sums[num_warps - 1][t];
    }
    if (group < num_groups) {
      auto* const out = reinterpret_cast<uint4*>(
          args.offsets + (macrotile * num_groups + group) * kTilesPerMacrotile + first_tile);
      out[0] = {offsets[0], offsets[1], offsets[2], offsets[3]};
      out[1] = {offsets[4], offsets[5], offsets[6], offsets[7]};
    }
  }
  if (warp != 0) return;
  std::uint32_t total = 0;  // lane t: of tile t
#pragma unroll
  for (int t = 0; t < kTiles; ++t)
    if (lane() == t) total = carry[t];
  const std::uint64_t up_to_here = warp_inclusive_sum(std::uint64_t{total});
  const std::uint64_t of_block = __shfl_sync(kAllLanes, up_to_here, 31);
  const std::uint64_t before = look_back(args.scan_words, static_cast<int>(blockIdx.x), of_block);
  const int tile = static_cast<int>(first_tile) + lane();
  const int x = static_cast<int>(macrotile) % macrotiles_x(args.grid) * kMacrotileSide +
                tile % kMacrotileSide;
  const int y = static_cast<int>(macrotile) / macrotiles_x(args.grid) * kMacrotileSide +
                tile / kMacrotileSide;
  if (lane() < kTiles && x < args.grid.tiles_x && y < args.grid.tiles_y)
    args.lists[y * args.grid.tiles_x + x] = {
        static_cast<std::uint32_t>(before + up_to_here - total), total};
  if (blockIdx.x == gridDim.x - 1 && lane() == 0) end_scan(args, before + of_block);
}

using ListScan = cub::BlockScan<std::uint32_t, kListThreads, cub::BLOCK_SCAN_WARP_SCANS>;

struct ListShared {
  /// Where a tile's overlaps go: from their places among the group's, or the slab's, to the lists.
  std::uint32_t starts[kTilesPerMacrotile];
  union {
    struct {
      Overlap overlaps[kGroupSlabs * kMostPlaced];            // of the group, by tile
      std::uint16_t tiles[kGroupSlabs * kMostPlaced];         // theirs
      std::uint16_t places[kGroupSlabs][kTilesPerMacrotile];  // where those of slab and tile start
      ListScan::TempStorage scan;
    } sorted;
    struct {
      WarpCounts<kListThreads / 32> counts;
      std::uint32_t active[kMacrotileSide];
    } crowded;
  };
};

/// Copies a group's overlaps, none of whose slabs is crowded, to the lists: sorted by tile first,
/// so that neighbours are written together.
__device__ void list_sorted(const BinCirclesArgs& args, const Slab& first_slab, int num_slabs,
                            const OverlapRun (&placed)[kGroupSlabs],
                            const std::uint32_t (&list_starts)[2], ListShared& shared) {
  constexpr int kLoads = BinPolicy::kListLoads;
  static_assert(kMostPlaced == kLoads * kListThreads);
  const int thread = threadIdx.x;
  auto& sorted = shared.sorted;
  // All are on their way before the first one is waited for.
  std::uint32_t counts[kGroupSlabs];  // of the thread's two tiles, 16 bits each
  PlacedOverlap ones[kGroupSlabs][kLoads];
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
    const std::size_t slab = first_slab.number + s;
    counts[s] = 0;
    if (s >= num_slabs) continue;
    counts[s] = reinterpret_cast<const std::uint32_t*>(
        args.counts)[slab * (kTilesPerMacrotile / 2) + thread];
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      if (const std::uint32_t i = thread + k * kListThreads; i < placed[s].count)
        ones[s][k] = args.placed[placed[s].start + i];
  }
  std::uint32_t sum = 0;
#pragma unroll
  for (const std::uint32_t count : counts) sum += count;
  std::uint32_t start = 0, total = 0;
  ListScan(sorted.scan).ExclusiveSum((sum & 0xffff) + (sum >> 16), start, total);
  const std::uint32_t second = start + (sum & 0xffff);
  shared.starts[2 * thread] = list_starts[0] - start;
  shared.starts[2 * thread + 1] = list_starts[1] - second;
  std::uint32_t places = start | second << 16;
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
    reinterpret_cast<std::uint32_t*>(sorted.places[s])[thread] = places;
    places += counts[s];
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      if (thread + k * kListThreads >= placed[s].count) continue;
      const PlacedOverlap one = ones[s][k];
      const std::uint32_t tile = one.place % kTilesPerMacrotile;
      const std::uint32_t place = sorted.places[s][tile] + (one.place >> kPlaceShift);
      sorted.overlaps[place] = one.overlap;
      sorted.tiles[place] = static_cast<std::uint16_t>(tile);
    }
  }
  __syncthreads();
  for (std::uint32_t i = thread; i < total; i += kListThreads)
    args.overlaps[shared.starts[sorted.tiles[i]] + i] = sorted.overlaps[i];
}

/// The same slab after slab; circle after circle where one is crowded.
template <bool kIsFirstChunk>
__device__ void list_crowded(const BinCirclesArgs& args, std::uint32_t first_slab, int num_slabs,
                             std::uint32_t (&list_starts)[2], ListShared& shared) {
  const int thread = threadIdx.x, warp = thread / 32;
  auto& crowded = shared.crowded;
  for (int s = 0; s < num_slabs; ++s) {
    const Slab slab(args, first_slab + s, static_cast<int>(blockIdx.y));
    __syncthreads();
    shared.starts[2 * thread] = list_starts[0];
    shared.starts[2 * thread + 1] = list_starts[1];
    const std::uint32_t counts =
        reinterpret_cast<const std::uint32_t*>(args.counts + slab.first_count())[thread];
    list_starts[0] += counts & 0xffff;
    list_starts[1] += counts >> 16;
    crowded.counts.clear();
    if (!kIsFirstChunk)
      collect_active_tiles(args, slab.macrotile_x, slab.macrotile_y, crowded.active);
    __syncthreads();
    const OverlapRun run = args.placed_runs[slab.number];
    if (run.count != kCrowded) {
      const PlacedOverlap* const placed = args.placed + run.start;
      for (std::uint32_t i = thread; i < run.count; i += kListThreads)
        args.overlaps[shared.starts[placed[i].place % kTilesPerMacrotile] +
                      (placed[i].place >> kPlaceShift)] = placed[i].overlap;
      continue;
    }
    for_each_overlap<kIsFirstChunk>(
        args, slab, crowded.active,
        [&](int tile, std::uint32_t, SubtileRect) { ++crowded.counts.tiles[warp][tile]; });
    __syncthreads();
    crowded.counts.scan_over_warps(nullptr);
    for_each_overlap<kIsFirstChunk>(
        args, slab, crowded.active, [&](int tile, std::uint32_t circle, SubtileRect subtiles) {
          const std::uint32_t place = crowded.counts.tiles[warp][tile]++;
          args.overlaps[shared.starts[tile] + place] =
              circle << kOverlapCircleShift |
              mask_in_tile(subtiles, tile % kMacrotileSide, tile / kMacrotileSide);
        });
  }
}

/// Block (group of slabs, macrotile) of 512 threads copies the overlaps to the tiles' lists.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kListThreads)
    list_overlaps_kernel(const __grid_constant__ BinCirclesArgs args) {
  extern __shared__ char memory[];
  auto& shared = *reinterpret_cast<ListShared*>(memory);
  if (args.continues_early) wait_for_kernel_in_front();
  if (!begin_chunk<kIsFirstChunk>(args) || args.progress->overflow != 0) return;
  static_assert(kTilesPerMacrotile == 2 * kListThreads, "a thread has two tiles");
  const int thread = threadIdx.x, macrotile = static_cast<int>(blockIdx.y);
  // From the back: what was counted last is still in the cache.
  const std::uint32_t group = gridDim.x - 1 - blockIdx.x, first_slab = group * kGroupSlabs;
  const int num_slabs = static_cast<int>(min(args.num_slabs - first_slab, kGroupSlabs));
  const Slab slab(args, first_slab, macrotile);
  const uint2 offsets = reinterpret_cast<const uint2*>(
      args.offsets + (static_cast<std::size_t>(macrotile) * args.num_groups() + group) *
                         kTilesPerMacrotile)[thread];
  std::uint32_t list_starts[2] = {offsets.x, offsets.y};
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int x = slab.macrotile_x * kMacrotileSide + (2 * thread + k) % kMacrotileSide;
    const int y = slab.macrotile_y * kMacrotileSide + (2 * thread + k) / kMacrotileSide;
    if (x < args.grid.tiles_x && y < args.grid.tiles_y)
      list_starts[k] += args.lists[y * args.grid.tiles_x + x].start;
  }
  bool is_crowded = false;
  OverlapRun placed[kGroupSlabs];
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
    placed[s] = s < num_slabs ? args.placed_runs[slab.number + s] : OverlapRun{0, 0};
    is_crowded |= placed[s].count == kCrowded;
  }
  if (is_crowded)
    list_crowded<kIsFirstChunk>(args, first_slab, num_slabs, list_starts, shared);
  else
    list_sorted(args, slab, num_slabs, placed, list_starts, shared);
}

template <bool kIsFirstChunk>
void launch_stages(const BinCirclesArgs& args, cudaStream_t stream) {
  const dim3 slabs(args.num_slabs, static_cast<unsigned>(num_macrotiles(args.grid)));
  launch(count_overlaps_kernel<kIsFirstChunk>, slabs, kThreads, 0, args, args.begins_early, stream);
  const std::uint32_t scan_threads =
      std::clamp((args.num_groups() + 31) / 32 * 32, 32U * kScannedTiles, BinPolicy::kScanThreads);
  launch(scan_counts_kernel<kIsFirstChunk>, args.num_scan_words(), static_cast<int>(scan_threads),
         0, args, args.continues_early, stream);
  const auto list = list_overlaps_kernel<kIsFirstChunk>;
  ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(list, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(sizeof(ListShared))));
  const dim3 groups(args.num_groups(), slabs.y);
  launch(list, groups, kListThreads, sizeof(ListShared), args, args.continues_early, stream);
}

}  // namespace

void bin_circles(const BinCirclesArgs& args, cudaStream_t stream) {
  if (args.chunk_number == 0)
    launch_stages<true>(args, stream);
  else
    launch_stages<false>(args, stream);
}

}  // namespace roundel::cuda
