#include <cub/device/device_scan.cuh>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/primitives/cuda/scan.h"

namespace roundel::primitives {

/// The vendor's library: decoupled look-back as well, with tuning values for each chip.
void scan_cub(const DeviceScan& scan) {
  scan.scratch.call_library(
      reinterpret_cast<const void*>(&scan_cub), scan.n, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, scan.in, scan.out, scan.n, scan.stream);
      });
}

}  // namespace roundel::primitives
