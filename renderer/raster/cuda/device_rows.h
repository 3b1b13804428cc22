#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "renderer/circles/rows_run.h"
#include "renderer/raster/cuda/device_buffer.h"

namespace roundel::cuda {

/// Held rows in a device's memory, for all threads that draw there.
class DeviceRows {
 public:
  /// Returns the rows on the thread's device. Copies them unless they are there.
  static std::shared_ptr<const DeviceRows> get(const std::shared_ptr<const HeldRows>& rows,
                                               cudaStream_t stream);
  static std::uint64_t bytes_of(const HeldRows& rows);

  std::uint64_t bytes() const { return bytes_of(*rows_); }
  /// Laws of these rows, with the device's arrays.
  RowLaws on_device(RowLaws laws) const;

 private:
  std::shared_ptr<const HeldRows> rows_;                   // its address stays its own
  std::map<const void*, DeviceBuffer<std::byte>> arrays_;  // by those of rows_
};

}  // namespace roundel::cuda
