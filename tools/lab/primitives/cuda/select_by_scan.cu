#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/select.h"

namespace roundel::primitives {
namespace {

constexpr int kThreads = 256;

template <typename Selection>
__global__ void __launch_bounds__(kThreads)
    map_kernel(const std::int32_t* in, std::int32_t* flags, std::uint64_t n, Selection selection) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const bool can_be_kept = i + Selection::kLacking < n;
  const std::int32_t next = Selection::kLacking > 0 && can_be_kept ? in[i + 1] : 0;
  flags[i] = can_be_kept && selection.keeps(in[i], next) ? 1 : 0;
}

/// `places` are the exclusive sums of the flags: [1, 0, 1, 1] → [0, 1, 1, 2].
template <typename Selection>
__global__ void __launch_bounds__(kThreads)
    scatter_kernel(const std::int32_t* in, const std::int32_t* flags, const std::int32_t* places,
                   typename Selection::Output* out, std::uint64_t n, Selection selection) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < n && flags[i] != 0)
    out[static_cast<std::uint32_t>(places[i])] = selection.output(in[i], i);
}

unsigned blocks_for(std::uint64_t n) {
  return static_cast<unsigned>((n + kThreads - 1) / kThreads);
}

}  // namespace

template <typename Selection>
void write_flags(const DeviceSelect<Selection>& select) {
  auto* const flags = select.scratch.template take<std::int32_t>(Scratch::kFlags, select.n);
  map_kernel<<<blocks_for(select.n), kThreads, 0, select.stream>>>(select.in, flags, select.n,
                                                                   select.selection);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

/// Three passes over all memory (Harris, Sengupta & Owens 2007, "stream compaction"): 8 bytes an
/// element for the flags, the scan's bytes, and 12 for the scatter, plus the kept elements.
template <typename Selection>
void select_by_scan(const DeviceSelect<Selection>& select, void (*scan)(const DeviceScan&)) {
  write_flags(select);
  auto* const flags = select.scratch.template take<std::int32_t>(Scratch::kFlags, select.n);
  auto* const places = select.scratch.template take<std::int32_t>(Scratch::kPlaces, select.n);
  const DeviceScan of_flags{flags, places, select.count, select.n, select.scratch, select.stream};
  scan(of_flags);
  scatter_kernel<<<blocks_for(select.n), kThreads, 0, select.stream>>>(
      select.in, flags, places, select.out, select.n, select.selection);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

template void write_flags(const DeviceSelect<KeepNonZero>&);
template void write_flags(const DeviceSelect<KeepBelow>&);
template void select_by_scan(const DeviceSelect<KeepNonZero>&, void (*)(const DeviceScan&));
template void select_by_scan(const DeviceSelect<KeepRepeated>&, void (*)(const DeviceScan&));

}  // namespace roundel::primitives
