#include "renderer/raster/cuda/cuda_module.h"

#include "renderer/base/checkpoint.h"
#include "renderer/base/module.h"

ROUNDEL_MODULE_FUNCTION roundel::CudaFunctions roundel_cuda_functions(
    roundel::Checkpoint checkpoint) {
  roundel::host_checkpoint = checkpoint;
  using namespace roundel::cuda;
  return {&make_cuda_rasterizer, &cuda_devices, &allocate_on_device, &copy_from_device,
          &preserve_device};
}
