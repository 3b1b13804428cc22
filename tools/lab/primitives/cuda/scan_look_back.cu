#include <algorithm>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/block_total.cuh"
#include "tools/lab/primitives/cuda/scan.h"
#include "tools/lab/primitives/cuda/tile_words.cuh"

namespace roundel::primitives {
namespace {

using namespace cuda_kernels;

/// Named tuning values.
struct LookBackPolicy {
  static constexpr int kThreads = 256;
  static constexpr int kRows =
      4;  ///< rows of 128 elements, a warp: 16 elements a thread in registers
  static constexpr int kWarps = kThreads / kWarp;
  static constexpr int kSegment = kRows * 4 * kWarp;  ///< elements of a warp
  static constexpr int kTile = kWarps * kSegment;
};

struct LookBackArgs {
  const std::int32_t* in;  ///< [n]
  std::int32_t* out;       ///< [n]
  std::int64_t* total;     ///< [1]
  std::uint64_t n;
  TileWord* words;  ///< [tiles]
  Totals* totals;
  std::uint32_t launch;
};

/// Returns the sum before the tile: a warp reads the previous 32 tiles at a time, adds up
/// aggregates, and stops at the nearest known inclusive prefix.
__device__ std::uint32_t look_back(const LookBackArgs& args, std::uint64_t tile) {
  std::uint32_t sum = 0;
  for (std::uint64_t end = tile; end > 0; end -= kWarp) {
    const auto distance =
        static_cast<std::uint64_t>(kWarp - lane_id());      // the last lane is nearest
    TileWord word = tile_word(args.launch, kInclusive, 0);  // before the first tile
    if (distance <= end) {
      do {
        word = read_word(args.words, end - distance);
      } while (!is_written(word, args.launch));
    }
    const unsigned inclusive = __ballot_sync(kAllLanes, is_inclusive(word));
    const int nearest = inclusive == 0 ? 0 : 31 - __clz(static_cast<int>(inclusive));
    sum += warp_sum(lane_id() >= nearest ? sum_in(word) : 0U);
    if (inclusive != 0 || end <= kWarp) break;
  }
  return sum;
}

__global__ void __launch_bounds__(LookBackPolicy::kThreads)
    scan_look_back_kernel(const LookBackArgs args) {
  using P = LookBackPolicy;
  __shared__ std::uint32_t warp_sums[P::kWarps];
  __shared__ std::int64_t warp_totals[P::kWarps];
  __shared__ std::uint32_t prefix;
  __shared__ unsigned tile;
  // Takes tiles in the order in which blocks start, so that earlier tiles are in progress or done.
  if (threadIdx.x == 0) tile = atomicInc(&args.totals->tickets, gridDim.x - 1);
  __syncthreads();
  const int lane = lane_id(), warp = warp_id();
  const std::uint64_t begin =
      std::uint64_t{tile} * P::kTile + static_cast<std::uint64_t>(warp * P::kSegment);
  const bool is_full = begin + P::kSegment <= args.n;

  int4 v[P::kRows];
#pragma unroll
  for (int row = 0; row < P::kRows; ++row) {
    const std::uint64_t at = begin + static_cast<std::uint64_t>((row * kWarp + lane) * 4);
    if (is_full) {
      v[row] = *reinterpret_cast<const int4*>(args.in + at);
    } else {
      v[row].x = at < args.n ? args.in[at] : 0;
      v[row].y = at + 1 < args.n ? args.in[at + 1] : 0;
      v[row].z = at + 2 < args.n ? args.in[at + 2] : 0;
      v[row].w = at + 3 < args.n ? args.in[at + 3] : 0;
    }
  }
  std::int64_t total = 0;
  std::uint32_t before[P::kRows], carry = 0;  // before the lane's four, within the segment
#pragma unroll
  for (int row = 0; row < P::kRows; ++row) {
    const std::int64_t sum =
        (std::int64_t{v[row].x} + v[row].y) + (std::int64_t{v[row].z} + v[row].w);
    total += sum;
    const std::uint32_t inclusive_sum = inclusive_warp_scan(static_cast<std::uint32_t>(sum));
    before[row] = carry + inclusive_sum - static_cast<std::uint32_t>(sum);
    carry += __shfl_sync(kAllLanes, inclusive_sum, kWarp - 1);
  }
  total = warp_sum(total);
  if (lane == 0) {
    warp_sums[warp] = carry;
    warp_totals[warp] = total;
  }
  __syncthreads();
  std::uint32_t sums = inclusive_warp_scan(lane < P::kWarps ? warp_sums[lane] : 0U);
  const std::uint32_t aggregate = __shfl_sync(kAllLanes, sums, P::kWarps - 1);
  const std::uint32_t warps_before = warp == 0 ? 0 : __shfl_sync(kAllLanes, sums, warp - 1);
  if (warp == 0) {
    if (lane == 0)
      publish(args.words, tile,
              tile_word(args.launch, tile == 0 ? kInclusive : kAggregate, aggregate));
    const std::uint32_t sum = look_back(args, tile);
    if (lane == 0) {
      prefix = sum;
      if (tile > 0) publish(args.words, tile, tile_word(args.launch, kInclusive, sum + aggregate));
    }
  }
  __syncthreads();
#pragma unroll
  for (int row = 0; row < P::kRows; ++row) {
    const std::uint64_t at = begin + static_cast<std::uint64_t>((row * kWarp + lane) * 4);
    const std::uint32_t a = prefix + warps_before + before[row];
    const std::uint32_t b = a + static_cast<std::uint32_t>(v[row].x);
    const std::uint32_t c = b + static_cast<std::uint32_t>(v[row].y);
    const std::uint32_t d = c + static_cast<std::uint32_t>(v[row].z);
    const int4 sum = make_int4(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c),
                               static_cast<int>(d));
    if (is_full) {
      *reinterpret_cast<int4*>(args.out + at) = sum;
    } else {
      if (at < args.n) args.out[at] = sum.x;
      if (at + 1 < args.n) args.out[at + 1] = sum.y;
      if (at + 2 < args.n) args.out[at + 2] = sum.z;
      if (at + 3 < args.n) args.out[at + 3] = sum.w;
    }
  }
  if (threadIdx.x == 0) {
    std::int64_t tile_total = 0;
    for (const std::int64_t warp_total : warp_totals) tile_total += warp_total;
    add_to_total(args.totals, tile_total, args.total);
  }
}

}  // namespace

/// Merrill & Garland 2016, "Single-pass parallel prefix scan with decoupled look-back": each
/// element is read once and written once. A tile publishes its sum at once and its prefix as soon
/// as it is known; a waiting tile adds up sums backwards until it meets a prefix.
void scan_look_back(const DeviceScan& scan) {
  const std::uint64_t tiles = (scan.n + LookBackPolicy::kTile - 1) / LookBackPolicy::kTile;
  const LookBackArgs args{scan.in,
                          scan.out,
                          scan.total,
                          scan.n,
                          scan.scratch.take<TileWord>(Scratch::kWords, tiles),
                          scan.scratch.take<Totals>(Scratch::kTotals, 1),
                          scan.scratch.next_launch()};
  scan_look_back_kernel<<<static_cast<unsigned>(tiles), LookBackPolicy::kThreads, 0, scan.stream>>>(
      args);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

void scan_single_pass(const DeviceScan& scan) {
  // For fewer elements the persistent blocks would have no second tile to prefetch.
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
  if (scan.n >= kLarge && has_bulk_copies()) return scan_bulk(scan);
  scan_look_back(scan);
}

}  // namespace roundel::primitives
