#pragma once
#include <memory>
#include <string>

#include "renderer/raster/rasterizer.h"
#include "tools/roundel/options.h"

namespace roundel {

struct ChosenBackend {
  Backend backend;
  std::string reason;  ///< "asked for", "no CUDA device is present", …
};

/// The backend that `options` ask for on this machine. Without a device `auto` is the CPU. Throws
/// Error(kRuntimeFailure) when CUDA was asked for and cannot be had, or reports an error;
/// Error(kUsage) when there are devices, but not the one asked for. Does not touch CUDA unless the
/// backend asks.
ChosenBackend choose_backend(const MachineOptions& options);

std::unique_ptr<Rasterizer> make_rasterizer(Backend backend, const RasterOptions& options);

const char* backend_name(Backend backend);

/// While it lives, all CPU work of the process keeps to this number of threads (0: one a core).
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace roundel
