#pragma once
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// Launches a kernel. `early`: its blocks may start before the previous kernel has ended
/// (programmatic dependent launch, CUDA C++ Programming Guide), so it must first call
/// wait_for_previous_kernel(); also in graphs. `shared_percent`: shared memory's part of the L1
/// cache; by default the driver chooses.
template <class Args>
void launch(void (*kernel)(Args), dim3 blocks, int threads, std::size_t shared_bytes,
            const Args& args, bool early, cudaStream_t stream,
            int shared_percent = cudaSharedmemCarveoutDefault) {
  cudaLaunchAttribute attributes[2]{};
  unsigned num_attributes = 0;
  if (early) {
    cudaLaunchAttribute& attribute = attributes[num_attributes++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  if (shared_percent != cudaSharedmemCarveoutDefault) {
    cudaLaunchAttribute& attribute = attributes[num_attributes++];
    attribute.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    attribute.val.sharedMemCarveout = static_cast<unsigned>(shared_percent);
  }
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = num_attributes;
  ROUNDEL_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, args));
  ROUNDEL_CUDA_CHECK_LAUNCH(stream);
}

/// Allows the kernel all the shared memory that a block can have on the thread's device. All
/// threads set one limit: if each set its own, one could lower what another needs.
template <auto kKernel>
auto with_all_shared_memory() {
  static std::array<std::atomic<bool>, 64> is_set{};  // by device
  int device = 0, most = 0;
  ROUNDEL_CUDA_CHECK(cudaGetDevice(&device));
  const auto number = static_cast<std::size_t>(device);
  if (number < is_set.size() && is_set[number]) return kKernel;
  cudaFuncAttributes attributes;
  ROUNDEL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kKernel));
  ROUNDEL_CUDA_CHECK(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          most - static_cast<int>(attributes.sharedSizeBytes)));
  if (number < is_set.size()) is_set[number] = true;
  return kKernel;
}

/// For __launch_bounds__(): `blocks`, or fewer if the compute capability has fewer threads (CUDA
/// C++ Programming Guide, "Technical Specifications").
constexpr int blocks_that_fit(int blocks, int threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr int kThreads = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ % 100 > 0 || __CUDA_ARCH__ >= 1200)  // 8.6, 8.9, 12.0
  constexpr int kThreads = 1536;
#else
  constexpr int kThreads = 2048;
#endif
  return blocks * threads <= kThreads ? blocks : kThreads / threads;
}

/// Call before using memory of earlier kernels. The previous kernel has waited for its own
/// predecessor, so none is running.
inline __device__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets the next kernel begin once all blocks have called this or ended. It sees this kernel's
/// writes only after its own wait, but writes of earlier kernels at once, past the L1 cache.
inline __device__ void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  __threadfence();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace roundel::cuda
