#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/bulk_ring.cuh"
#include "tools/lab/primitives/cuda/scratch.h"

namespace roundel::primitives {

/// The common arguments of the ring's kernels, with memory for n elements.
template <typename Policy>
cuda_kernels::RingArgs ring_args(const std::int32_t* in, std::uint64_t n, std::int64_t* total,
                                 Scratch& scratch) {
  cuda_kernels::RingArgs args{in, n, total, nullptr, nullptr, scratch.next_launch()};
  args.words =
      scratch.take<cuda_kernels::TileWord>(Scratch::kWords, cuda_kernels::tiles_of<Policy>(args));
  args.totals = scratch.take<cuda_kernels::Totals>(Scratch::kTotals, 1);
  return args;
}

/// Starts persistent blocks, all resident at once, since they wait for each other. On device 0.
template <typename Policy, auto kKernel, typename Args>
void launch_ring(Args args, cudaStream_t stream) {
  static const int processors = [] {  // queried once: it takes as long as a small kernel
    int device = 0, count = 0;
    ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            Policy::kSharedBytes));
    ROUNDEL_CUDA_CHECK(cudaGetDevice(&device));
    ROUNDEL_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
  }();
  const auto blocks = static_cast<unsigned>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(processors) * Policy::kBlocksPerProcessor,
                              cuda_kernels::tiles_of<Policy>(args.ring)));
  void* arguments[] = {&args};
  ROUNDEL_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kKernel),
                                                 dim3(blocks), dim3(Policy::kThreads), arguments,
                                                 Policy::kSharedBytes, stream));
}

}  // namespace roundel::primitives
