#include "tools/lab/bench/machine_limits.h"

#include <algorithm>

#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/device_buffer.h"

namespace roundel {
namespace cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kChains = 8;
constexpr int kRounds = 2048;

/// Every thread runs kChains independent chains of kRounds fused multiply-adds.
__global__ void __launch_bounds__(kThreads) multiply_and_add_kernel(float* sink) {
  float values[kChains];
  for (int i = 0; i < kChains; ++i) values[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 16
  for (int round = 0; round < kRounds; ++round)
#pragma unroll
    for (int i = 0; i < kChains; ++i) values[i] = fmaf(values[i], 0.999f, 0.001f);
  float sum = 0;
  for (int i = 0; i < kChains; ++i) sum += values[i];
  sink[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <typename Work>
double seconds(Work&& work) {
  cudaEvent_t start, end;
  ROUNDEL_CUDA_CHECK(cudaEventCreate(&start));
  ROUNDEL_CUDA_CHECK(cudaEventCreate(&end));
  ROUNDEL_CUDA_CHECK(cudaEventRecord(start));
  work();
  ROUNDEL_CUDA_CHECK(cudaEventRecord(end));
  ROUNDEL_CUDA_CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  ROUNDEL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  ROUNDEL_CUDA_CHECK(cudaEventDestroy(start));
  ROUNDEL_CUDA_CHECK(cudaEventDestroy(end));
  return milliseconds / 1000.0;
}

}  // namespace
}  // namespace cuda

MachineLimits measure_cuda_limits(int device) {
  constexpr std::size_t kCopied = std::size_t{1} << 30;  // bytes: many times the caches
  constexpr int kRepeats = 5;
  ROUNDEL_CUDA_CHECK(cudaSetDevice(device));
  int processors = 0;
  ROUNDEL_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  const unsigned blocks = static_cast<unsigned>(processors) * 64;
  const cuda::DeviceBuffer<char> from(kCopied), to(kCopied);
  const cuda::DeviceBuffer<float> sink(static_cast<std::size_t>(blocks) * cuda::kThreads);
  ROUNDEL_CUDA_CHECK(cudaMemset(from.data(), 1, kCopied));
  MachineLimits limits{0, 0};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double copying = cuda::seconds([&] {
      ROUNDEL_CUDA_CHECK(
          cudaMemcpyAsync(to.data(), from.data(), kCopied, cudaMemcpyDeviceToDevice));
    });
    const double calculating = cuda::seconds([&] {
      cuda::multiply_and_add_kernel<<<blocks, cuda::kThreads>>>(sink.data());
      ROUNDEL_CUDA_CHECK(cudaGetLastError());
    });
    const double operations =
        static_cast<double>(blocks) * cuda::kThreads * cuda::kChains * cuda::kRounds;
    limits.bytes_per_second = std::max(limits.bytes_per_second, 2.0 * kCopied / copying);
    limits.operations_per_second = std::max(limits.operations_per_second, operations / calculating);
  }
  return limits;
}

}  // namespace roundel
