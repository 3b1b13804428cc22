#include "tools/roundel/machine.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "renderer/base/error.h"

namespace roundel {

ChosenBackend choose_backend(const MachineOptions& options) {
  if (options.backend == BackendChoice::kCpu) return {Backend::kCpu, "asked for"};
  const bool asked_for = options.backend == BackendChoice::kCuda;
  if (!has_cuda_backend()) {
    if (asked_for) {
      throw Error(ExitCode::kRuntimeFailure,
                  "--backend cuda: this program was built without CUDA (nvcc was not found)");
    }
    return {Backend::kCpu, "this program was built without CUDA"};
  }
  const std::vector<CudaDevice> devices = cuda_devices();
  if (devices.empty()) {
    if (asked_for) {
      throw Error(ExitCode::kRuntimeFailure, "--backend cuda: no CUDA device is present");
    }
    return {Backend::kCpu, "no CUDA device is present"};
  }
  const int device = options.raster.device;
  for (const CudaDevice& candidate : devices) {
    if (candidate.index == device) {
      return {Backend::kCuda, fmt::format("device {}, {}", device, candidate.name)};
    }
  }
  throw Error(
      ExitCode::kUsage,
      fmt::format("--device: expected the number of a device present (\"roundel info\" lists "
                  "{}), got \"{}\"",
                  devices.size(), device));
}

std::unique_ptr<Rasterizer> make_rasterizer(Backend backend, const RasterOptions& options) {
  return backend == Backend::kCuda ? make_cuda_rasterizer(options) : make_cpu_rasterizer(options);
}

const char* backend_name(Backend backend) {
  return backend == Backend::kCuda ? "cuda" : "cpu";
}

struct ThreadLimit::Control {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads) {
  if (threads > 0) {
    control_.reset(new Control{tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                                   static_cast<std::size_t>(threads))});
  }
}

ThreadLimit::~ThreadLimit() = default;

}  // namespace roundel
