#include "renderer/raster/cuda/device_pixels.h"

#include <cstddef>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {
namespace {

constexpr int kThreads = 256;

/// A framebuffer, whose rows are bottom to top, to samples [height, width, channels].
__global__ void __launch_bounds__(kThreads)
    copy_top_down_kernel(const Pixel* framebuffer, int width, int height, int channels,
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

void keep_pixels(const DrawnPixels& drawn, int device, DevicePixels& pixels, cudaStream_t stream) {
  const auto [width, height, channels, framebuffer, bytes] = drawn;
  const std::size_t samples = pixel_count(width, height) * static_cast<std::size_t>(channels);
  pixels.samples = allocate_on_device(device, samples * (pixels.is_float ? sizeof(float) : 1));
  if (!pixels.is_float) {
    ROUNDEL_CUDA_CHECK(
        cudaMemcpyAsync(pixels.samples.get(), bytes, samples, cudaMemcpyDeviceToDevice, stream));
    return;
  }
  constexpr int kMostBlocks = 65535;  // of a grid's second dimension
  const dim3 blocks(static_cast<unsigned>((width + kThreads - 1) / kThreads),
                    static_cast<unsigned>(height < kMostBlocks ? height : kMostBlocks));
  copy_top_down_kernel<<<blocks, kThreads, 0, stream>>>(framebuffer, width, height, channels,
                                                        static_cast<float*>(pixels.samples.get()));
  ROUNDEL_CUDA_CHECK_LAUNCH(stream);
}

}  // namespace roundel::cuda
