// Replaces cuda/ in builds without the CUDA backend.
#include "renderer/raster/no_cuda.h"
#include "renderer/raster/device_memory.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions&) {
  throw_without_cuda();
}

std::shared_ptr<void> allocate_on_device(int, std::size_t) {
  throw_without_cuda();
}

void copy_from_device(const void*, std::size_t, std::size_t, std::size_t, void*) {
  throw_without_cuda();
}

void preserve_device(const std::function<void()>& draw) {
  draw();
}

bool has_cuda_backend() {
  return false;
}

const std::vector<CudaDevice>& cuda_devices() {
  static const std::vector<CudaDevice> none;
  return none;
}

}  // namespace roundel
