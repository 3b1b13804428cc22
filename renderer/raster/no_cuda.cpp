// Stands in for cuda/ in builds without the CUDA backend.
#include "renderer/base/error.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

void throw_without_cuda() {
  throw Error(ExitCode::kRuntimeFailure,
              "CUDA: this build has no CUDA backend (it was configured without nvcc)");
}

std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions&) {
  throw_without_cuda();
}

bool has_cuda_backend() {
  return false;
}

std::vector<CudaDevice> cuda_devices() {
  return {};
}

}  // namespace roundel
