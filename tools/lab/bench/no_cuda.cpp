// Stubs of the device measurements for builds without the CUDA backend.
#include "renderer/base/error.h"
#include "tools/lab/bench/machine_limits.h"
#include "tools/lab/bench/resident_frame.h"

namespace roundel {
namespace {

[[noreturn]] void throw_without_cuda() {
  throw Error(ExitCode::kRuntimeFailure,
              "CUDA: this build has no CUDA backend; install nvcc and build again");
}

}  // namespace

std::unique_ptr<ResidentFrame> make_resident_frame(const RasterOptions&, const Circles&,
                                                   const ImageSettings&) {
  throw_without_cuda();
}

MachineLimits measure_cuda_limits(int) {
  throw_without_cuda();
}

}  // namespace roundel
