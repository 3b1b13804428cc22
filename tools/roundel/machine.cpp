#include "tools/roundel/machine.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "renderer/base/error.h"

namespace roundel {

namespace {

// Measured on two cores at 2.5 GHz: 60 to 110 ms for a million circles on a million pixels.
constexpr double kNanosecondsOfWork = 60;  ///< a circle or pixel, on one thread
// A CUDA context takes 0.2 to 0.5 s.
constexpr double kCudaStartMilliseconds = 300;

}  // namespace

double expected_cpu_milliseconds(PictureWork work, int threads) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const double count = threads > 0 ? threads : static_cast<double>(cores);
  return static_cast<double>(work) * kNanosecondsOfWork * 1e-6 / count;
}

ChosenBackend choose_backend(const MachineOptions& options, PictureWork work) {
  if (options.backend == BackendChoice::kCpu) return {Backend::kCpu, "asked for"};
  const bool asked_for = options.backend == BackendChoice::kCuda;
  if (!has_cuda_backend()) {
    if (asked_for) {
      throw Error(ExitCode::kRuntimeFailure,
                  "--backend cuda: this program was built without CUDA (nvcc was not found)");
    }
    return {Backend::kCpu, "this program was built without CUDA"};
  }
  const double cpu_milliseconds = expected_cpu_milliseconds(work, options.raster.threads);
  if (!asked_for && options.raster.device == 0 && cpu_milliseconds < kCudaStartMilliseconds) {
    return {Backend::kCpu,
            fmt::format("about {:.0f} ms, less than the {:.0f} ms that CUDA takes to "
                        "start",
                        std::ceil(cpu_milliseconds), kCudaStartMilliseconds)};
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
  explicit Control(std::size_t threads)
      : limit(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control limit;
};

ThreadLimit::ThreadLimit(int threads)
    : control_(threads > 0 ? std::make_unique<Control>(static_cast<std::size_t>(threads))
                           : nullptr) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace roundel
