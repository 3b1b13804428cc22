#include "renderer/raster/device_column.h"

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel {

void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host) {
  cudaPointerAttributes of_column{};
  ROUNDEL_CUDA_CHECK(cudaPointerGetAttributes(&of_column, device));
  if (of_column.type == cudaMemoryTypeDevice) ROUNDEL_CUDA_CHECK(cudaSetDevice(of_column.device));
  ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());
  if (stride == size)
    ROUNDEL_CUDA_CHECK(cudaMemcpy(host, device, rows * size, cudaMemcpyDefault));
  else
    ROUNDEL_CUDA_CHECK(cudaMemcpy2D(host, size, device, stride, size, rows, cudaMemcpyDefault));
}

}  // namespace roundel
