#include <algorithm>

#include "renderer/raster/cuda/bin_chunk.cuh"
#include "renderer/raster/cuda/look_back.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {
namespace {

/// Threads of a block.
constexpr std::uint32_t kMaxScanThreads = 1024;

/// Called by one thread, which knows the total.
__device__ void end_scan(const BinCirclesArgs& args, std::uint64_t overlaps) {
  args.progress->listed = overlaps;
  if (overlaps > args.capacity) args.progress->overflow = args.chunk_number + 1;
}

/// Block (eight tiles of a macrotile's row), thread (a group of slabs): turns counts into the
/// numbers of overlaps in the groups in front, and writes where lists begin. Counts [2,3] and [0,2]
/// of two groups with two tiles → offsets [0,0] and [2,3], lists from [0,2].
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kMaxScanThreads)
    scan_counts_kernel(const __grid_constant__ BinCirclesArgs args) {
  constexpr int kTiles = kScannedTiles;
  static_assert(kTiles == 8, "16 bits each: a uint4");
  __shared__ std::uint32_t sums[32][kTiles + 1];  // by warp and tile
  if (args.continues_early) wait_for_previous_kernel();
  let_next_kernel_begin();
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  constexpr int kBlocks = kTilesPerMacrotile / kTiles;  // blocks of a macrotile
  const int warp = static_cast<int>(threadIdx.x / 32),
            num_warps = static_cast<int>(blockDim.x) / 32;
  const std::size_t macrotile = blockIdx.x / kBlocks;
  const std::size_t first_tile = blockIdx.x % kBlocks * kTiles;
  const std::uint32_t num_groups = args.num_groups();
  std::uint32_t carry[kTiles] = {};  // overlaps of the groups before
  uint4 slabs[kGroupSlabs];          // the next group's counts, loading ahead
  const auto load = [&](std::uint32_t group) {
#pragma unroll
    for (int k = 0; k < kGroupSlabs; ++k) {
      const std::uint32_t slab = group * kGroupSlabs + k;
      slabs[k] = slab < args.num_slabs
                     ? *reinterpret_cast<const uint4*>(
                           args.counts + (macrotile * args.num_slabs + slab) * kTilesPerMacrotile +
                           first_tile)
                     : uint4{0, 0, 0, 0};
    }
  };
  load(threadIdx.x);
  for (std::uint32_t begin = 0; begin < num_groups; begin += blockDim.x) {
    const std::uint32_t group = begin + threadIdx.x;
    uint4 words{0, 0, 0, 0};
#pragma unroll
    for (const uint4& slab : slabs)
      words = {words.x + slab.x, words.y + slab.y, words.z + slab.z, words.w + slab.w};
    if (begin + blockDim.x < num_groups) load(group + blockDim.x);
    const std::uint32_t counts[kTiles] = {words.x & 0xffff, words.x >> 16,    words.y & 0xffff,
                                          words.y >> 16,    words.z & 0xffff, words.z >> 16,
                                          words.w & 0xffff, words.w >> 16};
    std::uint32_t offsets[kTiles];
#pragma unroll
    for (int t = 0; t < kTiles; ++t) offsets[t] = warp_inclusive_sum(counts[t]);
    if (begin > 0) __syncthreads();  // until all have read the previous sums
    if (lane() == 31)
#pragma unroll
      for (int t = 0; t < kTiles; ++t) sums[warp][t] = offsets[t];
    __syncthreads();
    if (warp < kTiles) {  // a warp for each tile
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
  std::uint32_t total = 0;  // lane t: for tile t
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

}  // namespace

void scan_counts(const BinCirclesArgs& args, cudaStream_t stream) {
  const std::uint32_t threads =
      std::clamp((args.num_groups() + 31) / 32 * 32, 32U * kScannedTiles, kMaxScanThreads);
  launch(args.chunk_number == 0 ? scan_counts_kernel<true> : scan_counts_kernel<false>,
         args.num_scan_words(), static_cast<int>(threads), 0, args, args.continues_early, stream,
         args.shared_percent);
}

}  // namespace roundel::cuda
