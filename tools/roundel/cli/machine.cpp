#include "tools/roundel/cli/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>

#include "renderer/base/cores.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {

ChosenBackend choose_backend(const MachineOptions& options, PictureWork work) {
  ChosenBackend chosen = find_backend(options, work);
  print_detail(fmt::format("backend {}: {}", backend_name(chosen.backend), chosen.reason));
  return chosen;
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

int threads_of(int asked, const LocalRank& local_rank) {
  if (asked > 0 || local_rank.count <= 1) return asked;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const int all = get_nprocs();
  const bool is_bound = sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) < all;
  return is_bound ? 0 : std::max(1, std::min(all, core_quota()) / local_rank.count);
}

const char* backend_name(Backend backend) {
  return backend == Backend::kCuda ? "cuda" : "cpu";
}

struct ThreadLimit::Control {
  explicit Control(std::size_t threads)
      : limit(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control limit;
};

ThreadLimit::ThreadLimit(int threads) {
  if (threads <= 0 && default_threads() < tbb::info::default_concurrency())
    threads = default_threads();
  if (threads > 0) control_ = std::make_unique<Control>(static_cast<std::size_t>(threads));
}

ThreadLimit::~ThreadLimit() = default;

}  // namespace roundel
