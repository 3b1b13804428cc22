#include "renderer/pixels/pixel_to_bytes.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/tile_pixels.h"

namespace roundel::cuda {
namespace {

constexpr int kThreads = 32 * kTilesPerBin;  // a warp a tile

struct Shared {
  StagedOverlaps staged;
  std::uint32_t cell_ends[kThreads];     // running total of cell sizes, front to back
  std::uint32_t last_of_cell[kThreads];  // where a cell's front overlap stands
  std::uint32_t warp_sums[kTilesPerBin];
  std::uint32_t open_tiles;  // a bit a tile
  WarpScratch warps[kTilesPerBin];
};

/// Exclusive sum over the block's threads; `total` is the sum of all. All threads call it, and
/// synchronise before they call it again.
__device__ std::uint32_t block_exclusive_sum(std::uint32_t value, std::uint32_t* warp_sums,
                                             std::uint32_t& total) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t inclusive = warp_inclusive_sum(value);
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  std::uint32_t before = 0;
  total = 0;
  for (int w = 0; w < kTilesPerBin; ++w) {
    if (w == warp) before = total;
    total += warp_sums[w];
  }
  return before + inclusive - value;
}

/// A bin's overlaps, front to back, from its cells: those of kThreads slabs are looked up at once,
/// then copied to shared memory in portions.
class ListedOverlaps {
 public:
  __device__ ListedOverlaps(const BlendTilesArgs& args, Shared& shared, int bin_x, int bin_y)
      : args_(args),
        shared_(shared),
        cells_(args.cells + first_cell(args.grid, args.num_slabs, bin_x, bin_y)),
        slabs_left_(args.num_slabs) {}

  /// Copies the next portion and returns its size. All threads call it.
  __device__ int stage() {
    if (staged_ == total_) look_up_cells();
    const std::uint32_t first = staged_;
    staged_ = min(total_, staged_ + kStagedOverlaps);
    const int count = static_cast<int>(staged_ - first);
    if (has_small_cells_) {
      // Every thread copies its cell's.
      for (std::uint32_t i = max(cell_begin_, first); i < min(cell_begin_ + cell_.count, staged_);
           ++i)
        shared_.staged.circles[i - first] =
            args_.overlaps[cell_.start + cell_.count - 1 - (i - cell_begin_)];
      __syncthreads();
    }
    for (int i = threadIdx.x; i - static_cast<int>(threadIdx.x) < count; i += kThreads) {
      Overlap overlap = 0;
      if (i < count) overlap = has_small_cells_ ? shared_.staged.circles[i] : find(first + i);
      shared_.staged.put(i, overlap);
    }
    __syncthreads();
    return count;
  }
  __device__ bool is_at_end() const { return staged_ == total_ && slabs_left_ == 0; }

 private:
  __device__ void look_up_cells() {
    cell_ = {0, 0};
    if (threadIdx.x < slabs_left_)
      cell_ = cells_[static_cast<std::size_t>(slabs_left_ - 1 - threadIdx.x) * kWindowBins];
    slabs_left_ -= min(slabs_left_, kThreads);
    cell_begin_ = block_exclusive_sum(cell_.count, shared_.warp_sums, total_);
    shared_.cell_ends[threadIdx.x] = cell_begin_ + cell_.count;
    shared_.last_of_cell[threadIdx.x] = cell_.start + cell_.count - 1;
    staged_ = 0;
    has_small_cells_ = !__syncthreads_or(cell_.count > kSmallCell);
  }

  /// Overlap `number` of those looked up.
  __device__ Overlap find(std::uint32_t number) const {
    int slab = 0;  // the first one whose end lies behind it
    for (int step = kThreads / 2; step > 0; step /= 2)
      if (shared_.cell_ends[slab + step - 1] <= number) slab += step;
    const std::uint32_t before = slab == 0 ? 0 : shared_.cell_ends[slab - 1];
    return args_.overlaps[shared_.last_of_cell[slab] - (number - before)];
  }

  static constexpr std::uint32_t kSmallCell = 16;

  const BlendTilesArgs& args_;
  Shared& shared_;
  const Cell* cells_;
  std::uint32_t slabs_left_;
  Cell cell_{0, 0};               // the thread's
  std::uint32_t cell_begin_ = 0;  // overlaps before it
  bool has_small_cells_ = false;
  std::uint32_t staged_ = 0, total_ = 0;  // overlaps of the cells looked up
};

/// The same from the circles themselves, each of which every block looks at: quicker than lists for
/// few circles.
class FoundOverlaps {
 public:
  __device__ FoundOverlaps(const BlendTilesArgs& args, Shared& shared, int bin_x, int bin_y)
      : args_(args), shared_(shared), bin_x_(bin_x), bin_y_(bin_y), circles_left_(args.count) {}

  __device__ int stage() {
    constexpr std::uint32_t kLookedAt = 2 * kThreads;
    static_assert(kLookedAt <= kStagedOverlaps, "all may be found");
    Overlap own[2] = {0, 0};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const std::uint32_t from_front = 2 * threadIdx.x + k;
      if (from_front >= circles_left_) continue;
      const std::uint32_t circle = circles_left_ - 1 - from_front;
      const Shape shape = load_shape(args_.shapes + circle);
      if (is_far(shape)) continue;
      const std::uint32_t mask = tiles_touched(args_.grid.pixel_bounds(shape));
      own[k] = mask == 0 ? 0 : circle << kOverlapCircleShift | mask;
    }
    circles_left_ -= min(circles_left_, kLookedAt);
    std::uint32_t found;
    std::uint32_t position =
        block_exclusive_sum((own[0] != 0) + (own[1] != 0), shared_.warp_sums, found);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (own[k] != 0) shared_.staged.circles[position++] = own[k];
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i - threadIdx.x < found; i += kThreads)
      shared_.staged.put(i, i < found ? shared_.staged.circles[i] : 0);
    __syncthreads();
    return static_cast<int>(found);
  }
  __device__ bool is_at_end() const {
    return circles_left_ == 0;
  }

 private:
  /// True only for circles whose box does not touch the bin: most, and told quickly.
  __device__ bool is_far(const Shape& shape) const {
    const float half = 0.5f * static_cast<float>(kBinSize) * args_.grid.s;
    const float dx = fabsf(shape.x - static_cast<float>(2 * bin_x_ + 1) * half);
    const float dy = fabsf(shape.y - static_cast<float>(2 * bin_y_ + 1) * half);
    // The margin is more than all rounding.
    const float reach = (shape.radius + half) * (1 + 0x1p-12f);
    return fmaxf(dx, dy) * (1 - 0x1p-18f) > reach + args_.grid.s * 0.125f;
  }

  __device__ std::uint32_t tiles_touched(const PixelRect& pixels) const {
    const int x0 = max(pixels.x0 - bin_x_ * kBinSize, 0) / kTileWidth;
    const int x1 = min(pixels.x1 - bin_x_ * kBinSize, kBinSize - 1);
    const int y0 = max(pixels.y0 - bin_y_ * kBinSize, 0) / kTileHeight;
    const int y1 = min(pixels.y1 - bin_y_ * kBinSize, kBinSize - 1);
    if (pixels.empty() || x1 < 0 || y1 < 0 || x0 > 1 || y0 > 3) return 0;
    const std::uint32_t columns = (x0 == 0 ? 0x55 : 0) | (x1 >= kTileWidth ? 0xaa : 0);
    return columns & ((4u << 2 * (y1 / kTileHeight)) - (1u << 2 * y0));
  }

  const BlendTilesArgs& args_;
  Shared& shared_;
  int bin_x_, bin_y_;
  std::uint32_t circles_left_;
};

/// Block (bin) of 256 threads finishes, or carries on to the next chunk, 32 × 32 pixels: a warp a
/// tile of 16 × 8, four pixels a lane. Every pixel is one thread's alone, and its circles come in
/// list order, so its bits do not depend on the launch.
template <class Overlaps>
__global__ void __launch_bounds__(kThreads, 4)
    blend_tiles_kernel(const __grid_constant__ BlendTilesArgs args) {
  __shared__ Shared shared;
  FrameProgress& progress = *args.progress;
  if (progress.overflow != 0) return;
  const TileGrid& grid = args.grid;
  const int bin_x = blockIdx.x, bin_y = blockIdx.y;
  const int bin = bin_y * grid.bins_x + bin_x;
  if (bin == 0 && threadIdx.x == 0) {
    progress.overlaps = (args.chunk_number == 0 ? 0 : progress.overlaps) + progress.listed;
    progress.chunks = (args.chunk_number == 0 ? 0 : progress.chunks) + 1;
    progress.used = progress.listed = 0;
  }
  const bool is_first_chunk = args.chunk_number == 0;
  const std::uint32_t open = is_first_chunk ? 0xff : args.open_tiles[bin];
  if (open == 0) return;
  if (threadIdx.x == 0) shared.open_tiles = 0;  // all synchronise before it is used

  const int warp = threadIdx.x / 32;
  TilePixels tile(grid, bin_x, bin_y, warp);
  bool is_done = (open >> warp & 1) == 0 || tile.is_outside(grid);
  const bool was_done = is_done;
  if (!is_done) tile.start(is_first_chunk ? nullptr : args.states, grid.width, grid.height);

  TilePainter painter{args.shapes, args.paints, args.ramp, grid, shared.warps[warp], warp};
  painter.clear();
  // So few that every tile can do with all of them.
  const bool takes_all = !args.cells && args.count <= 32;
  if (takes_all) painter.carry_all(static_cast<int>(args.count));
  Overlaps overlaps(args, shared, bin_x, bin_y);
  while (!takes_all && !overlaps.is_at_end()) {
    const int count = overlaps.stage();
    if (!is_done) is_done = painter.paint(tile, shared.staged, count);
    // Nothing is staged any more after the end: no need to wait for each other.
    if (!overlaps.is_at_end() && __syncthreads_and(is_done)) break;
  }
  if (!is_done) is_done = painter.finish(tile);

  if (!was_done) {
    if (is_done || args.is_last_chunk)
      tile.write(args);
    else
      tile.carry(args.states, grid.width, grid.height);
  }
  if (!args.is_last_chunk) {
    __syncthreads();
    if (threadIdx.x % 32 == 0 && !is_done) atomicOr(&shared.open_tiles, 1u << warp);
    __syncthreads();
    if (threadIdx.x == 0) {
      args.open_tiles[bin] = static_cast<std::uint8_t>(shared.open_tiles);
      if (shared.open_tiles != 0) atomicAdd(&progress.open_bins[args.chunk_number % 2], 1);
    }
  }
}

__global__ void fill_background_kernel(const BackgroundRows rows, float4* background) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows.height) return;
  const Color color = rows.row(row);
  background[row] = {color.red, color.green, color.blue, 0};
}

}  // namespace

void fill_background(const BackgroundRows& rows, float4* background, cudaStream_t stream) {
  const int blocks = (rows.height + kThreads - 1) / kThreads;
  fill_background_kernel<<<blocks, kThreads, 0, stream>>>(rows, background);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

void blend_tiles(const BlendTilesArgs& args, cudaStream_t stream) {
  const auto kernel =
      args.cells ? blend_tiles_kernel<ListedOverlaps> : blend_tiles_kernel<FoundOverlaps>;
  const dim3 blocks(static_cast<unsigned>(args.grid.bins_x),
                    static_cast<unsigned>(args.grid.bins_y));
  kernel<<<blocks, kThreads, 0, stream>>>(args);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace roundel::cuda
