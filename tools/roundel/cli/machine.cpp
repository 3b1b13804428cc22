#include "tools/roundel/cli/machine.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "renderer/base/cores.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {

ChosenBackend choose_backend(const MachineOptions& options, std::optional<DrawingCost> cost) {
  ChosenBackend chosen = find_backend(options, cost);
  print_detail(fmt::format("backend {}: {}", backend_name(chosen.backend), chosen.reason));
  return chosen;
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
  if (threads <= 0 && core_quota() < affinity_cores()) threads = core_quota();
  if (threads > 0) control_ = std::make_unique<Control>(static_cast<std::size_t>(threads));
}

ThreadLimit::~ThreadLimit() = default;

}  // namespace roundel
