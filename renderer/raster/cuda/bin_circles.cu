#include <cub/block/block_scan.cuh>

#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {
namespace {

/// Tuning of bin_circles_kernel, measured on an H200.
struct BinPolicy {
  /// Every warp has counts of its own, 2 KiB in shared memory.
  static constexpr int kThreads = 256;
  /// Overlaps of a slab that shared memory has a place for, to sort them there: small circles have
  /// hardly more.
  static constexpr std::uint32_t sorted_overlaps(std::uint32_t slab_circles) {
    return slab_circles + slab_circles / 4;
  }
};

/// Tuning of bin_few_circles_kernel.
struct BinFewPolicy {
  /// Every block has little to do, and what counts is how long a thread takes; more threads than
  /// these wait for each other.
  static constexpr int kThreads = 512;
};

constexpr int kThreads = BinPolicy::kThreads, kFewThreads = BinFewPolicy::kThreads;
constexpr int kWarps = kThreads / 32;
template <int kBlockThreads>
using BlockScan = cub::BlockScan<std::uint32_t, kBlockThreads, cub::BLOCK_SCAN_WARP_SCANS>;
static_assert(kTilesPerMacrotile == 4 * kThreads, "a thread sums up four tiles");
static_assert(kMostSlabCircles < 1u << 16, "a slab's counts have 16 bits");

/// The subtiles of a macrotile that a circle's pixels may lie in, ends included, in one word: x0
/// and x1 with 6 bits, y0 and y1 with 7. kNowhere if there are none.
using SubtileRect = std::uint32_t;
constexpr SubtileRect kNowhere = ~SubtileRect{0};

/// Where a slab's overlaps go: shared by the threads of a block.
template <int kBlockThreads>
struct Placement {
  typename BlockScan<kBlockThreads>::TempStorage scan;
  unsigned long long base;
  std::uint32_t total;
  bool fits;
};

struct Shared {
  union {
    std::uint32_t counts[kWarps][kTilesPerMacrotile / 2];  // two tiles a word, 16 bits each
    std::uint16_t positions[kWarps][kTilesPerMacrotile];  // then the same, summed up over the warps
  };
  std::uint32_t starts[kTilesPerMacrotile];  // of the slab's segments, from the slab's first entry
  std::uint32_t active[kMacrotileSide];      // bit x of word y: tile (x, y) is not done
  Placement<kThreads> placement;
};

__device__ SubtileRect subtile_rect(const TileGrid& grid, const Shape& shape, int macrotile_x,
                                    int macrotile_y) {
  constexpr int kSubtilesX = kMacrotileSide * kTileSize / kSubtileWidth;
  constexpr int kSubtilesY = kMacrotileSide * kTileSize / kSubtileHeight;
  static_assert(kSubtilesX == 64 && kSubtilesY == 128, "SubtileRect's bits");
  const PixelRect pixels = grid.pixel_bounds(shape);
  const int x0 = max(pixels.x0 / kSubtileWidth - macrotile_x * kSubtilesX, 0);
  const int x1 = min(pixels.x1 / kSubtileWidth - macrotile_x * kSubtilesX, kSubtilesX - 1);
  const int y0 = max(pixels.y0 / kSubtileHeight - macrotile_y * kSubtilesY, 0);
  const int y1 = min(pixels.y1 / kSubtileHeight - macrotile_y * kSubtilesY, kSubtilesY - 1);
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

/// A bit a column; not for empty rectangles.
__device__ std::uint32_t columns_of(const TileRect& rect) {
  return ~0u >> (32 - rect.width) << rect.x0;
}

__device__ bool touches_active_tile(const TileRect& rect,
                                    const std::uint32_t (&active)[kMacrotileSide]) {
  const std::uint32_t columns = columns_of(rect);
  for (int y = 0; y < rect.height; ++y)
    if (active[rect.y0 + y] & columns) return true;
  return false;
}

/// Takes room for a slab's overlaps and writes its segments: n tiles a thread, thread t has tiles
/// n·t to n·t + n − 1 with these counts. Returns where its first one starts in the slab's room. All
/// threads call it; false in placement.fits if there was not enough.
template <int kBlockThreads, int kTiles>
__device__ std::uint32_t place_overlaps(const BinCirclesArgs& args,
                                        Placement<kBlockThreads>& placement,
                                        const std::uint32_t (&counts)[kTiles]) {
  static_assert(kBlockThreads * kTiles == kTilesPerMacrotile);
  const int thread = threadIdx.x;
  std::uint32_t first = 0, total;
#pragma unroll
  for (int i = 0; i < kTiles; ++i) first += counts[i];
  BlockScan<kBlockThreads>(placement.scan).ExclusiveSum(first, first, total);
  if (thread == 0) {
    const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
    placement.base = block * args.slab_capacity;
    placement.total = total;
    placement.fits = true;
    if (total > args.slab_capacity) {
      const std::uint64_t taken = atomicAdd(&args.progress->used, total);
      placement.base =
          static_cast<std::uint64_t>(gridDim.x) * gridDim.y * args.slab_capacity + taken;
      placement.fits = taken + total <= args.overflow_capacity;
      if (!placement.fits) args.progress->overflow = args.chunk_number + 1;
    }
    if (total > 0) atomicAdd(&args.progress->listed, total);
  }
  __syncthreads();
  if (!placement.fits) return first;
  std::uint32_t start = static_cast<std::uint32_t>(placement.base) + first;
  ListSegment* const segments =
      args.segments +
      (static_cast<std::size_t>(blockIdx.y) * args.num_slabs + blockIdx.x) * kTilesPerMacrotile;
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    segments[kTiles * thread + i] = {start, counts[i]};
    start += counts[i];
  }
  return first;
}

/// Turns the warps' counts into each warp's first position in a segment, and the segments' sums
/// into segments.
__device__ void scan_counts(const BinCirclesArgs& args, Shared& shared) {
  const int thread = threadIdx.x;
  uint2 sums{0, 0};  // of four tiles, 16 bits each
  for (int w = 0; w < kWarps; ++w) {
    uint2& words = reinterpret_cast<uint2*>(shared.counts[w])[thread];
    const uint2 count = words;
    words = sums;
    sums.x += count.x;
    sums.y += count.y;
  }
  const std::uint32_t counts[4] = {sums.x & 0xffff, sums.x >> 16, sums.y & 0xffff, sums.y >> 16};
  std::uint32_t start = place_overlaps(args, shared.placement, counts);
  for (int i = 0; i < 4; ++i) {
    shared.starts[4 * thread + i] = start;
    start += counts[i];
  }
  __syncthreads();
}

/// What every block of a chunk does first. False if there is nothing to do.
template <bool kIsFirstChunk>
__device__ bool begin_chunk(const BinCirclesArgs& args) {
  if (!kIsFirstChunk && args.begins_early) wait_for_kernel_in_front();
  const FrameProgress& progress = *args.progress;
  if (!kIsFirstChunk && progress.active_tiles[(args.chunk_number + 1) % 2] == 0) return false;
  // Blocks of this launch may set it; they all go on, so that `used` becomes what is needed.
  return progress.overflow == 0 || progress.overflow == args.chunk_number + 1;
}

struct FewShared {
  std::uint32_t
      active[kMacrotileSide];  // bit x of word y: later circles can still change tile (x, y)
  std::uint32_t covering[2][kTilesPerMacrotile];  // bit i of word w: circle 32·w + i of the slab
  SubtileRect rects[kFewSlabCircles];
  Placement<kFewThreads> placement;
};

/// The same as bin_circles_kernel for slabs of kFewSlabCircles: a mask of circles for each tile,
/// eight threads a circle, then two tiles a thread. Quick where every block has little to do.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kFewThreads)
    bin_few_circles_kernel(const __grid_constant__ BinCirclesArgs args) {
  constexpr int kThreadsPerCircle = kFewThreads / kFewSlabCircles;
  constexpr int kTiles = kTilesPerMacrotile / kFewThreads;  // of a thread
  static_assert(kFewSlabCircles == 64, "FewShared::covering has two words a tile");
  __shared__ FewShared shared;
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const TileGrid& grid = args.grid;
  const int thread = threadIdx.x;
  const int macrotile_x = static_cast<int>(blockIdx.y) % macrotiles_x(grid);
  const int macrotile_y = static_cast<int>(blockIdx.y) / macrotiles_x(grid);
  const std::uint32_t first_circle = blockIdx.x * kFewSlabCircles;
  if (thread < kFewSlabCircles) {
    SubtileRect subtiles = kNowhere;
    if (first_circle + thread < args.count)
      subtiles = subtile_rect(grid, load_shape(args.shapes + first_circle + thread), macrotile_x,
                              macrotile_y);
    shared.rects[thread] = subtiles;
  }
  for (int i = thread; i < 2 * kTilesPerMacrotile; i += kFewThreads) shared.covering[0][i] = 0;
  if (!kIsFirstChunk) collect_active_tiles(args, macrotile_x, macrotile_y, shared.active);
  __syncthreads();

  const int circle = thread / kThreadsPerCircle;
  const TileRect rect(shared.rects[circle]);
  for (int y = rect.y0 + thread % kThreadsPerCircle; y < rect.y0 + rect.height;
       y += kThreadsPerCircle) {
    std::uint32_t columns = columns_of(rect);
    if (!kIsFirstChunk) columns &= shared.active[y];
    for (; columns != 0; columns &= columns - 1)
      atomicOr(&shared.covering[circle / 32][y * kMacrotileSide + __ffs(columns) - 1],
               1u << circle % 32);
  }
  __syncthreads();

  std::uint32_t counts[kTiles];
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    const int tile = kTiles * thread + i;
    counts[i] = __popc(shared.covering[0][tile]) + __popc(shared.covering[1][tile]);
  }
  const std::uint32_t start = place_overlaps(args, shared.placement, counts);
  if (!shared.placement.fits) return;
  Overlap* next = args.overlaps + shared.placement.base + start;
  for (int tile = kTiles * thread; tile < kTiles * (thread + 1); ++tile) {
    for (int word = 0; word < 2; ++word) {
      for (std::uint32_t left = shared.covering[word][tile]; left != 0; left &= left - 1) {
        const int i = 32 * word + __ffs(left) - 1;
        *next++ = (first_circle + i) << kOverlapCircleShift |
                  mask_in_tile(shared.rects[i], tile % kMacrotileSide, tile / kMacrotileSide);
      }
    }
  }
}

/// Block (slab, macrotile) of 256 threads lists one slab's overlaps with the tiles of one
/// macrotile, a warp an eighth of the slab. It counts them per warp and tile, scans the counts,
/// takes room for them all at once, and goes through them again to write each to its place:
/// segments by the scan over tiles, warps inside a segment by the scan over warps, overlaps of a
/// warp in circle order. Counts [2,3,0,2] of four tiles give segments that start at [0,2,5,5] from
/// where the slab's room begins. That room may lie anywhere, so a list's order does not depend on
/// it.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kThreads)
    bin_circles_kernel(const __grid_constant__ BinCirclesArgs args) {
  __shared__ Shared shared;
  extern __shared__ SubtileRect rects[];  // [slab_circles], then sorted overlaps
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const TileGrid& grid = args.grid;
  const int macrotile_x = static_cast<int>(blockIdx.y) % macrotiles_x(grid);
  const int macrotile_y = static_cast<int>(blockIdx.y) / macrotiles_x(grid);
  for (int i = thread; i < kWarps * kTilesPerMacrotile / 2; i += kThreads) shared.counts[0][i] = 0;
  if (!kIsFirstChunk) collect_active_tiles(args, macrotile_x, macrotile_y, shared.active);
  __syncthreads();

  const int circles_per_warp = args.slab_circles / kWarps;
  const std::uint32_t first_circle = blockIdx.x * args.slab_circles + warp * circles_per_warp;
  SubtileRect* const warp_rects = rects + warp * circles_per_warp;
  std::uint32_t* const warp_counts = shared.counts[warp];
  const auto is_active = [&](int tile) {
    return kIsFirstChunk || (shared.active[tile / 32] >> tile % 32 & 1) != 0;
  };
  const auto count = [&](int tile) {
    if (is_active(tile)) atomicAdd(&warp_counts[tile / 2], 1u << (tile % 2 * 16));
  };
  const auto load = [&](int i) {
    return i < circles_per_warp && first_circle + i < args.count
               ? load_shape(args.shapes + first_circle + i)
               : Shape{0, 0, 0, 0};
  };
  Shape next = load(lane);  // a step ahead, so that its way from memory costs no time
  for (int first = 0; first < circles_per_warp; first += 32) {
    const int i = first + lane;
    const Shape shape = next;
    next = load(i + 32);
    SubtileRect subtiles = subtile_rect(grid, shape, macrotile_x, macrotile_y);
    if (!kIsFirstChunk && !touches_active_tile(TileRect(subtiles), shared.active))
      subtiles = kNowhere;
    if (i < circles_per_warp) warp_rects[i] = subtiles;
    const TileRect rect(subtiles);
    const unsigned large = __ballot_sync(kAllLanes, !rect.is_small());
    if (rect.is_small()) {
      const int tile = rect.y0 * kMacrotileSide + rect.x0;
      if (rect.width > 0) count(tile);
      if (rect.width > 1) count(tile + 1);
      if (rect.height > 1) count(tile + kMacrotileSide);
      if (rect.width > 1 && rect.height > 1) count(tile + kMacrotileSide + 1);
    }
    for (unsigned left = large; left != 0; left &= left - 1)
      for_each_tile(__shfl_sync(kAllLanes, subtiles, __ffs(left) - 1), count);
  }
  __syncthreads();
  scan_counts(args, shared);
  if (!shared.placement.fits || shared.placement.total == 0) return;

  // Where they all have a place in shared memory they are sorted there and written side by side.
  Overlap* const room = args.overlaps + shared.placement.base;
  Overlap* const sorted = shared.placement.total <= BinPolicy::sorted_overlaps(args.slab_circles)
                              ? rects + args.slab_circles
                              : room;
  std::uint16_t* const positions = shared.positions[warp];
  const auto emit = [&](int tile, std::uint32_t position, int i, std::uint32_t subtiles) {
    sorted[shared.starts[tile] + position] = (first_circle + i) << kOverlapCircleShift | subtiles;
  };
  for (int first = 0; first < circles_per_warp; first += 32) {
    const int in_group = min(32, circles_per_warp - first);
    const SubtileRect own_subtiles = lane < in_group ? warp_rects[first + lane] : kNowhere;
    const TileRect own(own_subtiles);
    if (__any_sync(kAllLanes, !own.is_small())) {
      // Circle by circle: its tiles are all different.
      for (int i = first; i < first + in_group; ++i) {
        const SubtileRect subtiles = warp_rects[i];
        for_each_tile(subtiles, [&](int tile) {
          if (is_active(tile))
            emit(tile, positions[tile]++, i,
                 mask_in_tile(subtiles, tile % kMacrotileSide, tile / kMacrotileSide));
        });
        __syncwarp();
      }
      continue;
    }
    // All circles at once, in four turns: tiles of even and odd columns and rows. In each, a circle
    // has one tile at most, and those of the same tile rank by their order.
#pragma unroll
    for (int turn = 0; turn < 4; ++turn) {
      const int x = (own.x0 + turn) & 1, y = (own.y0 + turn / 2) & 1;  // from the first tile
      const int tile = (own.y0 + y) * kMacrotileSide + own.x0 + x;
      const bool is_one = x < own.width && y < own.height && is_active(tile);
      const unsigned same_tile = __match_any_sync(kAllLanes, is_one ? tile : -1);
      const int rank = __popc(same_tile & ((1u << lane) - 1));
      std::uint32_t position = 0;
      if (is_one) position = positions[tile];
      __syncwarp();
      if (is_one) {
        if (rank == 0) positions[tile] = static_cast<std::uint16_t>(position + __popc(same_tile));
        emit(tile, position + rank, first + lane,
             mask_in_tile(own_subtiles, own.x0 + x, own.y0 + y));
      }
      __syncwarp();
    }
  }
  if (sorted == room) return;
  __syncthreads();
  for (std::uint32_t i = thread; i < shared.placement.total; i += kThreads) room[i] = sorted[i];
}

}  // namespace

void bin_circles(const BinCirclesArgs& args, cudaStream_t stream) {
  const dim3 blocks(args.num_slabs, static_cast<unsigned>(num_macrotiles(args.grid)));
  const bool is_first = args.chunk_number == 0;
  if (args.slab_circles == kFewSlabCircles) {
    const auto kernel = is_first ? bin_few_circles_kernel<true> : bin_few_circles_kernel<false>;
    launch(kernel, blocks, kFewThreads, 0, args, args.begins_early, stream);
  } else {
    const auto kernel = is_first ? bin_circles_kernel<true> : bin_circles_kernel<false>;
    const std::size_t shared_bytes =
        args.slab_circles * sizeof(SubtileRect) +
        BinPolicy::sorted_overlaps(args.slab_circles) * sizeof(Overlap);
    ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes)));
    launch(kernel, blocks, kThreads, shared_bytes, args, args.begins_early, stream);
  }
}

}  // namespace roundel::cuda
