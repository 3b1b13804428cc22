#include "tools/lab/primitives/cuda/ring_launch.cuh"
#include "tools/lab/primitives/cuda/scan.h"

namespace roundel::primitives {
namespace cuda_kernels {
namespace {

struct ScanBulkArgs {
  RingArgs ring;
  std::int32_t* out;  ///< [n], aligned to 16 bytes
};

/// A writing warp's scan of one segment in shared memory, in place.
template <typename Policy>
__device__ void scan_segment(Ring<Policy>& ring, const RingPosition<Policy>& position, int segment,
                             int4* rows) {
  constexpr int kRows = Policy::kRows;
  std::uint32_t carry = sum_before_segment(ring, position, segment);
  uint3 within[kRows];  // sums within a lane's four elements, before the second, third and last
  std::uint32_t before[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const int4 v = rows[row * kWarp + lane_id()];
    within[row].x = static_cast<std::uint32_t>(v.x);
    within[row].y = within[row].x + static_cast<std::uint32_t>(v.y);
    within[row].z = within[row].y + static_cast<std::uint32_t>(v.z);
    before[row] = within[row].z + static_cast<std::uint32_t>(v.w);
  }
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const std::uint32_t inclusive_sum = inclusive_warp_scan(before[row]);
    before[row] = carry + inclusive_sum - before[row];
    carry += __shfl_sync(kAllLanes, inclusive_sum, kWarp - 1);
  }
  wait(ring.barriers[position.stage].ready, position.parity);
  const std::uint32_t prefix = ring.prefixes[position.stage];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const std::uint32_t sum = prefix + before[row];
    rows[row * kWarp + lane_id()] =
        make_int4(static_cast<int>(sum), static_cast<int>(sum + within[row].x),
                  static_cast<int>(sum + within[row].y), static_cast<int>(sum + within[row].z));
  }
}

/// Exclusive scan in a single pass, 8 bytes an element. bulk_ring.cuh explains the roles. A segment
/// is scanned in rows of 128 elements: a lane reads four neighbours in one access of 16 bytes,
/// without bank conflicts, adds them up, and the 32 sums are scanned by shuffles. Each writing warp
/// hands its segment to the copy engine.
template <typename Policy>
__global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocksPerProcessor)
    scan_bulk_kernel(const ScanBulkArgs args) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::int32_t stages[];  // [kStages][kStage]
  __shared__ Ring<Policy> ring;
  ring.start();
  const int lane = lane_id(), reducer = warp_id() - 2, segment = reducer - Policy::kReducers;
  if (warp_id() == 0) {
    load_tiles(ring, stages, args.ring);
  } else if (warp_id() == 1) {
    look_ahead(ring, args.ring);
  } else if (segment < 0) {
    std::int64_t total = 0;
    reduce_tiles(ring, args.ring, reducer, total, [&](int stage, std::uint64_t, int of) {
      const auto* const rows =
          reinterpret_cast<const int4*>(stages + stage * Policy::kStage + of * Policy::kSegment);
      std::uint32_t sum = 0;
#pragma unroll
      for (int row = 0; row < Policy::kRows; ++row) {
        const int4 v = rows[row * kWarp + lane];
        sum += static_cast<std::uint32_t>(v.x) + static_cast<std::uint32_t>(v.y) +
               static_cast<std::uint32_t>(v.z) + static_cast<std::uint32_t>(v.w);
        total += (std::int64_t{v.x} + v.y) + (std::int64_t{v.z} + v.w);
      }
      return warp_sum(sum);
    });
  } else {
    const std::uint64_t tiles = tiles_of<Policy>(args.ring);
    int last_stage = -1;
    for (RingPosition<Policy> position; position.tile < tiles; position.advance()) {
      std::int32_t* const from =
          stages + position.stage * Policy::kStage + segment * Policy::kSegment;
      scan_segment(ring, position, segment, reinterpret_cast<int4*>(from));
      ptx::fence_proxy_async(
          ptx::space_shared);  // makes the lanes' writes visible to the copy engine
      __syncwarp();
      std::int32_t* const to =
          args.out + position.tile * Policy::kTile + segment * Policy::kSegment;
      const int count = max(0, min(elements_of<Policy>(args.ring, position.tile, Policy::kTile) -
                                       segment * Policy::kSegment,
                                   Policy::kSegment));
      const int copied = count / 4 * 4;  // the engine copies 16 bytes at a time
      if (lane < count - copied) to[copied + lane] = from[copied + lane];
      if (lane == 0) {
        if (copied > 0)
          ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from,
                             static_cast<std::uint32_t>(copied * sizeof(std::int32_t)));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(
            ptx::n32_t<1>{});  // earlier copies have read their sources
        if (last_stage >= 0) arrive(ring.barriers[last_stage].empty);
      }
      last_stage = position.stage;
    }
    if (lane == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  }
#endif
}

}  // namespace
}  // namespace cuda_kernels

namespace {

/// Seven stages of 30 KiB fill a multiprocessor's shared memory: with fewer the copies do not reach
/// far enough ahead (four take 1.4 times as long). Twenty writing warps with three rows each hide
/// each other's shuffles.
using ScanPolicy = cuda_kernels::RingPolicy<384, 20, 8, 7, 1>;

}  // namespace

void scan_bulk(const DeviceScan& scan) {
  using namespace cuda_kernels;
  launch_ring<ScanPolicy, scan_bulk_kernel<ScanPolicy>>(
      ScanBulkArgs{ring_args<ScanPolicy>(scan.in, scan.n, scan.total, scan.scratch), scan.out},
      scan.stream);
}

bool has_bulk_copies() {
  static const bool has = [] {
    constexpr int kBarriersAndSums =
        8192;  // bytes of shared memory beside the stages, with a margin
    int device = 0, major = 0, shared = 0;
    ROUNDEL_CUDA_CHECK(cudaGetDevice(&device));
    ROUNDEL_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    ROUNDEL_CUDA_CHECK(
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return major >= 9 && shared >= ScanPolicy::kSharedBytes + kBarriersAndSums;
  }();
  return has;
}

}  // namespace roundel::primitives
