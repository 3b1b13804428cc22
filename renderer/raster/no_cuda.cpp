// Stands in for cuda/ in builds without the CUDA backend.
#include "renderer/base/error.h"
#include "renderer/bench/machine_limits.h"
#include "renderer/bench/resident_frame.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

namespace {

[[noreturn]] void fail() {
  throw Error(ExitCode::kRuntimeFailure,
              "CUDA: this build has no CUDA backend (it was configured without nvcc)");
}

}  // namespace

std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions&) {
  fail();
}

std::unique_ptr<ResidentFrame> make_resident_frame(const RasterOptions&, const Circles&,
                                                   const ImageSettings&) {
  fail();
}

MachineLimits measure_cuda_limits(int) {
  fail();
}

bool has_cuda_backend() {
  return false;
}

std::vector<CudaDevice> cuda_devices() {
  return {};
}

}  // namespace roundel
