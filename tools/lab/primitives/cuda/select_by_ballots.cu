#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/select.h"
#include "tools/lab/primitives/cuda/warp.cuh"

namespace roundel::primitives {
namespace {

using namespace cuda_kernels;

constexpr int kThreads = 256;
constexpr int kRows = 16;                ///< rows of 32 elements, a warp
constexpr int kSegment = kRows * kWarp;  ///< elements of a warp
constexpr int kWarps = kThreads / kWarp;

/// Returns which of 32 elements are kept, as a word with a bit a lane.
template <typename Selection>
__device__ unsigned kept_of_row(const std::int32_t* in, std::uint64_t i, std::uint64_t n,
                                const Selection& selection) {
  const bool can_be_kept = i + Selection::kLacking < n;
  const std::int32_t next = Selection::kLacking > 0 && can_be_kept ? in[i + 1] : 0;
  return __ballot_sync(kAllLanes, can_be_kept && selection.keeps(in[i], next));
}

__device__ std::uint64_t segment_of_warp() {
  return std::uint64_t{blockIdx.x} * kWarps + static_cast<std::uint64_t>(warp_id());
}

template <typename Selection>
__global__ void __launch_bounds__(kThreads)
    count_kernel(const std::int32_t* in, std::int32_t* counts, std::uint64_t n,
                 std::uint64_t segments, Selection selection) {
  const std::uint64_t segment = segment_of_warp();
  if (segment >= segments) return;
  int count = 0;
  for (int row = 0; row < kRows; ++row)
    count += __popc(
        kept_of_row(in, segment * kSegment + static_cast<std::uint64_t>(row * kWarp + lane_id()), n,
                    selection));
  if (lane_id() == 0) counts[segment] = count;
}

template <typename Selection>
__global__ void __launch_bounds__(kThreads)
    write_kernel(const std::int32_t* in, const std::int32_t* places,
                 typename Selection::Output* out, std::uint64_t n, std::uint64_t segments,
                 Selection selection) {
  const std::uint64_t segment = segment_of_warp();
  if (segment >= segments) return;
  std::uint64_t place = static_cast<std::uint32_t>(places[segment]);
  for (int row = 0; row < kRows; ++row) {
    const std::uint64_t i =
        segment * kSegment + static_cast<std::uint64_t>(row * kWarp + lane_id());
    const unsigned kept = kept_of_row(in, i, n, selection);
    const unsigned before = kept & ((1U << lane_id()) - 1U);
    if (kept >> lane_id() & 1U)
      out[place + static_cast<std::uint64_t>(__popc(before))] = selection.output(in[i], i);
    place += static_cast<std::uint64_t>(__popc(kept));
  }
}

}  // namespace

/// A ballot tells a warp which of 32 elements are kept, and the bits below a lane's own count the
/// previous ones, so that only one count a warp is scanned (Hughes, Lim, Jones, Knoll & Spencer
/// 2013, "InK-Compact"). Reads the input twice.
template <typename Selection>
void select_by_ballots(const DeviceSelect<Selection>& select) {
  const std::uint64_t segments = (select.n + kSegment - 1) / kSegment;
  const auto blocks = static_cast<unsigned>((segments + kWarps - 1) / kWarps);
  auto* const counts = select.scratch.template take<std::int32_t>(Scratch::kFlags, segments);
  auto* const places = select.scratch.template take<std::int32_t>(Scratch::kPlaces, segments);
  count_kernel<<<blocks, kThreads, 0, select.stream>>>(select.in, counts, select.n, segments,
                                                       select.selection);
  scan_single_pass({counts, places, select.count, segments, select.scratch, select.stream});
  write_kernel<<<blocks, kThreads, 0, select.stream>>>(select.in, places, select.out, select.n,
                                                       segments, select.selection);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

template void select_by_ballots(const DeviceSelect<KeepNonZero>&);
template void select_by_ballots(const DeviceSelect<KeepBelow>&);
template void select_by_ballots(const DeviceSelect<KeepRepeated>&);

}  // namespace roundel::primitives
