#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "renderer/raster/rasterizer.h"

namespace roundel {

/// Functions of the module roundel_cuda, which links the CUDA runtime. They implement the functions
/// of the same names in rasterizer.h and device_memory.h.
namespace cuda {
std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions& options);
std::vector<CudaDevice> cuda_devices();
std::shared_ptr<void> allocate_on_device(int device, std::size_t bytes);
void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host);
void preserve_device(const std::function<void()>& draw);
}  // namespace cuda

/// Result of the module's exported function, which gets the program's host_checkpoint.
struct CudaFunctions {
  decltype(&cuda::make_cuda_rasterizer) make_cuda_rasterizer;
  decltype(&cuda::cuda_devices) cuda_devices;
  decltype(&cuda::allocate_on_device) allocate_on_device;
  decltype(&cuda::copy_from_device) copy_from_device;
  decltype(&cuda::preserve_device) preserve_device;
};

}  // namespace roundel
