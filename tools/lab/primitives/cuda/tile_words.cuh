#pragma once
#include <cuda/atomic>

#include <cstdint>

namespace roundel::primitives::cuda_kernels {

/// A tile's message to the later tiles, in one word of 64 bits, which needs no fence: below a sum
/// modulo 2³², above it the launch and the kind. A word of an earlier launch counts as unwritten,
/// so that launches need no clearing.
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

}  // namespace roundel::primitives::cuda_kernels
