#include "tools/lab/primitives/cuda/ring_launch.cuh"
#include "tools/lab/primitives/cuda/select.h"

namespace roundel::primitives {
namespace cuda_kernels {
namespace {

template <typename Selection>
struct SelectBulkArgs {
  RingArgs ring;
  typename Selection::Output* out;  ///< [n]; the elements after the result stay unchanged
  Selection selection;
};

/// Returns which of a lane's four elements in a row of 128 are kept, as bits.
template <typename Selection>
__device__ unsigned kept_bits(const Selection& selection, const int4& v, std::int32_t next) {
  return (selection.keeps(v.x, v.y) ? 1U : 0U) | (selection.keeps(v.y, v.z) ? 2U : 0U) |
         (selection.keeps(v.z, v.w) ? 4U : 0U) | (selection.keeps(v.w, next) ? 8U : 0U);
}

/// Returns the element after a lane's four; `after`: the first after the row.
template <typename Selection>
__device__ std::int32_t next_of(const int4& v, std::int32_t after) {
  if (Selection::kLacking == 0) return 0;  // unused
  const std::int32_t next = __shfl_down_sync(kAllLanes, v.x, 1);
  return lane_id() == kWarp - 1 ? after : next;
}

/// Returns the bits of a lane's four elements that may be kept; `rest`: number of elements from the
/// lane's first on.
[[maybe_unused]] __device__ inline unsigned valid_bits(int rest) {
  return rest >= 4 ? 15U : rest > 0 ? (1U << rest) - 1U : 0U;
}

/// Selection in a single pass, order kept: reads 4 bytes an element and writes 4 a kept element.
/// bulk_ring.cuh explains the roles. The reducers count, so that the count is published before
/// anything else is done with a tile. Writing warps find positions by ballots, gather the kept
/// elements at their segment's begin in shared memory, in place, and write them out in one run.
template <typename Policy, typename Selection>
__global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocksPerProcessor)
    select_bulk_kernel(const SelectBulkArgs<Selection> args) {
#if __CUDA_ARCH__ >= 900
  constexpr int kRows = Policy::kRows, kSegment = Policy::kSegment;
  static_assert(Selection::kLacking == 0 || Policy::kOverCopied > 0, "the last one's next one");
  extern __shared__ __align__(128) std::int32_t stages[];  // [kStages][kStage]
  __shared__ Ring<Policy> ring;
  // The first element of each segment, and the first after the tile: the previous segment may read
  // them after they are overwritten.
  __shared__ std::int32_t heads[Policy::kStages][Policy::kWriters + 1];
  ring.start();
  const int lane = lane_id(), reducer = warp_id() - 2, writer = reducer - Policy::kReducers;
  const auto rows_of = [&](int stage, int segment) {
    return reinterpret_cast<int4*>(stages + stage * Policy::kStage + segment * kSegment);
  };
  const auto rest_of = [&](std::uint64_t tile, int segment) {
    return elements_of<Policy>(args.ring, tile, Policy::kTile + Selection::kLacking) -
           Selection::kLacking - segment * kSegment - 4 * lane;
  };

  if (warp_id() == 0) {
    load_tiles(ring, stages, args.ring);
  } else if (warp_id() == 1) {
    look_ahead(ring, args.ring);
  } else if (writer < 0) {
    std::int64_t total = 0;
    reduce_tiles(ring, args.ring, reducer, total, [&](int stage, std::uint64_t tile, int segment) {
      const int4* const rows = rows_of(stage, segment);
      const int rest = rest_of(tile, segment);
      std::uint32_t count = 0;
      int4 v = rows[lane];
      if (Selection::kLacking > 0 && lane == 0) heads[stage][segment] = v.x;
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        // The first element of the next row, segment or tile, before it is overwritten.
        int4 next_row = v;
        std::int32_t after = 0;
        if (row + 1 < kRows) next_row = rows[(row + 1) * kWarp + lane];
        if (Selection::kLacking > 0)
          after = row + 1 < kRows ? __shfl_sync(kAllLanes, next_row.x, 0) : rows[kRows * kWarp].x;
        const std::int32_t next = next_of<Selection>(v, after);
        count += __popc(kept_bits(args.selection, v, next) & valid_bits(rest - row * 4 * kWarp));
        if (Selection::kLacking > 0 && row + 1 == kRows && segment + 1 == Policy::kWriters &&
            lane == 0)
          heads[stage][Policy::kWriters] = after;
        v = next_row;
      }
      total += count;
      return warp_sum(count);
    });
  } else {
    const std::uint64_t tiles = tiles_of<Policy>(args.ring);
    for (RingPosition<Policy> position; position.tile < tiles; position.advance()) {
      const int stage = position.stage;
      const std::uint32_t before = sum_before_segment(ring, position, writer);
      int4* const rows = rows_of(stage, writer);
      const int rest = rest_of(position.tile, writer);
      int4 v[kRows];
#pragma unroll
      for (int row = 0; row < kRows; ++row) v[row] = rows[row * kWarp + lane];
      __syncwarp();  // all reads precede the first write
      auto* const kept = reinterpret_cast<typename Selection::Output*>(rows);
      const unsigned lanes_before = (1U << lane) - 1U;
      int count = 0;
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        std::int32_t after = 0;
        if (Selection::kLacking > 0)
          after = row + 1 < kRows ? __shfl_sync(kAllLanes, v[row + 1 < kRows ? row + 1 : row].x, 0)
                                  : heads[stage][writer + 1];
        const unsigned bits = kept_bits(args.selection, v[row], next_of<Selection>(v[row], after)) &
                              valid_bits(rest - row * 4 * kWarp);
        int at = count;
        const std::int32_t values[] = {v[row].x, v[row].y, v[row].z, v[row].w};
        const std::uint64_t index =
            position.tile * Policy::kTile +
            static_cast<std::uint64_t>(writer * kSegment + row * 4 * kWarp + 4 * lane);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const unsigned ballot = __ballot_sync(kAllLanes, bits >> i & 1U);
          at += __popc(ballot & lanes_before);
          count += __popc(ballot);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (bits >> i & 1U)
            kept[at++] = args.selection.output(values[i], index + static_cast<std::uint64_t>(i));
      }
      __syncwarp();
      wait(ring.barriers[stage].ready, position.parity);
      auto* const to = args.out + (ring.prefixes[stage] + before);
      for (int i = lane; i < count; i += kWarp) to[i] = kept[i];
      ptx::fence_proxy_async(ptx::space_shared);  // before the copy engine writes there again
      __syncwarp();
      if (lane == 0) arrive(ring.barriers[stage].empty);
    }
  }
#endif
}

}  // namespace
}  // namespace cuda_kernels

namespace {

/// Six stages of 32 KiB fit in shared memory. Eight reducers, since counting is half of the work.
template <typename Selection>
using SelectPolicy = cuda_kernels::RingPolicy<512, 16, 8, 6, 1, Selection::kLacking == 0 ? 0 : 4>;

}  // namespace

template <typename Selection>
void select_bulk(const DeviceSelect<Selection>& select) {
  using namespace cuda_kernels;
  using Policy = SelectPolicy<Selection>;
  launch_ring<Policy, select_bulk_kernel<Policy, Selection>>(
      SelectBulkArgs<Selection>{
          ring_args<Policy>(select.in, select.n, select.count, select.scratch), select.out,
          select.selection},
      select.stream);
}

template void select_bulk(const DeviceSelect<KeepNonZero>&);
template void select_bulk(const DeviceSelect<KeepBelow>&);
template void select_bulk(const DeviceSelect<KeepRepeated>&);

}  // namespace roundel::primitives
