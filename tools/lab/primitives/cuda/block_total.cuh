#pragma once
#include <cstdint>

#include "tools/lab/primitives/cuda/warp.cuh"

namespace roundel::primitives::cuda_kernels {

/// Counters and sums that every launch resets to zero for the next one.
struct Totals {
  unsigned long long sum;  ///< total of the finished blocks, modulo 2⁶⁴
  unsigned int blocks;     ///< finished
  unsigned int tickets;    ///< taken tiles
};

/// Called last, by one thread of each block: adds to the total, which the last block writes out.
__device__ inline void add_to_total(Totals* totals, std::int64_t sum, std::int64_t* total) {
  atomicAdd(&totals->sum, static_cast<unsigned long long>(sum));
  __threadfence();  // the sum becomes visible before the block is counted
  if (atomicInc(&totals->blocks, gridDim.x - 1) == gridDim.x - 1) {
    __threadfence();
    *total = static_cast<std::int64_t>(atomicExch(&totals->sum, 0ULL));
  }
}

/// Returns the sum of the threads' values in the first thread. All threads of the block call it,
/// once.
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

/// Adds the block's sum to the total; the last block writes `total`.
template <int kThreads>
__device__ void add_block_to_total(Totals* totals, std::int64_t value, std::int64_t* total) {
  const std::int64_t sum = block_total<kThreads>(value);
  if (threadIdx.x == 0) add_to_total(totals, sum, total);
}

}  // namespace roundel::primitives::cuda_kernels
