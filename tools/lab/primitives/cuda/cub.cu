#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/scan.h"
#include "tools/lab/primitives/cuda/select.h"

namespace roundel::primitives {
namespace {

template <typename Selection>
struct KeepsValue {
  Selection selection;
  __device__ bool operator()(std::int32_t value) const { return selection.keeps(value, 0); }
};
struct KeepsPosition {
  const std::int32_t* in;
  KeepRepeated selection;
  __device__ bool operator()(std::uint32_t i) const { return selection.keeps(in[i], in[i + 1]); }
};

}  // namespace

/// The vendor's library: also decoupled look-back, with tuning values for each chip.
void scan_cub(const DeviceScan& scan) {
  scan.scratch.call_library(
      reinterpret_cast<const void*>(&scan_cub), scan.n, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, scan.in, scan.out, scan.n, scan.stream);
      });
}

template <typename Selection>
void select_cub(const DeviceSelect<Selection>& select) {
  select.scratch.call_library(reinterpret_cast<const void*>(&select_cub<Selection>), select.n,
                              [&](void* memory, std::size_t& bytes) {
                                return cub::DeviceSelect::If(
                                    memory, bytes, select.in, select.out, select.count, select.n,
                                    KeepsValue<Selection>{select.selection}, select.stream);
                              });
}

template <>
void select_cub(const DeviceSelect<KeepRepeated>& select) {
  select.scratch.call_library(reinterpret_cast<const void*>(&select_cub<KeepRepeated>), select.n,
                              [&](void* memory, std::size_t& bytes) {
                                return cub::DeviceSelect::If(
                                    memory, bytes, thrust::counting_iterator<std::uint32_t>(0),
                                    select.out, select.count, select.n - 1,
                                    KeepsPosition{select.in, select.selection}, select.stream);
                              });
}

template <typename Selection>
void select_cub_flagged(const DeviceSelect<Selection>& select) {
  auto* const flags = select.scratch.template take<std::int32_t>(Scratch::kFlags, select.n);
  select.scratch.call_library(reinterpret_cast<const void*>(&select_cub_flagged<Selection>),
                              select.n, [&](void* memory, std::size_t& bytes) {
                                return cub::DeviceSelect::Flagged(memory, bytes, select.in, flags,
                                                                  select.out, select.count,
                                                                  select.n, select.stream);
                              });
}

template void select_cub(const DeviceSelect<KeepNonZero>&);
template void select_cub(const DeviceSelect<KeepBelow>&);
template void select_cub_flagged(const DeviceSelect<KeepNonZero>&);

}  // namespace roundel::primitives
