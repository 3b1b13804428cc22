#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace roundel::primitives {

/// y = a·x + y on the device, rounded after each operation, n elements at multiples of 16 bytes.
void saxpy_device(float a, const float* x, float* y, std::uint64_t n, cudaStream_t stream);

/// The same for arrays of the host, with device arrays of n elements that it passes through:
/// everything to the device, the kernel, y back.
struct SaxpyThroughDevice {
  std::span<const float> x;  ///< host
  std::span<float> y;        ///< host
  float* device_x;
  float* device_y;
};
void saxpy_with_copies(float a, const SaxpyThroughDevice& arrays, cudaStream_t stream);

inline constexpr int kSaxpyStreams =
    3;  ///< one part on its way in, one at work, one on its way out

/// The same in parts that follow each other through the streams, so that copies in both directions
/// and the kernel run at the same time. The host's arrays are page-locked: only from those can the
/// device copy by itself.
void saxpy_overlapped(float a, const SaxpyThroughDevice& arrays,
                      std::span<const cudaStream_t> streams);

}  // namespace roundel::primitives
