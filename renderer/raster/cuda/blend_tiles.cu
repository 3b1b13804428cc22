#include "renderer/image/pixel_to_bytes.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel::cuda {
namespace {

using L = ScalarLanes;
using PixelState = scalar::PixelState<L>;

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
// A warp's tile: 16 × 8 pixels, a lane has one column and every second row of it.
constexpr int kTileWidth = 16, kTileHeight = 8;
constexpr int kPixelsPerLane = kTileWidth * kTileHeight / 32;
constexpr int kTilesAcross = kBlockSide / kTileWidth;
static_assert(kTilesAcross * (kBlockSide / kTileHeight) == kWarps, "a block's warps cover it");

/// Circles of a warp's batch that reach its tile, front to back.
struct Batch {
  Shape shapes[32];
  Paint paints[32];
};

/// The four pixels of a lane.
struct LanePixels {
  int x, y[kPixelsPerLane];
  PixelState state[kPixelsPerLane];

  __device__ bool all_stopped() const {
    bool stopped = true;
    for (int k = 0; k < kPixelsPerLane; ++k)
      stopped &= state[k].transmittance <= scalar::kOpaqueTransmittance;
    return stopped;
  }
};

/// Walks a bin's list from its end (the front) and composites the circles that reach the warp's
/// tile: a batch of 32 is tested by the 32 lanes, the hits go to shared memory in order, then all
/// lanes paint them. Returns when the list is done or every pixel of the tile has stopped.
__device__ void blend_list(const BlendTilesArgs& args, const std::uint32_t* begin,
                           const std::uint32_t* end, const PixelRect& tile, Batch& batch,
                           LanePixels& pixels) {
  const int lane = threadIdx.x % 32;
  const float s = args.grid.s;
  const float center_x = scalar::pixel_center<L>(static_cast<float>(pixels.x), s);
  float center_y[kPixelsPerLane];
  for (int k = 0; k < kPixelsPerLane; ++k)
    center_y[k] = scalar::pixel_center<L>(static_cast<float>(pixels.y[k]), s);

  for (; end > begin; end -= 32) {
    bool hit = false;
    Shape shape;
    std::uint32_t circle = 0;
    if (end - begin > lane) {
      circle = *(end - 1 - lane);
      shape = args.shapes[circle];
      hit = may_cover(shape, tile, s);
    }
    const std::uint32_t hits = __ballot_sync(~0u, hit);
    if (hit) {
      const int slot = __popc(hits & ((1u << lane) - 1));
      batch.shapes[slot] = shape;
      batch.paints[slot] = args.paints[circle];
    }
    __syncwarp();
    const int num_hits = __popc(hits);
    for (int i = 0; i < num_hits; ++i) {
      const Shape& front = batch.shapes[i];
      const float dx = front.x - center_x;
      for (int k = 0; k < kPixelsPerLane; ++k) {
        const float d2 = scalar::squared_distance<L>(dx, front.y - center_y[k]);
        scalar::blend_circle<L>(pixels.state[k], d2, front.radius, batch.paints[i], args.ramp);
      }
    }
    if (__all_sync(~0u, pixels.all_stopped())) return;
    __syncwarp();  // all have read the batch before it is written again
  }
}

__device__ void write_pixel(const BlendTilesArgs& args, int x, int y, PixelState state) {
  if (!args.image.alpha) scalar::add_background<L>(state, args.background.row(y));
  const Pixel pixel{state.red, state.green, state.blue,
                    args.image.alpha ? 1.0f - state.transmittance : 1.0f};
  const std::size_t width = args.grid.width;
  if (args.framebuffer) args.framebuffer[y * width + x] = pixel;
  if (args.bytes) {
    const std::size_t position = (args.grid.height - 1 - y) * width + x;
    if (args.image.alpha)
      pixel_to_rgba(pixel, args.image.blend_space, args.bytes + position * 4);
    else
      pixel_to_rgb(pixel, args.image.blend_space, args.bytes + position * 3);
  }
}

/// Block (bin, part of bin) of 256 threads finishes, or carries on to the next chunk, 32 × 32
/// pixels: a warp a tile of 16 × 8, four pixels a lane. Every pixel is one thread's alone, and its
/// circles come in list order, so its bits do not depend on the launch.
__global__ void __launch_bounds__(kThreads) blend_tiles_kernel(const BlendTilesArgs args) {
  __shared__ Batch batches[kWarps];
  const TileGrid& grid = args.grid;
  const int bin = blockIdx.x, part = blockIdx.y;
  const std::size_t block = static_cast<std::size_t>(bin) * gridDim.y + part;
  if (args.block_is_finished[block]) return;

  const int blocks_across = grid.bin_size / kBlockSide;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int x0 = bin % grid.bins_x * grid.bin_size + part % blocks_across * kBlockSide +
                 warp % kTilesAcross * kTileWidth;
  const int y0 = bin / grid.bins_x * grid.bin_size + part / blocks_across * kBlockSide +
                 warp / kTilesAcross * kTileHeight;
  const PixelRect tile{x0, y0, min(x0 + kTileWidth, grid.width) - 1,
                       min(y0 + kTileHeight, grid.height) - 1};
  LanePixels pixels;
  pixels.x = x0 + lane % kTileWidth;
  for (int k = 0; k < kPixelsPerLane; ++k) {
    const int y = pixels.y[k] = y0 + lane / kTileWidth + k * (32 / kTileWidth);
    if (pixels.x >= grid.width || y >= grid.height) {
      pixels.state[k] = {0, 0, 0, 0};  // outside the image: stopped from the start
    } else if (args.is_first_chunk) {
      pixels.state[k] = {0, 0, 0, 1};
    } else {
      const CarriedPixel carried = args.states[static_cast<std::size_t>(y) * grid.width + pixels.x];
      pixels.state[k] = {carried.red, carried.green, carried.blue, carried.transmittance};
    }
  }

  const std::uint64_t begin = args.offsets[static_cast<std::size_t>(bin) * args.num_slabs];
  const std::uint64_t end = args.offsets[static_cast<std::size_t>(bin + 1) * args.num_slabs];
  if (!tile.empty())
    blend_list(args, args.indices + begin, args.indices + end, tile, batches[warp], pixels);

  const bool finished = __syncthreads_and(pixels.all_stopped()) || args.is_last_chunk;
  for (int k = 0; k < kPixelsPerLane; ++k) {
    const int x = pixels.x, y = pixels.y[k];
    if (x >= grid.width || y >= grid.height) continue;
    const PixelState& state = pixels.state[k];
    if (finished)
      write_pixel(args, x, y, state);
    else
      args.states[static_cast<std::size_t>(y) * grid.width + x] = {state.red, state.green,
                                                                   state.blue, state.transmittance};
  }
  if (finished && threadIdx.x == 0) {
    args.block_is_finished[block] = 1;
    if (atomicSub(&args.unfinished_blocks[bin], 1) == 1) atomicSub(args.unfinished_bins, 1);
  }
}

/// A thread a bin.
__global__ void reset_progress_kernel(const BlendTilesArgs args) {
  const TileGrid& grid = args.grid;
  const int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin == 0) *args.unfinished_bins = grid.num_bins();
  if (bin >= grid.num_bins()) return;
  const int per_bin = blocks_per_bin(grid);
  const int across = grid.bin_size / kBlockSide;
  const PixelRect pixels = grid.bin_pixels(bin % grid.bins_x, bin / grid.bins_x);
  std::uint32_t unfinished = 0;
  for (int block = 0; block < per_bin; ++block) {
    const bool outside = pixels.x0 + block % across * kBlockSide > pixels.x1 ||
                         pixels.y0 + block / across * kBlockSide > pixels.y1;
    args.block_is_finished[static_cast<std::size_t>(bin) * per_bin + block] = outside;
    unfinished += outside ? 0 : 1;
  }
  args.unfinished_blocks[bin] = unfinished;
}

}  // namespace

void reset_progress(const BlendTilesArgs& args, cudaStream_t stream) {
  const unsigned blocks = (static_cast<unsigned>(args.grid.num_bins()) + kThreads - 1) / kThreads;
  reset_progress_kernel<<<blocks, kThreads, 0, stream>>>(args);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

void blend_tiles(const BlendTilesArgs& args, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(args.grid.num_bins()),
                    static_cast<unsigned>(blocks_per_bin(args.grid)));
  blend_tiles_kernel<<<blocks, kThreads, 0, stream>>>(args);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace roundel::cuda
