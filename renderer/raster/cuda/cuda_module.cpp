#include "renderer/raster/cuda/cuda_module.h"

#include "renderer/base/module.h"

ROUNDEL_MODULE_FUNCTION roundel::CudaFunctions roundel_cuda_functions() {
  using namespace roundel::cuda;
  return {&make_cuda_rasterizer, &cuda_devices, &allocate_on_device, &copy_from_device,
          &preserve_device};
}
