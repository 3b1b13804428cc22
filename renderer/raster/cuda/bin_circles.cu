#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/warp.h"

namespace roundel::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
static_assert(kWindowBins == 4 * kThreads, "a thread sums up four bins");
static_assert(kMostSlabCircles < 1u << 16, "a slab's counts have 16 bits");

/// The tiles of a window that a circle's pixels may lie in, ends included, in one word: x0 and x1
/// with 6 bits, y0 and y1 with 7. kNowhere if there are none.
using TileRect = std::uint32_t;
constexpr TileRect kNowhere = ~TileRect{0};

/// Where a slab's overlaps go: shared by the threads of a block.
struct Room {
  std::uint32_t warp_sums[kWarps];
  unsigned long long base;
  std::uint32_t total;
  bool fits;
};

/// Overlaps of a slab that shared memory has a place for, to sort them there.
__host__ __device__ constexpr std::uint32_t sorted_overlaps(std::uint32_t slab_circles) {
  return slab_circles + slab_circles / 4;
}

struct Shared {
  union {
    std::uint32_t counts[kWarps][kWindowBins / 2];  // two bins a word, 16 bits each
    std::uint16_t positions[kWarps][kWindowBins];   // then the same, summed up over the warps
  };
  std::uint32_t starts[kWindowBins];  // of the slab's cells, from the slab's first entry
  std::uint32_t open[kWindowSide];    // bit x of word y: bin (x, y) is not finished
  Room room;
};

__device__ TileRect tile_rect(const TileGrid& grid, const Shape& shape, int window_x,
                              int window_y) {
  constexpr int kTilesX = kWindowSide * kBinSize / kTileWidth;
  constexpr int kTilesY = kWindowSide * kBinSize / kTileHeight;
  static_assert(kTilesX == 64 && kTilesY == 128, "TileRect's bits");
  const PixelRect pixels = grid.pixel_bounds(shape);
  const int x0 = max(pixels.x0 / kTileWidth - window_x * kTilesX, 0);
  const int x1 = min(pixels.x1 / kTileWidth - window_x * kTilesX, kTilesX - 1);
  const int y0 = max(pixels.y0 / kTileHeight - window_y * kTilesY, 0);
  const int y1 = min(pixels.y1 / kTileHeight - window_y * kTilesY, kTilesY - 1);
  if (pixels.empty() || x0 > x1 || y0 > y1) return kNowhere;
  return x0 | x1 << 6 | y0 << 12 | y1 << 19;
}

/// A rectangle of bins (kBinSize × kBinSize pixels, 2 × 4 tiles).
struct BinRect {
  int x0, y0, width, height;

  __device__ explicit BinRect(TileRect tiles)
      : x0((tiles & 63) >> 1),
        y0((tiles >> 12 & 127) >> 2),
        width(tiles == kNowhere ? 0 : ((tiles >> 6 & 63) >> 1) - x0 + 1),
        height(tiles == kNowhere ? 0 : ((tiles >> 19 & 127) >> 2) - y0 + 1) {}
  __device__ bool is_small() const { return width <= 2 && height <= 2; }
};

/// The rectangle's tiles among those of bin (x, y) of its window, a bit a tile.
__device__ std::uint32_t tile_mask(TileRect tiles, int x, int y) {
  const int x0 = tiles & 63, x1 = tiles >> 6 & 63, y0 = tiles >> 12 & 127, y1 = tiles >> 19 & 127;
  const std::uint32_t columns = (x0 <= 2 * x ? 0x55 : 0) | (x1 > 2 * x ? 0xaa : 0);
  const int first = max(y0 - 4 * y, 0), last = min(y1 - 4 * y, 3);
  return columns & ((4u << 2 * last) - (1u << 2 * first));
}

/// Calls visit(bin) for the bins of a circle that is the same in all lanes, a lane a bin.
template <class Visit>
__device__ void for_each_bin(TileRect tiles, Visit&& visit) {
  const BinRect rect(tiles);
  for (int i = threadIdx.x % 32; i < rect.width * rect.height; i += 32) {
    // Exact: both are whole and below 2^20, and the half keeps the quotient off whole numbers.
    const int row =
        static_cast<int>(__fdividef(static_cast<float>(i) + 0.5f, static_cast<float>(rect.width)));
    visit((rect.y0 + row) * kWindowSide + rect.x0 + (i - row * rect.width));
  }
}

/// Which bins of a window can still change: a word a row.
__device__ void find_open_bins(const BinCirclesArgs& args, int window_x, int window_y,
                               std::uint32_t (&open)[kWindowSide]) {
  static_assert(kWindowSide == 32, "a lane a column");
  const int x = window_x * kWindowSide + static_cast<int>(threadIdx.x) % 32;
  for (int row = threadIdx.x / 32; row < kWindowSide; row += kWarps) {
    const int y = window_y * kWindowSide + row;
    const bool is_open = x < args.grid.bins_x && y < args.grid.bins_y &&
                         args.open_tiles[y * args.grid.bins_x + x] != 0;
    const std::uint32_t bits = __ballot_sync(kAllLanes, is_open);
    if (threadIdx.x % 32 == 0) open[row] = bits;
  }
}

/// A bit a column; not for empty rectangles.
__device__ std::uint32_t columns_of(const BinRect& rect) {
  return ~0u >> (32 - rect.width) << rect.x0;
}

__device__ bool touches_open_bin(const BinRect& rect, const std::uint32_t (&open)[kWindowSide]) {
  const std::uint32_t columns = columns_of(rect);
  for (int y = 0; y < rect.height; ++y)
    if (open[rect.y0 + y] & columns) return true;
  return false;
}

/// Takes room for a slab's overlaps and writes its cells: thread t has bins 4·t to 4·t + 3 with
/// these counts. Returns where its first one starts in the slab's room. All threads call it; false
/// in room.fits if there was not enough.
__device__ std::uint32_t take_room(const BinCirclesArgs& args, Room& room,
                                   const std::uint32_t (&counts)[4]) {
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const std::uint32_t sum = counts[0] + counts[1] + counts[2] + counts[3];
  const std::uint32_t inclusive = warp_inclusive_sum(sum);
  if (lane == 31) room.warp_sums[warp] = inclusive;
  __syncthreads();
  std::uint32_t before = 0, total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total += room.warp_sums[w];
  }
  if (thread == 0) {
    const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
    room.base = block * args.own_room;
    room.total = total;
    room.fits = true;
    if (total > args.own_room) {
      const std::uint64_t taken = atomicAdd(&args.progress->used, total);
      room.base = static_cast<std::uint64_t>(gridDim.x) * gridDim.y * args.own_room + taken;
      room.fits = taken + total <= args.shared_room;
      if (!room.fits) args.progress->overflow = args.chunk_number + 1;
    }
    if (total > 0) atomicAdd(&args.progress->listed, total);
  }
  __syncthreads();
  const std::uint32_t first = before + inclusive - sum;
  if (!room.fits) return first;
  std::uint32_t start = static_cast<std::uint32_t>(room.base) + first;
  Cell* const cells =
      args.cells +
      (static_cast<std::size_t>(blockIdx.y) * args.num_slabs + blockIdx.x) * kWindowBins;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    cells[4 * thread + i] = {start, counts[i]};
    start += counts[i];
  }
  return first;
}

/// Turns the warps' counts into each warp's first position in a cell, and the cells' sums into
/// cells.
__device__ void scan_counts(const BinCirclesArgs& args, Shared& shared) {
  const int thread = threadIdx.x;
  uint2 sums{0, 0};  // of four bins, 16 bits each
  for (int w = 0; w < kWarps; ++w) {
    uint2& words = reinterpret_cast<uint2*>(shared.counts[w])[thread];
    const uint2 count = words;
    words = sums;
    sums.x += count.x;
    sums.y += count.y;
  }
  const std::uint32_t counts[4] = {sums.x & 0xffff, sums.x >> 16, sums.y & 0xffff, sums.y >> 16};
  std::uint32_t start = take_room(args, shared.room, counts);
  for (int i = 0; i < 4; ++i) {
    shared.starts[4 * thread + i] = start;
    start += counts[i];
  }
  __syncthreads();
}

/// What every block of a chunk does first. False if there is nothing to do.
template <bool kIsFirstChunk>
__device__ bool begin_chunk(const BinCirclesArgs& args) {
  FrameProgress& progress = *args.progress;
  const bool is_first_thread = blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0;
  if (is_first_thread) progress.open_bins[args.chunk_number % 2] = 0;
  if (!kIsFirstChunk && progress.open_bins[(args.chunk_number + 1) % 2] == 0) return false;
  // Blocks of this launch may set it; they all go on, so that `used` becomes what is needed.
  return progress.overflow == 0 || progress.overflow == args.chunk_number + 1;
}

struct FewShared {
  std::uint32_t open[kWindowSide];  // bit x of word y: later circles can still change bin (x, y)
  std::uint32_t covering[2][kWindowBins];  // bit i of word w: circle 32·w + i of the slab
  TileRect rects[kFewSlabCircles];
  Room room;
};

/// The same as bin_circles_kernel for slabs of kFewSlabCircles: a mask of circles for each bin,
/// four threads a circle, then four bins a thread. Quick where every block has little to do.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kThreads)
    bin_few_circles_kernel(const __grid_constant__ BinCirclesArgs args) {
  static_assert(kThreads == 4 * kFewSlabCircles && kFewSlabCircles == 64);
  __shared__ FewShared shared;
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const TileGrid& grid = args.grid;
  const int thread = threadIdx.x;
  const int window_x = static_cast<int>(blockIdx.y) % windows_x(grid);
  const int window_y = static_cast<int>(blockIdx.y) / windows_x(grid);
  const std::uint32_t first_circle = blockIdx.x * kFewSlabCircles;
  if (thread < kFewSlabCircles) {
    TileRect tiles = kNowhere;
    if (first_circle + thread < args.count)
      tiles = tile_rect(grid, load_shape(args.shapes + first_circle + thread), window_x, window_y);
    shared.rects[thread] = tiles;
  }
  for (int i = thread; i < 2 * kWindowBins; i += kThreads) shared.covering[0][i] = 0;
  if (!kIsFirstChunk) find_open_bins(args, window_x, window_y, shared.open);
  __syncthreads();

  const int circle = thread / 4;
  const BinRect rect(shared.rects[circle]);
  for (int y = rect.y0 + thread % 4; y < rect.y0 + rect.height; y += 4) {
    std::uint32_t columns = columns_of(rect);
    if (!kIsFirstChunk) columns &= shared.open[y];
    for (; columns != 0; columns &= columns - 1)
      atomicOr(&shared.covering[circle / 32][y * kWindowSide + __ffs(columns) - 1],
               1u << circle % 32);
  }
  __syncthreads();

  std::uint32_t counts[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int bin = 4 * thread + i;
    counts[i] = __popc(shared.covering[0][bin]) + __popc(shared.covering[1][bin]);
  }
  const std::uint32_t start = take_room(args, shared.room, counts);
  if (!shared.room.fits) return;
  Overlap* next = args.overlaps + shared.room.base + start;
  for (int bin = 4 * thread; bin < 4 * thread + 4; ++bin) {
    for (int word = 0; word < 2; ++word) {
      for (std::uint32_t left = shared.covering[word][bin]; left != 0; left &= left - 1) {
        const int i = 32 * word + __ffs(left) - 1;
        *next++ = (first_circle + i) << kOverlapCircleShift |
                  tile_mask(shared.rects[i], bin % kWindowSide, bin / kWindowSide);
      }
    }
  }
}

/// Block (slab, window) of 256 threads lists one slab's overlaps with the bins of one window, a
/// warp an eighth of the slab. It counts them per warp and bin, scans the counts, takes room for
/// them all at once, and goes through them again to write each to its place: cells by the scan over
/// bins, warps inside a cell by the scan over warps, overlaps of a warp in circle order. Counts
/// [2,3,0,2] of four bins give cells that start at [0,2,5,5] from where the slab's room begins.
/// That room may lie anywhere, so a list's order does not depend on it.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kThreads)
    bin_circles_kernel(const __grid_constant__ BinCirclesArgs args) {
  __shared__ Shared shared;
  extern __shared__ TileRect rects[];  // [slab_circles], then [sorted_overlaps(slab_circles)]
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const TileGrid& grid = args.grid;
  const int window_x = static_cast<int>(blockIdx.y) % windows_x(grid);
  const int window_y = static_cast<int>(blockIdx.y) / windows_x(grid);
  for (int i = thread; i < kWarps * kWindowBins / 2; i += kThreads) shared.counts[0][i] = 0;
  if (!kIsFirstChunk) find_open_bins(args, window_x, window_y, shared.open);
  __syncthreads();

  const int circles_per_warp = args.slab_circles / kWarps;
  const std::uint32_t first_circle = blockIdx.x * args.slab_circles + warp * circles_per_warp;
  TileRect* const warp_rects = rects + warp * circles_per_warp;
  std::uint32_t* const warp_counts = shared.counts[warp];
  const auto is_open = [&](int bin) {
    return kIsFirstChunk || (shared.open[bin / 32] >> bin % 32 & 1) != 0;
  };
  const auto count = [&](int bin) {
    if (is_open(bin)) atomicAdd(&warp_counts[bin / 2], 1u << (bin % 2 * 16));
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
    TileRect tiles = tile_rect(grid, shape, window_x, window_y);
    if (!kIsFirstChunk && !touches_open_bin(BinRect(tiles), shared.open)) tiles = kNowhere;
    if (i < circles_per_warp) warp_rects[i] = tiles;
    const BinRect rect(tiles);
    const unsigned large = __ballot_sync(kAllLanes, !rect.is_small());
    if (rect.is_small()) {
      const int bin = rect.y0 * kWindowSide + rect.x0;
      if (rect.width > 0) count(bin);
      if (rect.width > 1) count(bin + 1);
      if (rect.height > 1) count(bin + kWindowSide);
      if (rect.width > 1 && rect.height > 1) count(bin + kWindowSide + 1);
    }
    for (unsigned left = large; left != 0; left &= left - 1)
      for_each_bin(__shfl_sync(kAllLanes, tiles, __ffs(left) - 1), count);
  }
  __syncthreads();
  scan_counts(args, shared);
  if (!shared.room.fits || shared.room.total == 0) return;

  // Where they all have a place in shared memory they are sorted there and written side by side.
  Overlap* const room = args.overlaps + shared.room.base;
  Overlap* const sorted =
      shared.room.total <= sorted_overlaps(args.slab_circles) ? rects + args.slab_circles : room;
  std::uint16_t* const positions = shared.positions[warp];
  const auto emit = [&](int bin, std::uint32_t position, int i, std::uint32_t tiles) {
    sorted[shared.starts[bin] + position] = (first_circle + i) << kOverlapCircleShift | tiles;
  };
  for (int first = 0; first < circles_per_warp; first += 32) {
    const int in_group = min(32, circles_per_warp - first);
    const TileRect own_tiles = lane < in_group ? warp_rects[first + lane] : kNowhere;
    const BinRect own(own_tiles);
    if (__any_sync(kAllLanes, !own.is_small())) {
      // Circle by circle: its bins are all different.
      for (int i = first; i < first + in_group; ++i) {
        const TileRect tiles = warp_rects[i];
        for_each_bin(tiles, [&](int bin) {
          if (is_open(bin))
            emit(bin, positions[bin]++, i, tile_mask(tiles, bin % kWindowSide, bin / kWindowSide));
        });
        __syncwarp();
      }
      continue;
    }
    // All circles at once, in four turns: bins of even and odd columns and rows. In each, a circle
    // has one bin at most, and those of the same bin rank by their order.
#pragma unroll
    for (int turn = 0; turn < 4; ++turn) {
      const int x = (own.x0 + turn) & 1, y = (own.y0 + turn / 2) & 1;  // from the first bin
      const int bin = (own.y0 + y) * kWindowSide + own.x0 + x;
      const bool is_one = x < own.width && y < own.height && is_open(bin);
      const unsigned same_bin = __match_any_sync(kAllLanes, is_one ? bin : -1);
      const int rank = __popc(same_bin & ((1u << lane) - 1));
      std::uint32_t position = 0;
      if (is_one) position = positions[bin];
      __syncwarp();
      if (is_one) {
        if (rank == 0) positions[bin] = static_cast<std::uint16_t>(position + __popc(same_bin));
        emit(bin, position + rank, first + lane, tile_mask(own_tiles, own.x0 + x, own.y0 + y));
      }
      __syncwarp();
    }
  }
  if (sorted == room) return;
  __syncthreads();
  for (std::uint32_t i = thread; i < shared.room.total; i += kThreads) room[i] = sorted[i];
}

}  // namespace

void bin_circles(const BinCirclesArgs& args, cudaStream_t stream) {
  const dim3 blocks(args.num_slabs, static_cast<unsigned>(num_windows(args.grid)));
  const bool is_first = args.chunk_number == 0;
  if (args.slab_circles == kFewSlabCircles) {
    const auto kernel = is_first ? bin_few_circles_kernel<true> : bin_few_circles_kernel<false>;
    kernel<<<blocks, kThreads, 0, stream>>>(args);
  } else {
    const auto kernel = is_first ? bin_circles_kernel<true> : bin_circles_kernel<false>;
    const std::size_t shared_bytes =
        args.slab_circles * sizeof(TileRect) + sorted_overlaps(args.slab_circles) * sizeof(Overlap);
    ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes)));
    kernel<<<blocks, kThreads, shared_bytes, stream>>>(args);
  }
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace roundel::cuda
