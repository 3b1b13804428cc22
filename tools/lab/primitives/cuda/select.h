#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/base/host_device.h"
#include "tools/lab/primitives/cuda/scan.h"

namespace roundel::primitives {

/// The condition and the output of a selection. `next` is the element after `value`; the last
/// kLacking elements have no `next`, and are dropped.
struct KeepNonZero {
  using Output = std::int32_t;
  static constexpr int kLacking = 0;  ///< elements at the end that are always dropped
  ROUNDEL_HOST_DEVICE bool keeps(std::int32_t value, std::int32_t) const { return value != 0; }
  ROUNDEL_HOST_DEVICE Output output(std::int32_t value, std::uint64_t) const { return value; }
};
struct KeepBelow {
  using Output = std::int32_t;
  static constexpr int kLacking = 0;
  std::int32_t limit;
  ROUNDEL_HOST_DEVICE bool keeps(std::int32_t value, std::int32_t) const { return value < limit; }
  ROUNDEL_HOST_DEVICE Output output(std::int32_t value, std::uint64_t) const { return value; }
};
struct KeepRepeated {
  using Output = std::uint32_t;
  static constexpr int kLacking = 1;  ///< the last element has no next one
  ROUNDEL_HOST_DEVICE bool keeps(std::int32_t value, std::int32_t next) const {
    return value == next;
  }
  ROUNDEL_HOST_DEVICE Output output(std::int32_t, std::uint64_t index) const {
    return static_cast<std::uint32_t>(index);
  }
};

/// One selection on the device, order kept. All pointers are to device memory, aligned to 16 bytes;
/// `in` and `out` do not overlap.
template <typename Selection>
struct DeviceSelect {
  const std::int32_t* in;           ///< [n]
  typename Selection::Output* out;  ///< [n]; the elements after the result stay unchanged
  std::int64_t* count;              ///< [1]: length of the result
  std::uint64_t n;                  ///< > 0
  Selection selection;
  Scratch& scratch;
  cudaStream_t stream;
};

/// Maps to flags, scans them by any of the scans, scatters.
template <typename Selection>
void select_by_scan(const DeviceSelect<Selection>& select, void (*scan)(const DeviceScan&));
template <typename Selection>
void select_by_ballots(const DeviceSelect<Selection>& select);
template <typename Selection>
void select_bulk(const DeviceSelect<Selection>& select);  ///< requires has_bulk_copies()
/// The vendor's library, by predicate, and by flags from write_flags().
template <typename Selection>
void select_cub(const DeviceSelect<Selection>& select);
template <typename Selection>
void select_cub_flagged(const DeviceSelect<Selection>& select);
template <typename Selection>
void write_flags(const DeviceSelect<Selection>& select);

}  // namespace roundel::primitives
