#include <cub/block/block_scan.cuh>

#include "renderer/raster/cuda/bin_chunk.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct ListPolicy {
  static constexpr int kThreads = 512, kBlocksPerProcessor = 2;
  /// Overlaps of a slab for each thread.
  static constexpr int kLoads = 5;
  /// Maximum overlaps of a slab with a tile that a thread orders, and that a warp orders.
  static constexpr std::uint32_t kMaxThreadSegment = 16, kMaxWarpSegment = 128;
  /// Lists are uneven if the longest has this many times the mean.
  static constexpr float kUnevenRatio = 2;
};

constexpr int kThreads = ListPolicy::kThreads, kLoads = ListPolicy::kLoads;
static_assert(kTilesPerMacrotile == 2 * kThreads, "a thread has two tiles");
static_assert(kMaxSlabOverlaps == kLoads * kThreads);
// A bit for each circle of a slab, in as many words for each lane.
constexpr int kWords = (kMaxSlabCircles / 32 + 31) / 32 * 32;
static_assert(kWords <= kThreads);

using Scan = cub::BlockScan<std::uint32_t, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;

/// Classes of tiles by list length, longest first, four classes an octave.
struct TileClasses {
  static constexpr int kClasses = 128;
  std::uint32_t positions[kClasses];
  std::uint32_t longest;  // length of the longest list

  static __device__ int of(std::uint32_t count) {
    const int quarters =
        static_cast<int>(__float_as_uint(static_cast<float>(count)) >> 21) - 4 * 127;
    return kClasses - 1 - max(quarters, 0);
  }
};

/// One block orders the tiles. If lists are uneven the longest begin first, so that none is left at
/// the end; else neighbours stay together.
__device__ void order_tiles(const BinCirclesArgs& args, TileClasses& classes) {
  constexpr int kClasses = TileClasses::kClasses;
  const int thread = threadIdx.x, num_tiles = args.grid.num_tiles();
  if (thread < kClasses) classes.positions[thread] = 0;
  if (thread == 0) classes.longest = 0;
  if (args.continues_early) wait_for_previous_kernel();
  __syncthreads();
  for (int tile = thread; tile < num_tiles; tile += kThreads) {
    const std::uint32_t count = args.lists[tile].count;
    atomicAdd(&classes.positions[TileClasses::of(count)], 1);
    atomicMax(&classes.longest, count);
  }
  __syncthreads();
  const bool is_uneven = static_cast<float>(classes.longest) * static_cast<float>(num_tiles) >
                         ListPolicy::kUnevenRatio * static_cast<float>(args.progress->listed);
  if (thread < 32) {
    static_assert(kClasses == 4 * 32);
    uint4& four = reinterpret_cast<uint4*>(classes.positions)[thread];
    const std::uint32_t sum = four.x + four.y + four.z + four.w;
    const std::uint32_t before = warp_inclusive_sum(sum) - sum;
    four = {before, before + four.x, before + four.x + four.y, before + sum - four.w};
  }
  __syncthreads();
  for (int tile = thread; tile < num_tiles; tile += kThreads) {
    const std::uint32_t packed_tile = tile % args.grid.tiles_x | tile / args.grid.tiles_x << 16;
    const int tile_class = TileClasses::of(args.lists[tile].count);
    args.tile_order[is_uneven ? atomicAdd(&classes.positions[tile_class], 1) : tile] = packed_tile;
  }
}

struct Shared {
  union {
    struct {
      // Ends of the segments by tile and slab, and their offsets to the lists.
      uint4 ends[kTilesPerMacrotile], starts[kTilesPerMacrotile];
      uint2 segments[kGroupSlabs * kMaxSlabOverlaps / ListPolicy::kMaxWarpSegment];
      std::uint32_t num_segments;
      std::uint32_t circles[kWords], circles_before[kWords];
      Scan::TempStorage scan;
      // Overlaps by tile and slab. Last, because a block may have less memory.
      SlabOverlap overlaps[kGroupSlabs * kMaxSlabOverlaps];
    } sorted;
    struct {
      std::uint32_t circles[kTilesPerMacrotile];  // 32 circles, a bit each
      SubtileRect subtiles[32];                   // subtiles of these circles
      std::uint32_t active[kMacrotileSide];
    } crowded;
    TileClasses tiles;
  };
};

/// Orders a long segment: a circle's position is the number of circles in front of it. All threads
/// call it.
__device__ void order_long_segment(Shared& shared, std::uint32_t begin, std::uint32_t end) {
  auto& sorted = shared.sorted;
  const std::uint32_t thread = threadIdx.x;
  SlabOverlap own[kLoads];
  if (thread < kWords) sorted.circles[thread] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    if (begin + thread + k * kThreads >= end) continue;
    own[k] = sorted.overlaps[begin + thread + k * kThreads];
    const std::uint32_t circle = own[k] >> kSlabCircleShift;
    atomicOr(&sorted.circles[circle / 32], 1u << circle % 32);
  }
  __syncthreads();
  if (thread < 32) {
    constexpr int kOwnWords = kWords / 32;
    std::uint32_t sum = 0;
    for (int i = 0; i < kOwnWords; ++i) sum += __popc(sorted.circles[kOwnWords * thread + i]);
    std::uint32_t before = warp_inclusive_sum(sum) - sum;
    for (int i = 0; i < kOwnWords; ++i) {
      sorted.circles_before[kOwnWords * thread + i] = before;
      before += __popc(sorted.circles[kOwnWords * thread + i]);
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    if (begin + thread + k * kThreads >= end) continue;
    const std::uint32_t circle = own[k] >> kSlabCircleShift;
    const std::uint32_t in_front = sorted.circles[circle / 32] & ((1u << circle % 32) - 1);
    sorted.overlaps[begin + sorted.circles_before[circle / 32] + __popc(in_front)] = own[k];
  }
  __syncthreads();
}

/// Pairs of values to exchange if out of order: odd-even merge sort (Batcher 1968).
template <int kSize>
struct Exchanges {
  struct Pair {
    int low, high;
  };
  Pair pairs[kSize * 4];
  int count = 0;

  constexpr Exchanges() : pairs() {
    for (int part = 1; part < kSize; part *= 2)
      for (int distance = part; distance > 0; distance /= 2)
        for (int first = distance % part; first + distance < kSize; first += 2 * distance)
          for (int low = first; low < first + distance && low + distance < kSize; ++low)
            if (low / (2 * part) == (low + distance) / (2 * part))
              pairs[count++] = {low, low + distance};
  }
};

/// Orders a thread's segment of at most kSize overlaps.
template <int kSize>
__device__ void order_in_registers(SlabOverlap* segment, std::uint32_t count) {
  constexpr Exchanges<kSize> kExchanges;
  SlabOverlap own[kSize];
#pragma unroll
  for (int i = 0; i < kSize; ++i) own[i] = i < count ? segment[i] : ~0u;
#pragma unroll
  for (int i = 0; i < kExchanges.count; ++i) {
    SlabOverlap &low = own[kExchanges.pairs[i].low], &high = own[kExchanges.pairs[i].high];
    const SlabOverlap first = min(low, high);
    high = max(low, high);
    low = first;
  }
#pragma unroll
  for (int i = 0; i < kSize; ++i)
    if (i < count) segment[i] = own[i];
}

/// Orders a segment of at most kMaxWarpSegment overlaps: a position is the number of smaller
/// values.
__device__ void order_by_warp(SlabOverlap* segment, std::uint32_t count) {
  constexpr int kOwn = ListPolicy::kMaxWarpSegment / 32;
  SlabOverlap own[kOwn];
  std::uint32_t ranks[kOwn] = {};
#pragma unroll
  for (int k = 0; k < kOwn; ++k) own[k] = lane() + 32 * k < count ? segment[lane() + 32 * k] : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const SlabOverlap other = segment[i];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) ranks[k] += other < own[k];
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kOwn; ++k)
    if (lane() + 32 * k < count) segment[ranks[k]] = own[k];
  __syncwarp();
}

/// Orders a segment for each thread, except the longest. All lanes of a warp call it.
__device__ void order_segments(SlabOverlap* overlaps, std::uint32_t begin, std::uint32_t count) {
  const std::uint32_t most = warp_max(count);
  if (most <= 1) return;
  if (most <= 4) return order_in_registers<4>(overlaps + begin, count);
  if (most <= 8) return order_in_registers<8>(overlaps + begin, count);
  const bool is_long = count > ListPolicy::kMaxThreadSegment;
  order_in_registers<ListPolicy::kMaxThreadSegment>(overlaps + begin, is_long ? 0 : count);
  unsigned lanes = __ballot_sync(kAllLanes, is_long && count <= ListPolicy::kMaxWarpSegment);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int owner = __ffs(lanes) - 1;
    order_by_warp(overlaps + __shfl_sync(kAllLanes, begin, owner),
                  __shfl_sync(kAllLanes, count, owner));
  }
}

/// Starts of a tile's segments by slab: counts [2,3,1,4] from 10 on → [10,12,15,16].
__device__ uint4 starts_from(std::uint32_t first, const std::uint32_t (&counts)[kGroupSlabs],
                             int tile) {
  static_assert(kGroupSlabs == 4, "a uint4 a tile");
  const auto count = [&](int s) { return counts[s] >> 16 * tile & 0xffff; };
  uint4 starts{first, 0, 0, 0};
  starts.y = starts.x + count(0);
  starts.z = starts.y + count(1);
  starts.w = starts.z + count(2);
  return starts;
}

/// Orders a group's overlaps, except those of crowded slabs, by tile, slab and circle. `counts` are
/// the thread's two tiles', 16 bits each. Returns the total, and where the tiles begin.
__device__ std::uint32_t order_overlaps(const BinCirclesArgs& args,
                                        const OverlapRun (&runs)[kGroupSlabs],
                                        std::uint32_t (&counts)[kGroupSlabs],
                                        std::uint32_t (&begins)[2], Shared& shared) {
  const std::uint32_t thread = threadIdx.x;
  auto& sorted = shared.sorted;
  SlabOverlap own[kGroupSlabs][kLoads];  // loads all before using one
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      if (const std::uint32_t i = thread + k * kThreads; i < runs[s].count)
        own[s][k] = __ldcg(args.slab_overlaps + runs[s].start + i);
  }
  std::uint32_t sum = 0, total = 0;
#pragma unroll
  for (const std::uint32_t count : counts) sum += count;
  Scan(sorted.scan).ExclusiveSum((sum & 0xffff) + (sum >> 16), begins[0], total);
  begins[1] = begins[0] + (sum & 0xffff);
  // Starts at first; each overlap then advances its end.
#pragma unroll
  for (int t = 0; t < 2; ++t) sorted.ends[2 * thread + t] = starts_from(begins[t], counts, t);
  if (thread == 0) sorted.num_segments = 0;
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      if (thread + k * kThreads >= runs[s].count) continue;
      const std::uint32_t tile = (own[s][k] >> kSlabTileShift) % kTilesPerMacrotile;
      sorted.overlaps[atomicAdd(&sorted.ends[tile].x + s, 1)] = own[s][k];
    }
  }
  __syncthreads();
  std::uint32_t begin = begins[0];
#pragma unroll 1
  for (std::uint32_t i = 0; i < 2 * kGroupSlabs; ++i) {
    const std::uint32_t count = counts[0] & 0xffff;
    order_segments(sorted.overlaps, begin, count);
    if (count > ListPolicy::kMaxWarpSegment)
      sorted.segments[atomicAdd(&sorted.num_segments, 1)] = {begin, begin + count};
    begin += count;
    // The next slab's count, finally the second tile's.
    const std::uint32_t first = counts[0];
    counts[0] = counts[1];
    counts[1] = counts[2];
    counts[2] = counts[3];
    counts[3] = first >> 16 | first << 16;
  }
  __syncthreads();
  for (std::uint32_t i = 0; i < sorted.num_segments; ++i)
    order_long_segment(shared, sorted.segments[i].x, sorted.segments[i].y);
  return total;
}

/// Copies the overlaps to the lists, neighbours together.
__device__ void list_ordered(const BinCirclesArgs& args, const Slab& first_slab,
                             std::uint32_t total, const Shared& shared) {
  const auto& sorted = shared.sorted;
  for (std::uint32_t i = threadIdx.x; i < total; i += kThreads) {
    const SlabOverlap overlap = sorted.overlaps[i];
    const std::uint32_t tile = (overlap >> kSlabTileShift) % kTilesPerMacrotile;
    const uint4 ends = sorted.ends[tile];
    const std::uint32_t slab = (i >= ends.x) + (i >= ends.y) + (i >= ends.z);
    const int circle =
        first_slab.circle(args, slab * args.slab_circles + (overlap >> kSlabCircleShift));
    args.overlaps[(&sorted.starts[tile].x)[slab] + i] =
        static_cast<std::uint32_t>(circle) << kOverlapCircleShift | (overlap & 0xff);
  }
}

/// Lists a slab that was only counted: finds its overlaps again, 32 circles at a time.
template <bool kIsFirstChunk>
__device__ void list_crowded(const BinCirclesArgs& args, const Slab& slab, std::uint32_t first_list,
                             std::uint32_t second_list, Shared& shared) {
  std::uint32_t list_starts[2] = {first_list, second_list};
  const int thread = threadIdx.x;
  auto& crowded = shared.crowded;
  if (!kIsFirstChunk)
    collect_active_tiles(args, slab.macrotile.x, slab.macrotile.y, crowded.active);
  reinterpret_cast<uint2*>(crowded.circles)[thread] = {0, 0};
  for (std::uint32_t first = 0; first < args.slab_circles; first += 32) {
    const SubtileRect own =
        subtile_rect(args.grid, Slab::load(args, slab.circle(args, first + lane())),
                     slab.macrotile.x, slab.macrotile.y);
    if (thread < 32) crowded.subtiles[thread] = own;
    __syncthreads();
    for (int i = thread / 32; i < 32; i += kThreads / 32) {
      const TileRect rect(__shfl_sync(kAllLanes, own, i));
      for (int y = rect.y0; y < rect.y0 + rect.height; ++y)
        if (lane() >= rect.x0 && lane() < rect.x0 + rect.width &&
            (kIsFirstChunk || (crowded.active[y] >> lane() & 1) != 0))
          atomicOr(&crowded.circles[y * kMacrotileSide + lane()], 1u << i);
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int tile = 2 * thread + t;
      for (std::uint32_t left = crowded.circles[tile]; left != 0; left &= left - 1) {
        const int i = __ffs(left) - 1;
        args.overlaps[list_starts[t]++] =
            static_cast<std::uint32_t>(slab.circle(args, first + i)) << kOverlapCircleShift |
            mask_in_tile(crowded.subtiles[i], tile % kMacrotileSide, tile / kMacrotileSide);
      }
      crowded.circles[tile] = 0;
    }
    __syncthreads();
  }
}

__device__ void find_lists(const BinCirclesArgs& args, const Slab& first_slab, std::uint32_t group,
                           std::uint32_t (&list_starts)[2]) {
  const unsigned thread = threadIdx.x;
  const uint2 offsets = reinterpret_cast<const uint2*>(
      args.offsets +
      (first_slab.macrotile.number * args.num_groups() + group) * kTilesPerMacrotile)[thread];
  list_starts[0] = offsets.x;
  list_starts[1] = offsets.y;
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    const unsigned tile = 2 * thread + t;
    const int x = first_slab.macrotile.x * kMacrotileSide + static_cast<int>(tile % kMacrotileSide);
    const int y = first_slab.macrotile.y * kMacrotileSide + static_cast<int>(tile / kMacrotileSide);
    if (x < args.grid.tiles_x && y < args.grid.tiles_y)
      list_starts[t] += args.lists[y * args.grid.tiles_x + x].start;
  }
}

/// Block (group of slabs, macrotile) of 512 threads copies overlaps to the lists.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kThreads, ListPolicy::kBlocksPerProcessor)
    list_overlaps_kernel(const __grid_constant__ BinCirclesArgs args) {
  extern __shared__ char memory[];
  auto& shared = *reinterpret_cast<Shared*>(memory);
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  // From the back, since the latest counts are in the cache.
  const std::uint32_t group = gridDim.x - 1 - blockIdx.x, first_slab = group * kGroupSlabs;
  const Macrotile macrotile(blockIdx.y, blockIdx.z, gridDim.y, gridDim.z);
  if (group == args.num_groups()) {
    if (macrotile.number == 0) order_tiles(args, shared.tiles);
    return;
  }
  const int num_slabs = static_cast<int>(min(args.num_slabs - first_slab, kGroupSlabs));
  const Slab slab(args, first_slab, macrotile);
  OverlapRun runs[kGroupSlabs];
  std::uint32_t counts[kGroupSlabs];   // for the thread's two tiles, 16 bits each
  std::uint32_t ordered[kGroupSlabs];  // counts without crowded slabs
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
    runs[s] = {0, 0};
    counts[s] = 0;
    if (s >= num_slabs) continue;
    const uint2 run = __ldcg(reinterpret_cast<const uint2*>(args.slab_runs) + slab.number + s);
    runs[s] = {run.x, run.y};
    counts[s] = __ldcg(reinterpret_cast<const std::uint32_t*>(args.counts) +
                       (slab.number + s) * (kTilesPerMacrotile / 2) + threadIdx.x);
  }
  unsigned crowded = 0;
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
    const bool is_crowded = runs[s].count == kCrowded;
    ordered[s] = is_crowded ? 0 : counts[s];
    if (!is_crowded) continue;
    runs[s].count = 0;
    crowded |= 1u << s;
  }
  std::uint32_t begins[2];
  const std::uint32_t total = order_overlaps(args, runs, ordered, begins, shared);
  // Up to here the scan is not needed.
  if (args.continues_early) wait_for_previous_kernel();
  if (args.progress->overflow != 0) return;
  std::uint32_t list_starts[2];
  find_lists(args, slab, group, list_starts);
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    const uint4 starts = starts_from(begins[t], ordered, t),
                lists = starts_from(list_starts[t], counts, t);
    shared.sorted.starts[2 * threadIdx.x + t] = {lists.x - starts.x, lists.y - starts.y,
                                                 lists.z - starts.z, lists.w - starts.w};
  }
  __syncthreads();
  list_ordered(args, slab, total, shared);
  for (; crowded != 0; crowded &= crowded - 1) {
    const int s = __ffs(crowded) - 1;
    __syncthreads();  // until shared memory is free
    std::uint32_t first = list_starts[0], second = list_starts[1];
#pragma unroll
    for (int k = 0; k < kGroupSlabs; ++k) {
      if (k >= s) continue;
      first += counts[k] & 0xffff;
      second += counts[k] >> 16;
    }
    list_crowded<kIsFirstChunk>(args, Slab(args, first_slab + s, macrotile), first, second, shared);
  }
}

/// Shared memory for slabs with this many overlaps.
std::size_t needed_bytes(std::uint32_t slab_overlaps) {
  return sizeof(Shared) - kGroupSlabs * (kMaxSlabOverlaps - slab_overlaps) * sizeof(SlabOverlap);
}

}  // namespace

std::uint32_t fitting_slab_overlaps(std::size_t block_memory) {
  std::uint32_t overlaps = kMaxSlabOverlaps;
  while (overlaps > 0 && needed_bytes(overlaps) > block_memory) overlaps -= kSlabStep;
  return overlaps;
}

void list_overlaps(const BinCirclesArgs& args, cudaStream_t stream) {
  const auto kernel = args.chunk_number == 0
                          ? with_all_shared_memory<list_overlaps_kernel<true>>()
                          : with_all_shared_memory<list_overlaps_kernel<false>>();
  const std::size_t bytes = needed_bytes(args.max_slab_overlaps);
  const dim3 groups(args.num_groups() + (args.tile_order != nullptr ? 1 : 0),
                    static_cast<unsigned>(macrotiles_x(args.grid)),
                    static_cast<unsigned>(macrotiles_y(args.grid)));
  launch(kernel, groups, kThreads, bytes, args, args.continues_early, stream, args.shared_percent);
}

}  // namespace roundel::cuda
