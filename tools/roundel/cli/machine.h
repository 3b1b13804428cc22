#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "renderer/machine_options.h"

namespace roundel {

/// Calls find_backend() and prints its reason with --verbose.
ChosenBackend choose_backend(const MachineOptions& options, std::optional<DrawingCost> cost = {});

const char* backend_name(Backend backend);

/// While it lives, all CPU work of the process uses at most this number of threads (0:
/// default_threads()).
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads = 0);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace roundel
