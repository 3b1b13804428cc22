#include "tools/lab/primitives/cuda/saxpy.h"

#include <algorithm>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::primitives {
namespace {

constexpr int kThreads = 256;
constexpr std::uint64_t kPart =
    std::uint64_t{1} << 22;  ///< elements: 16 MiB, which makes a copy's start-up negligible

/// Four elements a thread, in accesses of 16 bytes; the next threads take the last three.
__global__ void __launch_bounds__(kThreads)
    saxpy_kernel(float a, const float* x, float* y, std::uint64_t n) {
  const std::uint64_t four = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (four < n / 4) {
    const float4 u = reinterpret_cast<const float4*>(x)[four];
    float4 v = reinterpret_cast<const float4*>(y)[four];
    v.x = a * u.x + v.x;
    v.y = a * u.y + v.y;
    v.z = a * u.z + v.z;
    v.w = a * u.w + v.w;
    reinterpret_cast<float4*>(y)[four] = v;
  } else if (four - n / 4 < n % 4) {
    const std::uint64_t i = n / 4 * 4 + (four - n / 4);
    y[i] = a * x[i] + y[i];
  }
}

void copy_to_device(float* to, std::span<const float> from, cudaStream_t stream) {
  ROUNDEL_CUDA_CHECK(
      cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream));
}

}  // namespace

void saxpy_device(float a, const float* x, float* y, std::uint64_t n, cudaStream_t stream) {
  const std::uint64_t threads = n / 4 + n % 4;
  const auto blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  if (blocks > 0) saxpy_kernel<<<blocks, kThreads, 0, stream>>>(a, x, y, n);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

void saxpy_with_copies(float a, const SaxpyThroughDevice& arrays, cudaStream_t stream) {
  copy_to_device(arrays.device_x, arrays.x, stream);
  copy_to_device(arrays.device_y, arrays.y, stream);
  saxpy_device(a, arrays.device_x, arrays.device_y, arrays.y.size(), stream);
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(arrays.y.data(), arrays.device_y, arrays.y.size_bytes(),
                                     cudaMemcpyDeviceToHost, stream));
}

void saxpy_overlapped(float a, const SaxpyThroughDevice& arrays,
                      std::span<const cudaStream_t> streams) {
  for (std::uint64_t begin = 0, part = 0; begin < arrays.y.size(); begin += kPart, ++part) {
    const std::uint64_t count = std::min<std::uint64_t>(kPart, arrays.y.size() - begin);
    saxpy_with_copies(a,
                      {arrays.x.subspan(begin, count), arrays.y.subspan(begin, count),
                       arrays.device_x + begin, arrays.device_y + begin},
                      streams[part % streams.size()]);
  }
}

}  // namespace roundel::primitives
