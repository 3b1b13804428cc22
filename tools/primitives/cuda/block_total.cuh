#pragma once
#include "tools/primitives/cuda/tile_words.cuh"
#include "tools/primitives/cuda/warp.cuh"

namespace roundel::primitives::cuda_kernels {

/// The sum of the threads' values, in the first thread. All threads of the block call it, once.
template <int kThreads>
__device__ std::int64_t block_total(std::int64_t value) {
  static_assert(kThreads % kWarp == 0 && kThreads <= kWarp * kWarp);
  __shared__ std::int64_t sums[kThreads / kWarp];
  value = warp_sum(value);
  if (lane_id() == 0) sums[warp_id()] = value;
  __syncthreads();
  if (warp_id() != 0) return 0;
  return warp_sum(lane_id() < kThreads / kWarp ? sums[lane_id()] : std::int64_t{0});
}

/// Adds the block's sum to that of all blocks; the last one writes `total`.
template <int kThreads>
__device__ void add_block_to_total(Totals* totals, std::int64_t value, std::int64_t* total) {
  const std::int64_t sum = block_total<kThreads>(value);
  if (threadIdx.x == 0) add_to_total(totals, sum, total);
}

}  // namespace roundel::primitives::cuda_kernels
