#include <cub/block/block_scan.cuh>

#include "renderer/raster/cuda/bin_chunk.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct ListPolicy {
  static constexpr int kThreads = 512, kBlocksPerProcessor = 2;
  /// Overlaps of a slab for each thread.
  static constexpr int kLoads = 5;
  /// Overlaps of a slab with one tile that a thread orders, and that a warp does.
  static constexpr std::uint32_t kMostOfThread = 16, kMostOfWarp = 128;
  /// Lists differ much where the longest has so many times the mean.
  static constexpr float kUneven = 2;
};

constexpr int kThreads = ListPolicy::kThreads, kLoads = ListPolicy::kLoads;
static_assert(kTilesPerMacrotile == 2 * kThreads, "a thread has two tiles");
static_assert(kMostSlabOverlaps == kLoads * kThreads);
constexpr int kWords = kMostSlabCircles / 32;  // a bit a circle of a slab

using Scan = cub::BlockScan<std::uint32_t, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;

/// Tiles by the lengths of their lists, four classes an octave, the longest first.
struct TileClasses {
  static constexpr int kClasses = 128;
  std::uint32_t places[kClasses];
  std::uint32_t longest;  // list

  static __device__ int of(std::uint32_t count) {
    const int quarters =
        static_cast<int>(__float_as_uint(static_cast<float>(count)) >> 21) - 4 * 127;
    return kClasses - 1 - max(quarters, 0);
  }
};

/// One block writes the order of the tiles: where their lists differ much, the longest are begun
/// first, so that none is left when the others are done. Elsewhere neighbours stay together.
__device__ void order_tiles(const BinCirclesArgs& args, TileClasses& classes) {
  constexpr int kClasses = TileClasses::kClasses;
  const int thread = threadIdx.x, num_tiles = args.grid.num_tiles();
  if (thread < kClasses) classes.places[thread] = 0;
  if (thread == 0) classes.longest = 0;
  if (args.continues_early) wait_for_kernel_in_front();
  __syncthreads();
  for (int tile = thread; tile < num_tiles; tile += kThreads) {
    const std::uint32_t count = args.lists[tile].count;
    atomicAdd(&classes.places[TileClasses::of(count)], 1);
    atomicMax(&classes.longest, count);
  }
  __syncthreads();
  const bool is_uneven = static_cast<float>(classes.longest) * static_cast<float>(num_tiles) >
                         ListPolicy::kUneven * static_cast<float>(args.progress->listed);
  if (thread < 32) {
    static_assert(kClasses == 4 * 32);
    uint4& four = reinterpret_cast<uint4*>(classes.places)[thread];
    const std::uint32_t sum = four.x + four.y + four.z + four.w;
    const std::uint32_t before = warp_inclusive_sum(sum) - sum;
    four = {before, before + four.x, before + four.x + four.y, before + sum - four.w};
  }
  __syncthreads();
  for (int tile = thread; tile < num_tiles; tile += kThreads) {
    const std::uint32_t place = tile % args.grid.tiles_x | tile / args.grid.tiles_x << 16;
    const int tile_class = TileClasses::of(args.lists[tile].count);
    args.tile_order[is_uneven ? atomicAdd(&classes.places[tile_class], 1) : tile] = place;
  }
}

struct Shared {
  union {
    struct {
      // Of the segments of a tile and slab: their ends, and from where in the lists they are
      // counted on.
      uint4 ends[kTilesPerMacrotile], starts[kTilesPerMacrotile];
      uint2 segments[kGroupSlabs * kMostSlabOverlaps / ListPolicy::kMostOfWarp];  // long ones
      std::uint32_t num_segments;
      std::uint32_t circles[kWords], circles_before[kWords];
      Scan::TempStorage scan;
      // Of the group, by tile and slab. Last, because a block may have less memory.
      SlabOverlap overlaps[kGroupSlabs * kMostSlabOverlaps];
    } sorted;
    struct {
      std::uint32_t circles[kTilesPerMacrotile];  // of 32, a bit each
      SubtileRect subtiles[32];                   // theirs
      std::uint32_t active[kMacrotileSide];
    } crowded;
    TileClasses tiles;
  };
};

/// Puts an ordered copy of a segment with many overlaps in its place: a circle's place is the
/// number of circles in front of it. All threads call it.
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
    static_assert(kWords == 64, "two a lane");
    const std::uint32_t first = __popc(sorted.circles[2 * thread]),
                        second = __popc(sorted.circles[2 * thread + 1]);
    const std::uint32_t before = warp_inclusive_sum(first + second) - first - second;
    sorted.circles_before[2 * thread] = before;
    sorted.circles_before[2 * thread + 1] = before + first;
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

/// Which two of kSize values are exchanged where they are out of order: odd-even merge sort
/// (Batcher 1968).
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
  SlabOverlap ones[kSize];
#pragma unroll
  for (int i = 0; i < kSize; ++i) ones[i] = i < count ? segment[i] : ~0u;
#pragma unroll
  for (int i = 0; i < kExchanges.count; ++i) {
    SlabOverlap &low = ones[kExchanges.pairs[i].low], &high = ones[kExchanges.pairs[i].high];
    const SlabOverlap first = min(low, high);
    high = max(low, high);
    low = first;
  }
#pragma unroll
  for (int i = 0; i < kSize; ++i)
    if (i < count) segment[i] = ones[i];
}

/// The same by a warp, for at most kMostOfWarp: each one's place is the number of those in front.
__device__ void order_by_warp(SlabOverlap* segment, std::uint32_t count) {
  constexpr int kOnes = ListPolicy::kMostOfWarp / 32;
  SlabOverlap ones[kOnes];
  std::uint32_t places[kOnes] = {};
#pragma unroll
  for (int k = 0; k < kOnes; ++k) ones[k] = lane() + 32 * k < count ? segment[lane() + 32 * k] : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const SlabOverlap other = segment[i];
#pragma unroll
    for (int k = 0; k < kOnes; ++k) places[k] += other < ones[k];
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kOnes; ++k)
    if (lane() + 32 * k < count) segment[places[k]] = ones[k];
  __syncwarp();
}

/// Orders a segment of each thread, those with the most excepted. All lanes of a warp call it.
__device__ void order_segments(SlabOverlap* overlaps, std::uint32_t begin, std::uint32_t count) {
  const std::uint32_t most = warp_max(count);
  if (most <= 1) return;
  if (most <= 4) return order_in_registers<4>(overlaps + begin, count);
  if (most <= 8) return order_in_registers<8>(overlaps + begin, count);
  const bool is_long = count > ListPolicy::kMostOfThread;
  order_in_registers<ListPolicy::kMostOfThread>(overlaps + begin, is_long ? 0 : count);
  unsigned lanes = __ballot_sync(kAllLanes, is_long && count <= ListPolicy::kMostOfWarp);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int one = __ffs(lanes) - 1;
    order_by_warp(overlaps + __shfl_sync(kAllLanes, begin, one),
                  __shfl_sync(kAllLanes, count, one));
  }
}

/// The numbers of a tile's segments, of one slab after the other, before each: [2,0,3,1] of 10 →
/// [10,12,12,15].
__device__ uint4 places_from(std::uint32_t first, const std::uint32_t (&counts)[kGroupSlabs],
                             int tile) {
  static_assert(kGroupSlabs == 4, "a uint4 a tile");
  const auto count = [&](int s) { return counts[s] >> 16 * tile & 0xffff; };
  uint4 places{first, 0, 0, 0};
  places.y = places.x + count(0);
  places.z = places.y + count(1);
  places.w = places.z + count(2);
  return places;
}

/// Orders the overlaps of a group, of those slabs that are not crowded, by tile, slab and circle.
/// `counts` are the overlaps of the thread's two tiles, 16 bits each. Returns how many there are,
/// and where those of the thread's tiles begin.
__device__ std::uint32_t order_overlaps(const BinCirclesArgs& args,
                                        const OverlapRun (&runs)[kGroupSlabs],
                                        std::uint32_t (&counts)[kGroupSlabs],
                                        std::uint32_t (&begins)[2], Shared& shared) {
  const std::uint32_t thread = threadIdx.x;
  auto& sorted = shared.sorted;
  SlabOverlap ones[kGroupSlabs][kLoads];  // all are on their way before the first one is waited for
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      if (const std::uint32_t i = thread + k * kThreads; i < runs[s].count)
        ones[s][k] = __ldcg(args.slab_overlaps + runs[s].start + i);
  }
  std::uint32_t sum = 0, total = 0;
#pragma unroll
  for (const std::uint32_t count : counts) sum += count;
  Scan(sorted.scan).ExclusiveSum((sum & 0xffff) + (sum >> 16), begins[0], total);
  begins[1] = begins[0] + (sum & 0xffff);
  // At first where they begin: each overlap takes the next place and moves the end on.
#pragma unroll
  for (int t = 0; t < 2; ++t) sorted.ends[2 * thread + t] = places_from(begins[t], counts, t);
  if (thread == 0) sorted.num_segments = 0;
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kGroupSlabs; ++s) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      if (thread + k * kThreads >= runs[s].count) continue;
      const std::uint32_t tile = (ones[s][k] >> kSlabTileShift) % kTilesPerMacrotile;
      sorted.overlaps[atomicAdd(&sorted.ends[tile].x + s, 1)] = ones[s][k];
    }
  }
  __syncthreads();
  std::uint32_t begin = begins[0];
#pragma unroll 1
  for (std::uint32_t i = 0; i < 2 * kGroupSlabs; ++i) {
    const std::uint32_t count = counts[0] & 0xffff;
    order_segments(sorted.overlaps, begin, count);
    if (count > ListPolicy::kMostOfWarp)
      sorted.segments[atomicAdd(&sorted.num_segments, 1)] = {begin, begin + count};
    begin += count;
    // The next slab's, and after the last one those of the second tile.
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

/// Copies them to the lists: neighbours together.
__device__ void list_ordered(const BinCirclesArgs& args, const Slab& first_slab,
                             std::uint32_t total, const Shared& shared) {
  const auto& sorted = shared.sorted;
  for (std::uint32_t i = threadIdx.x; i < total; i += kThreads) {
    const SlabOverlap one = sorted.overlaps[i];
    const std::uint32_t tile = (one >> kSlabTileShift) % kTilesPerMacrotile;
    const uint4 ends = sorted.ends[tile];
    const std::uint32_t slab = (i >= ends.x) + (i >= ends.y) + (i >= ends.z);
    const int circle =
        first_slab.circle(args, slab * args.slab_circles + (one >> kSlabCircleShift));
    args.overlaps[(&sorted.starts[tile].x)[slab] + i] =
        static_cast<std::uint32_t>(circle) << kOverlapCircleShift | (one & 0xff);
  }
}

/// The same for a slab whose overlaps were only counted: finds them again, 32 circles at a time.
template <bool kIsFirstChunk>
__device__ void list_crowded(const BinCirclesArgs& args, const Slab& slab, std::uint32_t first_list,
                             std::uint32_t second_list, Shared& shared) {
  std::uint32_t list_starts[2] = {first_list, second_list};
  const int thread = threadIdx.x;
  auto& crowded = shared.crowded;
  if (!kIsFirstChunk)
    collect_active_tiles(args, slab.macrotile_x, slab.macrotile_y, crowded.active);
  reinterpret_cast<uint2*>(crowded.circles)[thread] = {0, 0};
  for (std::uint32_t first = 0; first < args.slab_circles; first += 32) {
    const SubtileRect own =
        subtile_rect(args.grid, Slab::load(args, slab.circle(args, first + lane())),
                     slab.macrotile_x, slab.macrotile_y);
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

/// Where the overlaps of a group go in the lists of the thread's two tiles.
__device__ void find_lists(const BinCirclesArgs& args, const Slab& first_slab, std::uint32_t group,
                           std::uint32_t (&list_starts)[2]) {
  const unsigned thread = threadIdx.x;
  const uint2 offsets = reinterpret_cast<const uint2*>(
      args.offsets +
      (first_slab.macrotile() * args.num_groups() + group) * kTilesPerMacrotile)[thread];
  list_starts[0] = offsets.x;
  list_starts[1] = offsets.y;
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    const unsigned tile = 2 * thread + t;
    const int x = first_slab.macrotile_x * kMacrotileSide + static_cast<int>(tile % kMacrotileSide);
    const int y = first_slab.macrotile_y * kMacrotileSide + static_cast<int>(tile / kMacrotileSide);
    if (x < args.grid.tiles_x && y < args.grid.tiles_y)
      list_starts[t] += args.lists[y * args.grid.tiles_x + x].start;
  }
}

/// Block (group of slabs, macrotile) of 512 threads copies the overlaps to the tiles' lists.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(kThreads, ListPolicy::kBlocksPerProcessor)
    list_overlaps_kernel(const __grid_constant__ BinCirclesArgs args) {
  extern __shared__ char memory[];
  auto& shared = *reinterpret_cast<Shared*>(memory);
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  // From the back: what was counted last is still in the cache.
  const std::uint32_t group = gridDim.x - 1 - blockIdx.x, first_slab = group * kGroupSlabs;
  if (group == args.num_groups()) {
    if (Slab::macrotile() == 0) order_tiles(args, shared.tiles);
    return;
  }
  const int num_slabs = static_cast<int>(min(args.num_slabs - first_slab, kGroupSlabs));
  const Slab slab(args, first_slab);
  OverlapRun runs[kGroupSlabs];
  std::uint32_t counts[kGroupSlabs];   // of the thread's two tiles, 16 bits each
  std::uint32_t ordered[kGroupSlabs];  // the same, 0 for crowded slabs
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
  // Up to here it needed nothing of the scan.
  if (args.continues_early) wait_for_kernel_in_front();
  if (args.progress->overflow != 0) return;
  std::uint32_t list_starts[2];
  find_lists(args, slab, group, list_starts);
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    const uint4 places = places_from(begins[t], ordered, t),
                lists = places_from(list_starts[t], counts, t);
    shared.sorted.starts[2 * threadIdx.x + t] = {lists.x - places.x, lists.y - places.y,
                                                 lists.z - places.z, lists.w - places.w};
  }
  __syncthreads();
  list_ordered(args, slab, total, shared);
  for (; crowded != 0; crowded &= crowded - 1) {
    const int s = __ffs(crowded) - 1;
    __syncthreads();  // shared memory is free again
    std::uint32_t first = list_starts[0], second = list_starts[1];
#pragma unroll
    for (int k = 0; k < kGroupSlabs; ++k) {
      if (k >= s) continue;
      first += counts[k] & 0xffff;
      second += counts[k] >> 16;
    }
    list_crowded<kIsFirstChunk>(args, Slab(args, first_slab + s), first, second, shared);
  }
}

/// For groups of slabs that have so many overlaps each, at most.
std::size_t needed_bytes(std::uint32_t slab_overlaps) {
  return sizeof(Shared) - kGroupSlabs * (kMostSlabOverlaps - slab_overlaps) * sizeof(SlabOverlap);
}

}  // namespace

std::uint32_t fitting_slab_overlaps(std::size_t block_memory) {
  std::uint32_t overlaps = kMostSlabOverlaps;
  while (overlaps > 0 && needed_bytes(overlaps) > block_memory) overlaps -= kSlabStep;
  return overlaps;
}

void list_overlaps(const BinCirclesArgs& args, cudaStream_t stream) {
  const auto kernel = args.chunk_number == 0
                          ? with_all_shared_memory<list_overlaps_kernel<true>>()
                          : with_all_shared_memory<list_overlaps_kernel<false>>();
  const std::size_t bytes = needed_bytes(args.most_slab_overlaps);
  const dim3 groups(args.num_groups() + (args.tile_order != nullptr ? 1 : 0),
                    static_cast<unsigned>(macrotiles_x(args.grid)),
                    static_cast<unsigned>(macrotiles_y(args.grid)));
  launch(kernel, groups, kThreads, bytes, args, args.continues_early, stream, args.shared_percent);
}

}  // namespace roundel::cuda
