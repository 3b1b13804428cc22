#include "renderer/machine_options.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cmath>

#include "renderer/base/cores.h"
#include "renderer/base/error.h"
#include "renderer/frame_statistics.h"
#include "renderer/scene/frame_samples.h"

namespace roundel {
namespace {

/// Time of a picture in ns: for each circle and pixel, and the part that all threads share.
struct PartTimes {
  double circle, shared_circle, pixel, shared_pixel;
};
// Measured with 2 and 16 threads of an H200's host, see docs/command.md.
constexpr PartTimes kCpuTimes{0, 120, 0, 16};
constexpr PartTimes kCudaTimes{1, 15, 3, 5};  // sending circles, fetching and encoding the picture
constexpr double kCudaStartMilliseconds = 250;

double expected_milliseconds(const PartTimes& times, const DrawingCost& cost, int threads) {
  const double share = 1.0 / (threads > 0 ? threads : default_threads());
  return 1e-6 * ((times.circle + times.shared_circle * share) * static_cast<double>(cost.circles) +
                 (times.pixel + times.shared_pixel * share) * static_cast<double>(cost.pixels));
}

}  // namespace

DrawingCost drawing_cost(const Scene& scene) {
  constexpr std::uint64_t kMinEstimatedCircles = 1'000'000;  // worth an estimate
  const std::uint64_t circles = count_parts(scene);
  const auto pictures =
      static_cast<std::uint64_t>(is_blurred(scene) ? scene.animation->samples : 1);
  return {pictures * (circles > kMinEstimatedCircles ? expected_circles(scene) : circles),
          pictures * scene.image.pixels()};
}

ChosenBackend find_backend(const MachineOptions& options, std::optional<DrawingCost> cost) {
  if (options.backend == BackendChoice::kCpu) return {Backend::kCpu, "asked for"};
  const bool is_cuda_requested = options.backend == BackendChoice::kCuda;
  if (!has_cuda_backend()) {
    if (is_cuda_requested) {
      throw Error(
          ExitCode::kRuntimeFailure,
          "--backend cuda: the module for CUDA is not installed; build with nvcc, or install "
          "packages with CUDA");
    }
    return {Backend::kCpu, "the module for CUDA is not installed"};
  }
  if (!is_cuda_requested && options.devices.empty() && cost) {
    const int threads = options.raster.threads;
    const double cpu = expected_milliseconds(kCpuTimes, *cost, threads);
    const double cuda = kCudaStartMilliseconds + expected_milliseconds(kCudaTimes, *cost, threads);
    if (cpu < cuda) {
      return {Backend::kCpu,
              fmt::format("about {:.0f} ms; CUDA takes about {:.0f} ms to start, copy "
                          "and encode",
                          std::ceil(cpu), cuda)};
    }
  }
  const std::vector<CudaDevice>& devices = cuda_devices();
  if (devices.empty()) {
    if (is_cuda_requested) {
      throw Error(ExitCode::kRuntimeFailure, "--backend cuda: no CUDA device is present");
    }
    return {Backend::kCpu, "no CUDA device is present"};
  }
  if (options.devices.empty()) {
    return {Backend::kCuda, fmt::format("device {}, {}", devices[0].index, devices[0].name)};
  }
  std::string reason;
  for (const int number : options.devices) {
    const auto device =
        std::find_if(devices.begin(), devices.end(),
                     [number](const CudaDevice& known) { return known.index == number; });
    if (device == devices.end()) {
      throw Error(ExitCode::kUsage, fmt::format("--device: expected the number of a device present "
                                                "(\"roundel info\" lists {}), got \"{}\"",
                                                devices.size(), number));
    }
    reason += fmt::format("{}device {}, {}", reason.empty() ? "" : "; ", number, device->name);
  }
  return {Backend::kCuda, reason};
}

std::unique_ptr<Rasterizer> make_rasterizer(Backend backend, const RasterOptions& options) {
  if (backend == Backend::kCuda) return make_cuda_rasterizer(options);
  RasterOptions of_one_picture = options;
  of_one_picture.total_memory = options.memory_budget;
  return make_cpu_rasterizer(of_one_picture);
}

std::vector<int> devices_of(const std::vector<int>& devices, const LocalRank& local_rank) {
  const auto index = static_cast<std::size_t>(local_rank.index);
  const auto count = static_cast<std::size_t>(local_rank.count);
  if (index >= devices.size()) return {devices[index % devices.size()]};
  std::vector<int> share;
  for (std::size_t i = index; i < devices.size(); i += count) share.push_back(devices[i]);
  return share;
}

std::vector<std::unique_ptr<Rasterizer>> make_rasterizers(Backend backend,
                                                          const MachineOptions& options,
                                                          const LocalRank& local_rank,
                                                          int at_once) {
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  RasterOptions raster = options.raster;
  raster.memory_budget /= static_cast<std::uint64_t>(at_once);
  if (backend == Backend::kCpu) {
    if (at_once > 1) raster.threads = 1;
    for (int i = 0; i < at_once; ++i) rasterizers.push_back(make_cpu_rasterizer(raster));
    return rasterizers;
  }
  std::vector<int> devices = options.devices;
  if (devices.empty()) {
    for (const CudaDevice& device : cuda_devices()) devices.push_back(device.index);
  }
  for (const int device : devices_of(devices, local_rank)) {
    raster.device = device;
    for (int i = 0; i < at_once; ++i) rasterizers.push_back(make_cuda_rasterizer(raster));
  }
  return rasterizers;
}

int threads_of(int requested, const LocalRank& local_rank) {
  if (requested > 0 || local_rank.count <= 1) return requested;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const int all = get_nprocs();
  const bool is_bound = sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) < all;
  return is_bound ? 0 : std::max(1, std::min(all, core_quota()) / local_rank.count);
}

int threads_in_host(int requested) {
  const int cores = affinity_cores(), most = default_threads();
  return requested > 0 ? std::min(requested, cores) : most < cores ? most : 0;
}

}  // namespace roundel
