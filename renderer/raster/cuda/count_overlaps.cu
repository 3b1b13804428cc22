#include "renderer/raster/cuda/bin_chunk.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct CountPolicy {
  static constexpr int kThreads = 256, kBlocksPerProcessor = 6;
  /// Circles that a lane loads at once.
  static constexpr int kLoads = 4;
  /// A lane finds its circle's tiles; for more than these a warp does.
  static constexpr int kTilesOfLane = 12;
};

constexpr std::uint32_t kNoCircle = ~0u;

struct Shared {
  std::uint32_t counts[kTilesPerMacrotile];
  SlabOverlap overlaps[kMaxSlabOverlaps];  // in any order
  std::uint32_t active[kMacrotileSide];    // bit x of word y: tile (x, y) is active
  // Waiting circles of each warp: up to 31 and those that it loads at once.
  std::uint16_t near_circles[CountPolicy::kThreads / 32][32 + 32 * CountPolicy::kLoads];
  std::uint32_t num_overlaps;  // includes those that do not fit
  OverlapRun run;
};

/// Finds the overlaps of a slab with a macrotile's tiles. All lanes of a warp call find().
template <bool kIsFirstChunk>
class OverlapFinder {
 public:
  __device__ OverlapFinder(const BinCirclesArgs& args, const Slab& slab, Shared& shared)
      : args_(args), slab_(slab), shared_(shared) {}

  /// Finds them for kLoads circles of each lane, by their numbers in the slab, kNoCircle for none.
  template <int kLoads>
  __device__ void find(const std::uint32_t (&circles)[kLoads]) {
    Shape shapes[kLoads];  // loads all before using one
#pragma unroll
    for (int k = 0; k < kLoads; ++k) shapes[k] = load(circles[k]);
    SubtileRect subtiles[kLoads];
    std::uint32_t tiles[kLoads], sum = 0;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      subtiles[k] = subtile_rect(args_.grid, shapes[k], slab_.macrotile.x, slab_.macrotile.y);
      tiles[k] = num_tiles(subtiles[k]);
      sum += tiles[k];
    }
    const std::uint32_t up_to_here = warp_inclusive_sum(sum);
    std::uint32_t at = 0;
    if (lane() == 31) at = atomicAdd(&shared_.num_overlaps, up_to_here);
    at = __shfl_sync(kAllLanes, at, 31) + up_to_here - sum;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const std::uint32_t circle = circles[k];
      const TileRect rect(subtiles[k]);
      if (!__any_sync(kAllLanes, rect.width > 2 || rect.height > 2)) {
        emit_small(circle, subtiles[k], at);
      } else {
        const bool is_large = tiles[k] > CountPolicy::kTilesOfLane;
        if (!is_large) emit(circle, subtiles[k], at);
        for (unsigned large = __ballot_sync(kAllLanes, is_large); large != 0; large &= large - 1) {
          const int owner = __ffs(large) - 1;
          emit_by_warp(__shfl_sync(kAllLanes, circle, owner),
                       __shfl_sync(kAllLanes, subtiles[k], owner),
                       __shfl_sync(kAllLanes, at, owner));
        }
      }
      at += tiles[k];
    }
  }

  __device__ Shape load(std::uint32_t circle) const {
    return Slab::load(args_, circle != kNoCircle ? slab_.circle(args_, circle) : -1);
  }

 private:
  /// Returns the active tiles of a row, a bit for each column.
  __device__ std::uint32_t columns(const TileRect& rect, int y) const {
    const std::uint32_t bits = (2u << (rect.x0 + rect.width - 1)) - (1u << rect.x0);
    return kIsFirstChunk ? bits : bits & shared_.active[y];
  }

  __device__ std::uint32_t num_tiles(SubtileRect subtiles) const {
    const TileRect rect(subtiles);
    if (kIsFirstChunk) return rect.width * rect.height;
    std::uint32_t count = 0;
    for (int y = rect.y0; y < rect.y0 + rect.height; ++y) count += __popc(columns(rect, y));
    return count;
  }

  /// Emits at most 2 × 2 tiles, without a loop: most circles.
  __device__ void emit_small(std::uint32_t circle, SubtileRect subtiles, std::uint32_t at) {
    const std::uint32_t x0 = subtiles & 63, x1 = subtiles >> 6 & 63, y0 = subtiles >> 12 & 127,
                        y1 = subtiles >> 19 & 127;
    const std::uint32_t tile = y0 / 4 * kMacrotileSide + x0 / 2;
    const bool is_present = subtiles != kNoSubtiles;
    const bool is_wide = is_present && x0 / 2 != x1 / 2, is_tall = is_present && y0 / 4 != y1 / 4;
    const bool takes[4] = {is_present, is_wide, is_tall, is_wide && is_tall};
    // Columns are bits 0x55 and 0xaa, rows two bits each.
    const std::uint32_t left = (x0 % 2 != 0 ? 0xaa : 0xff) & (is_wide || x1 % 2 != 0 ? 0xff : 0x55);
    const std::uint32_t right = x1 % 2 != 0 ? 0xff : 0x55;
    const std::uint32_t upper = 0xffu >> (6 - 2 * (y1 % 4));
    const std::uint32_t lower = (0xffu << 2 * (y0 % 4)) & (is_tall ? 0xff : upper);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t other = tile + k / 2 * kMacrotileSide + k % 2;
      if (takes[k] && (kIsFirstChunk || (shared_.active[other / 32] >> other % 32 & 1) != 0))
        emit_one(circle, other, (k % 2 == 0 ? left : right) & (k / 2 == 0 ? lower : upper), at++);
    }
  }

  __device__ void emit(std::uint32_t circle, SubtileRect subtiles, std::uint32_t at) {
    const TileRect rect(subtiles);
    int x = rect.x0, y = rect.y0;
    for (int left = rect.width * rect.height; left > 0; --left) {
      if (kIsFirstChunk || (shared_.active[y] >> x & 1) != 0)
        emit_one(circle, y * kMacrotileSide + x, mask_in_tile(subtiles, x, y), at++);
      if (++x == rect.x0 + rect.width) {
        x = rect.x0;
        ++y;
      }
    }
  }

  __device__ void emit_by_warp(std::uint32_t circle, SubtileRect subtiles, std::uint32_t at) {
    const TileRect rect(subtiles);
    for (int y = rect.y0; y < rect.y0 + rect.height; ++y) {
      const std::uint32_t bits = columns(rect, y);
      if ((bits >> lane() & 1) != 0)
        emit_one(circle, y * kMacrotileSide + lane(), mask_in_tile(subtiles, lane(), y),
                 at + num_before(bits));
      at += __popc(bits);
    }
  }

  __device__ void emit_one(std::uint32_t circle, std::uint32_t tile, std::uint32_t mask,
                           std::uint32_t at) {
    atomicAdd(&shared_.counts[tile], 1);
    if (at < kMaxSlabOverlaps)
      shared_.overlaps[at] = circle << kSlabCircleShift | tile << kSlabTileShift | mask;
  }

  const BinCirclesArgs& args_;
  const Slab& slab_;
  Shared& shared_;
};

/// Calls a function of the kLoads circles that a warp loads at once: `circles` of a slab are
/// shared by all warps, even if they are few.
template <class Use>
__device__ void for_warp_circles(std::uint32_t circles, const Use& use) {
  constexpr int kLoads = CountPolicy::kLoads, kWarps = CountPolicy::kThreads / 32;
  const std::uint32_t at_once = min(32u, circles / kWarps);
  for (std::uint32_t first = threadIdx.x / 32 * at_once; first < circles;
       first += at_once * kWarps * kLoads) {
    std::uint32_t own[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      own[k] = first + k * at_once * kWarps + lane();
      if (own[k] >= circles || lane() >= at_once) own[k] = kNoCircle;
    }
    use(own);
  }
}

/// Finds a slab's overlaps with one of several macrotiles: tests first which circles are near.
template <bool kIsFirstChunk>
__device__ void find_near(const BinCirclesArgs& args, const Slab& slab, Shared& shared,
                          OverlapFinder<kIsFirstChunk>& finder) {
  constexpr int kLoads = CountPolicy::kLoads;
  const TileArea area(args.grid, slab.macrotile.x * kMacrotileSide,
                      slab.macrotile.y * kMacrotileSide, kMacrotileSide, kMacrotileSide);
  std::uint16_t* const waiting = shared.near_circles[threadIdx.x / 32];
  std::uint32_t num_waiting = 0;
  for_warp_circles(args.slab_circles, [&](const std::uint32_t(&circles)[kLoads]) {
    Shape shapes[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) shapes[k] = finder.load(circles[k]);
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const bool is_near = shapes[k].radius > 0 && !area.is_far(shapes[k]);
      const unsigned near = __ballot_sync(kAllLanes, is_near);
      if (is_near) waiting[num_waiting + num_before(near)] = static_cast<std::uint16_t>(circles[k]);
      num_waiting += __popc(near);
    }
    __syncwarp();
    while (num_waiting >= 32) {
      num_waiting -= 32;
      const std::uint32_t circle[] = {waiting[num_waiting + lane()]};
      finder.find(circle);
    }
    __syncwarp();
  });
  if (num_waiting == 0) return;
  const std::uint32_t circle[] = {lane() < num_waiting ? waiting[lane()] : kNoCircle};
  finder.find(circle);
}

/// Block (slab, macrotile) of 256 threads finds overlaps and counts them by tile; only counts if
/// they exceed shared memory.
template <bool kIsFirstChunk>
__global__ void __launch_bounds__(CountPolicy::kThreads,
                                  blocks_that_fit(CountPolicy::kBlocksPerProcessor,
                                                  CountPolicy::kThreads))
    count_overlaps_kernel(const __grid_constant__ BinCirclesArgs args) {
  constexpr int kThreads = CountPolicy::kThreads;
  __shared__ Shared shared;
  if (!begin_chunk<kIsFirstChunk>(args)) return;
  const unsigned thread = threadIdx.x;
  const Slab slab(args, blockIdx.z, {blockIdx.x, blockIdx.y, gridDim.x, gridDim.y});
  static_assert(kTilesPerMacrotile == 4 * kThreads, "a thread has four tiles");
  reinterpret_cast<uint4*>(shared.counts)[thread] = {0, 0, 0, 0};
  // num_scan_words() without divisions. Every macrotile has a slab, and at most as many words as a
  // block has threads.
  static_assert(kTilesPerMacrotile / kScannedTiles <= kThreads);
  const std::size_t word = slab.number * kThreads + thread;
  if (word < slab.macrotile.count * (kTilesPerMacrotile / kScannedTiles)) args.scan_words[word] = 0;
  if (thread == 0) shared.num_overlaps = 0;
  if (!kIsFirstChunk) collect_active_tiles(args, slab.macrotile.x, slab.macrotile.y, shared.active);
  __syncthreads();
  if (!kIsFirstChunk &&
      __syncthreads_or(thread < kMacrotileSide && shared.active[thread] != 0) == 0) {
    reinterpret_cast<uint2*>(args.counts + slab.number * kTilesPerMacrotile)[thread] = {0, 0};
    if (thread == 0) args.slab_runs[slab.number] = {0, 0};
    return;
  }
  OverlapFinder<kIsFirstChunk> finder(args, slab, shared);
  if (slab.macrotile.count > 1)
    find_near(args, slab, shared, finder);
  else
    for_warp_circles(args.slab_circles, [&](const std::uint32_t(&circles)[CountPolicy::kLoads]) {
      finder.find(circles);
    });
  __syncthreads();

  const uint4 counts = reinterpret_cast<const uint4*>(shared.counts)[thread];
  reinterpret_cast<uint2*>(args.counts + slab.number * kTilesPerMacrotile)[thread] = {
      counts.x | counts.y << 16, counts.z | counts.w << 16};
  if (thread == 0) {
    std::uint32_t total = shared.num_overlaps;
    const bool is_crowded = total > args.max_slab_overlaps;
    std::uint64_t start = 0;
    if (!is_crowded && total > 0) start = atomicAdd(&args.progress->num_slab_overlaps, total);
    // Slab overlaps overflow whenever lists do.
    if (is_crowded || start + total > args.capacity) total = kCrowded;
    args.slab_runs[slab.number] = shared.run = {static_cast<std::uint32_t>(start), total};
  }
  __syncthreads();
  if (shared.run.count == kCrowded) return;
  for (std::uint32_t i = thread; i < shared.run.count; i += kThreads)
    args.slab_overlaps[shared.run.start + i] = shared.overlaps[i];
}

}  // namespace

void count_overlaps(const BinCirclesArgs& args, cudaStream_t stream) {
  // Blocks of the same slab run together, so that its circles are read once.
  const dim3 slabs(static_cast<unsigned>(macrotiles_x(args.grid)),
                   static_cast<unsigned>(macrotiles_y(args.grid)), args.num_slabs);
  launch(args.chunk_number == 0 ? count_overlaps_kernel<true> : count_overlaps_kernel<false>, slabs,
         CountPolicy::kThreads, 0, args, args.begins_early, stream, args.shared_percent);
}

}  // namespace roundel::cuda
