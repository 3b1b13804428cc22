#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace roundel::primitives {

/// Computes y = a·x + y on the device, rounded after each operation, n elements aligned to 16
/// bytes.
void saxpy_device(float a, const float* x, float* y, std::uint64_t n, cudaStream_t stream);

/// Saxpy on arrays of the host, through device arrays of n elements: upload, kernel, download of y.
struct SaxpyThroughDevice {
  std::span<const float> x;  ///< host
  std::span<float> y;        ///< host
  float* device_x;
  float* device_y;
};
void saxpy_with_copies(float a, const SaxpyThroughDevice& arrays, cudaStream_t stream);

inline constexpr int kSaxpyStreams = 3;  ///< one part being uploaded, one computed, one downloaded

/// Like SaxpyThroughDevice, in parts that follow each other through the streams, so that copies in
/// both directions and the kernel overlap. The host's arrays are page-locked: only such copies are
/// asynchronous.
void saxpy_overlapped(float a, const SaxpyThroughDevice& arrays,
                      std::span<const cudaStream_t> streams);

}  // namespace roundel::primitives
