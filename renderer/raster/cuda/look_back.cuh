#pragma once
#include <cstdint>

#include "renderer/raster/cuda/warp.cuh"

/// Single-pass scan over a kernel's blocks, by decoupled look-back (Merrill & Garland 2016).
namespace roundel::cuda {

/// Status of a block's word, below its number: one word, so that nothing needs ordering; 0 until it
/// is published.
enum class ScanStatus : std::uint32_t { kNothing = 0, kAggregate = 1, kInclusive = 2 };

inline __device__ void publish(std::uint64_t* word, ScanStatus status, std::uint64_t value) {
  *reinterpret_cast<volatile std::uint64_t*>(word) =
      value << 2 | static_cast<std::uint32_t>(status);
}

/// Returns the sum of all blocks' totals before `block`, and publishes it. One warp of each block
/// calls it, once; `words` [blocks] are 0 before the kernel. Blocks start in order, so earlier ones
/// run or are done. Each lane polls kWords blocks at a time, back to the nearest inclusive sum.
template <int kWords = 4>
__device__ std::uint64_t look_back(std::uint64_t* words, int block, std::uint64_t total) {
  constexpr auto kInclusive = static_cast<std::uint32_t>(ScanStatus::kInclusive);
  if (lane() == 0)
    publish(words + block, block == 0 ? ScanStatus::kInclusive : ScanStatus::kAggregate, total);
  std::uint64_t before = 0;
  for (int nearest = block - 1; nearest >= 0; nearest -= 32 * kWords) {
    std::uint64_t found[kWords];
    bool is_missing = true;
    while (__any_sync(kAllLanes, is_missing)) {
      is_missing = false;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const int other = nearest - lane() - 32 * k;
        found[k] = other < 0 ? kInclusive  // before the first one
                             : *reinterpret_cast<volatile std::uint64_t*>(words + other);
      }
#pragma unroll
      for (int k = 0; k < kWords; ++k) is_missing |= found[k] == 0;
    }
    std::uint64_t sum = 0;
    bool is_known = false;
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      if (is_known) break;
      const unsigned knowing = __ballot_sync(kAllLanes, (found[k] & 3) == kInclusive);
      is_known = knowing != 0;
      if (lane() <= (is_known ? __ffs(knowing) - 1 : 31)) sum += found[k] >> 2;
    }
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_down_sync(kAllLanes, sum, distance);
    before += __shfl_sync(kAllLanes, sum, 0);
    if (is_known) break;
  }
  if (lane() == 0 && block > 0) publish(words + block, ScanStatus::kInclusive, before + total);
  return before;
}

}  // namespace roundel::cuda
