#pragma once
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// Puts a kernel into a stream. `early`: its blocks may come to the multiprocessors before the
/// kernel in front of it has wholly ended (programmatic dependent launch, CUDA C++ Programming
/// Guide); then it calls wait_for_kernel_in_front() first. In a graph that is captured, too.
/// `shared_percent`: how much of the L1 cache is to be shared memory; if not given, the driver
/// chooses.
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

/// Returns the kernel, and lets its blocks take all the shared memory that a block can have on the
/// calling thread's device. All threads have one limit: if each set what its own launch needs, one
/// could lower what another is about to use.
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

/// For __launch_bounds__(): so many blocks on a multiprocessor, or fewer where the compute
/// capability has less room for threads (CUDA C++ Programming Guide, "Technical Specifications").
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

/// Before anything that kernels in front write is read, or written. The kernel in front has waited
/// for its own, so none of them is at work any more.
inline __device__ void wait_for_kernel_in_front() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// The kernel behind may begin once all blocks have called this or ended. It sees what this kernel
/// writes only after its own wait. What kernels in front wrote it sees at once, if it reads past
/// the L1 cache.
inline __device__ void let_kernel_behind_begin() {
#if __CUDA_ARCH__ >= 900
  __threadfence();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace roundel::cuda
