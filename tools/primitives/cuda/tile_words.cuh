#pragma once
#include <cuda/atomic>

#include <cstdint>

namespace roundel::primitives::cuda_kernels {

/// What a tile tells the tiles behind it, in one word of 64 bits, so that no fence is needed: a sum
/// modulo 2³² below, above it which launch wrote it and what it is. A word of an earlier launch
/// counts as not written: nothing has to be cleared between launches.
enum WordKind : std::uint32_t { kAggregate = 1, kInclusive = 2 };

using TileWord = unsigned long long;

/// `launch` counts from 1, below 2³⁰; the words' memory starts out as zeros.
__device__ inline TileWord tile_word(std::uint32_t launch, WordKind kind, std::uint32_t sum) {
  return (static_cast<TileWord>(launch << 2 | kind) << 32) | sum;
}
__device__ inline bool is_written(TileWord word, std::uint32_t launch) {
  return static_cast<std::uint32_t>(word >> 34) == launch;
}
__device__ inline bool is_inclusive(TileWord word) {
  return (word >> 32 & 3) == kInclusive;
}
__device__ inline std::uint32_t sum_in(TileWord word) {
  return static_cast<std::uint32_t>(word);
}

using AtomicTileWord = ::cuda::atomic_ref<TileWord, ::cuda::thread_scope_device>;

__device__ inline void publish(TileWord* words, std::uint64_t tile, TileWord word) {
  AtomicTileWord(words[tile]).store(word, ::cuda::memory_order_relaxed);
}
__device__ inline TileWord read_word(TileWord* words, std::uint64_t tile) {
  return AtomicTileWord(words[tile]).load(::cuda::memory_order_relaxed);
}

/// Counters and sums that every launch leaves as zeros for the next one.
struct Totals {
  unsigned long long sum;  ///< of all blocks that are done, modulo 2⁶⁴
  unsigned int blocks;     ///< that are done
  unsigned int tickets;    ///< tiles that have been taken
};

/// One thread of each block calls it, at last: adds to the total, which the last block writes out.
__device__ inline void add_to_total(Totals* totals, std::int64_t sum, std::int64_t* total) {
  atomicAdd(&totals->sum, static_cast<unsigned long long>(sum));
  __threadfence();  // the sum is seen by whoever sees this block counted
  if (atomicInc(&totals->blocks, gridDim.x - 1) == gridDim.x - 1) {
    __threadfence();
    *total = static_cast<std::int64_t>(atomicExch(&totals->sum, 0ULL));
  }
}

}  // namespace roundel::primitives::cuda_kernels
