#include "renderer/raster/cuda/device_pixels.h"

#include <cstddef>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    copy_samples_kernel(const Pixel* framebuffer, int width, int height, int channels,
                        float* samples) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (x >= width) return;
  for (int y = static_cast<int>(blockIdx.y); y < height; y += static_cast<int>(gridDim.y)) {
    const Pixel pixel = framebuffer[static_cast<std::size_t>(height - 1 - y) * width + x];
    float* const out = samples + (static_cast<std::size_t>(y) * width + x) * channels;
    out[0] = pixel.red;
    out[1] = pixel.green;
    out[2] = pixel.blue;
    if (channels == 4) out[3] = pixel.alpha;
  }
}

}  // namespace

void copy_samples(const Pixel* framebuffer, const PngShape& shape, float* samples,
                  cudaStream_t stream) {
  constexpr int kMaxBlocks = 65535;  // limit of gridDim.y
  const dim3 blocks(static_cast<unsigned>((shape.width + kThreads - 1) / kThreads),
                    static_cast<unsigned>(shape.height < kMaxBlocks ? shape.height : kMaxBlocks));
  copy_samples_kernel<<<blocks, kThreads, 0, stream>>>(framebuffer, shape.width, shape.height,
                                                       shape.channels, samples);
  ROUNDEL_CUDA_CHECK_LAUNCH(stream);
}

}  // namespace roundel::cuda
