// The CUDA backend is a module, loaded only if the machine has a driver.
#include <dlfcn.h>

#include "renderer/base/checkpoint.h"
#include "renderer/base/module.h"
#include "renderer/raster/cuda/cuda_module.h"
#include "renderer/raster/device_memory.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {
namespace {

constexpr const char* kCudaModule = "libroundel_cuda.so";

const CudaFunctions& cuda_functions() {
  static const CudaFunctions functions = module_function<CudaFunctions(Checkpoint)>(
      kCudaModule, "roundel_cuda_functions")(host_checkpoint);
  return functions;
}

bool has_cuda_driver() {
  return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

}  // namespace

bool has_cuda_backend() {
  return has_module(kCudaModule);
}

const std::vector<CudaDevice>& cuda_devices() {
  // CUDA searches once, too; querying properties takes longer than drawing.
  static const std::vector<CudaDevice> devices = has_cuda_backend() && has_cuda_driver()
                                                     ? cuda_functions().cuda_devices()
                                                     : std::vector<CudaDevice>();
  return devices;
}

std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions& options) {
  return cuda_functions().make_cuda_rasterizer(options);
}

std::shared_ptr<void> allocate_on_device(int device, std::size_t bytes) {
  return cuda_functions().allocate_on_device(device, bytes);
}

void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host) {
  cuda_functions().copy_from_device(device, stride, size, rows, host);
}

void preserve_device(const std::function<void()>& draw) {
  cuda_functions().preserve_device(draw);
}

}  // namespace roundel
