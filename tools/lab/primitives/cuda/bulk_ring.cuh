#pragma once
#include <cuda/ptx>

#include <cstdint>

#include "tools/lab/primitives/cuda/block_total.cuh"
#include "tools/lab/primitives/cuda/tile_words.cuh"
#include "tools/lab/primitives/cuda/warp.cuh"

namespace roundel::primitives::cuda_kernels {

/// Parts of the single-pass kernels for large n: persistent blocks, one or a few a multiprocessor,
/// take tile b, b + G, b + 2G, … of G blocks. The warps of a block have roles, and hand the stages
/// of a ring in shared memory to each other by barriers (mbarrier):
///
/// - One loader copies tiles into all free stages ahead by 1-D bulk copies (the copy engine, TMA),
///   which need no registers and no instruction a word.
/// - A few reducers sum (or count in) each segment of a tile, and publish the tile's aggregate.
/// - One look-ahead warp adds up the aggregates of the tiles since this block's last one. Only
///   aggregates are published: no tile waits for another one's prefix, so there is no chain through
///   the grid, unlike decoupled look-back. With two blocks and aggregates [5, 2, 7, 1], the first
///   block's prefixes are 0 and 0 + (5 + 2) = 7, the second one's 5 and 5 + (2 + 7) = 14.
/// - The writers scan or select a segment each, in place, and write it out.
///
/// After the single-pass scan of NVIDIA's CCCL for Hopper and newer, and Merrill & Garland 2016.
/// All blocks must be resident at once: launch cooperatively.
namespace ptx = ::cuda::ptx;

/// Named tuning values of a kernel on the ring.
template <int Segment, int Writers, int Reducers, int Stages, int BlocksPerProcessor,
          int OverCopied = 0>
struct RingPolicy {
  static constexpr int kSegment = Segment;    ///< elements of a writing warp
  static constexpr int kWriters = Writers;    ///< warps
  static constexpr int kReducers = Reducers;  ///< warps
  static constexpr int kStages = Stages;      ///< tiles in shared memory
  static constexpr int kBlocksPerProcessor = BlocksPerProcessor;
  static constexpr int kOverCopied = OverCopied;  ///< elements of the next tile in a stage

  static constexpr int kRows = kSegment / (4 * kWarp);  ///< rows of 128 elements: an int4 a lane
  static constexpr int kTile = kSegment * kWriters;
  static constexpr int kStage = kTile + kOverCopied;
  static constexpr int kThreads = (2 + kReducers + kWriters) * kWarp;
  static constexpr int kSharedBytes = kStages * kStage * static_cast<int>(sizeof(std::int32_t));
  static_assert(kSegment % (4 * kWarp) == 0, "a lane takes four elements at a time");
  static_assert(kWriters <= kWarp, "a lane for the sum of each segment");
  static_assert(kThreads <= 1024, "of a block");
  static_assert(kStages >= 2, "a stage is handed back when the next one has been written");
  static_assert(kOverCopied % 4 == 0, "stages lie at multiples of 16 bytes");
};

/// The arguments that all kernels on the ring share.
struct RingArgs {
  const std::int32_t* in;  ///< [n], aligned to 16 bytes
  std::uint64_t n;         ///< > 0
  std::int64_t* total;     ///< [1]: total of the sums or counts
  TileWord* words;         ///< [tiles]
  Totals* totals;          ///< [1]
  std::uint32_t launch;
};

template <typename Policy>
__host__ __device__ std::uint64_t tiles_of(const RingArgs& args) {
  return (args.n + Policy::kTile - 1) / Policy::kTile;
}
/// Returns the number of elements from the tile's begin on, at most `limit`.
template <typename Policy>
__device__ int elements_of(const RingArgs& args, std::uint64_t tile, int limit) {
  const std::uint64_t rest = args.n - tile * Policy::kTile;
  return rest < static_cast<std::uint64_t>(limit) ? static_cast<int>(rest) : limit;
}

/// Barriers of one stage, in shared memory.
struct StageBarriers {
  std::uint64_t full;    ///< the tile has arrived
  std::uint64_t summed;  ///< the segments' sums are ready
  std::uint64_t ready;   ///< the tile's prefix is ready
  std::uint64_t empty;   ///< the writers have finished
};

/// All lanes of a warp wait, and continue together: a late lane could miss the phase after the
/// others advance the barrier.
__device__ inline void wait(std::uint64_t& barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
  }
  __syncwarp();
}
__device__ inline void arrive(std::uint64_t& barrier) {
  ptx::mbarrier_arrive(&barrier);
}
/// A barrier of `threads` threads of the block, all with one role. `id` from 1 to 15.
__device__ inline void role_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Shared memory beside the stages.
template <typename Policy>
struct Ring {
  StageBarriers barriers[Policy::kStages];
  std::uint32_t segment_sums[Policy::kStages][Policy::kWriters];
  std::uint32_t prefixes[Policy::kStages];  ///< prefixes of whole tiles
  std::int64_t reducer_totals[Policy::kReducers];

  /// All threads of the block call it.
  __device__ void start() {
    if (threadIdx.x == 0) {
      for (StageBarriers& stage : barriers) {
        ptx::mbarrier_init(&stage.full, kWarp);
        ptx::mbarrier_init(&stage.summed, Policy::kReducers * kWarp);
        ptx::mbarrier_init(&stage.ready, 1);
        ptx::mbarrier_init(&stage.empty, Policy::kWriters);
      }
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);  // for the copy engine
    }
    __syncthreads();
  }
};

/// A block's walk over its tiles and stages.
template <typename Policy>
struct RingPosition {
  std::uint64_t tile = blockIdx.x;
  int stage = 0;
  unsigned parity = 0;     ///< parity of the stage's barriers, except `empty`
  bool is_refill = false;  ///< the stage was used before

  __device__ void advance() {
    tile += gridDim.x;
    if (++stage < Policy::kStages) return;
    stage = 0;
    parity ^= 1;
    is_refill = true;
  }
  /// Waits until the writers have left the stage.
  __device__ void wait_until_empty(Ring<Policy>& ring) const {
    if (is_refill) wait(ring.barriers[stage].empty, parity ^ 1);
  }
};

/// The loader warp: copies tiles, and zeros after the last element.
template <typename Policy>
__device__ void load_tiles(Ring<Policy>& ring, std::int32_t* stages, const RingArgs& args) {
  const std::uint64_t tiles = tiles_of<Policy>(args);
  for (RingPosition<Policy> position; position.tile < tiles; position.advance()) {
    position.wait_until_empty(ring);
    std::int32_t* const stage = stages + position.stage * Policy::kStage;
    const std::int32_t* const from = args.in + position.tile * Policy::kTile;
    const int count = elements_of<Policy>(args, position.tile, Policy::kStage);
    const int copied = count / 4 * 4;  // the engine copies 16 bytes at a time
    for (int i = copied + lane_id(); i < Policy::kStage; i += kWarp)
      stage[i] = i < count ? from[i] : 0;
    std::uint64_t* const full = &ring.barriers[position.stage].full;
    if (lane_id() != 0) {
      arrive(*full);
      continue;
    }
    const auto bytes = static_cast<std::uint32_t>(copied * sizeof(std::int32_t));
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full,
                                   bytes);
    if (bytes > 0)
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage, from, bytes, full);
  }
}

/// Returns the sum of the aggregates of tiles [first, end), waiting for each.
__device__ inline std::uint32_t sum_of_aggregates(TileWord* words, std::uint64_t first,
                                                  std::uint64_t end, std::uint32_t launch) {
  constexpr int kAtOnce = 5;  // words in flight a lane: 160 tiles, more than a round of blocks
  std::uint32_t sum = 0;
  for (std::uint64_t begin = first + static_cast<std::uint64_t>(lane_id()); begin < end;
       begin += kAtOnce * kWarp) {
    TileWord read[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      read[i] = begin + i * kWarp < end ? read_word(words, begin + i * kWarp) : 0;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (begin + i * kWarp >= end) break;
      while (!is_written(read[i], launch)) read[i] = read_word(words, begin + i * kWarp);
      sum += sum_in(read[i]);
    }
  }
  return warp_sum(sum);
}

template <typename Policy>
__device__ void look_ahead(Ring<Policy>& ring, const RingArgs& args) {
  const std::uint64_t tiles = tiles_of<Policy>(args);
  std::uint32_t prefix = 0;
  std::uint64_t first = 0;
  for (RingPosition<Policy> position; position.tile < tiles; position.advance()) {
    prefix += sum_of_aggregates(args.words, first, position.tile, args.launch);
    first = position.tile;
    position.wait_until_empty(ring);
    if (lane_id() == 0) {
      ring.prefixes[position.stage] = prefix;
      arrive(ring.barriers[position.stage].ready);
    }
  }
}

/// The reducing warp number `reducer`. `sum_segment(stage, tile, segment)` returns the sum of a
/// segment modulo 2³² in every lane; `total` is this lane's part of the block's total, which it
/// adds to.
template <typename Policy, typename SumSegment>
__device__ void reduce_tiles(Ring<Policy>& ring, const RingArgs& args, int reducer,
                             std::int64_t& total, const SumSegment& sum_segment) {
  const std::uint64_t tiles = tiles_of<Policy>(args);
  for (RingPosition<Policy> position; position.tile < tiles; position.advance()) {
    const int stage = position.stage;
    wait(ring.barriers[stage].full, position.parity);
    for (int segment = reducer; segment < Policy::kWriters; segment += Policy::kReducers) {
      const std::uint32_t sum = sum_segment(stage, position.tile, segment);
      if (lane_id() == 0) ring.segment_sums[stage][segment] = sum;
    }
    role_barrier(1, Policy::kReducers * kWarp);
    if (reducer == 0) {
      const std::uint32_t aggregate =
          warp_sum(lane_id() < Policy::kWriters ? ring.segment_sums[stage][lane_id()] : 0U);
      if (lane_id() == 0)
        publish(args.words, position.tile, tile_word(args.launch, kAggregate, aggregate));
    }
    arrive(
        ring.barriers[stage].summed);  // after each lane's reads, since writers overwrite the stage
  }
  total = warp_sum(total);
  if (lane_id() == 0) ring.reducer_totals[reducer] = total;
  role_barrier(1, Policy::kReducers * kWarp);
  if (reducer != 0 || lane_id() != 0) return;
  for (int other = 1; other < Policy::kReducers; ++other) total += ring.reducer_totals[other];
  add_to_total(args.totals, total, args.total);
}

/// For a writing warp: waits for the segments' sums, returns the sum before its segment in the
/// tile.
template <typename Policy>
__device__ std::uint32_t sum_before_segment(Ring<Policy>& ring,
                                            const RingPosition<Policy>& position, int segment) {
  wait(ring.barriers[position.stage].full, position.parity);
  wait(ring.barriers[position.stage].summed, position.parity);
  return warp_sum(lane_id() < segment ? ring.segment_sums[position.stage][lane_id()] : 0U);
}

}  // namespace roundel::primitives::cuda_kernels
