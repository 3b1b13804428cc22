#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/cuda_module.h"

namespace roundel::cuda {

std::vector<CudaDevice> cuda_devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    cudaGetLastError();  // no driver or device: not an error
    return {};
  }
  ROUNDEL_CUDA_CHECK(status);
  int driver_version = 0;
  ROUNDEL_CUDA_CHECK(cudaDriverGetVersion(&driver_version));
  std::vector<CudaDevice> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    ROUNDEL_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    int clock_khz = 0;
    ROUNDEL_CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, index));
    devices.push_back({index, properties.name, properties.major * 10 + properties.minor,
                       properties.totalGlobalMem, driver_version, clock_khz / 1000.0});
  }
  return devices;
}

}  // namespace roundel::cuda
