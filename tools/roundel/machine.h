#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "renderer/raster/rasterizer.h"
#include "tools/roundel/options.h"

namespace roundel {

struct ChosenBackend {
  Backend backend;
  std::string reason;  ///< "asked for", "no CUDA device is present", …
};

/// What the pictures of one call take: for each its circles and its pixels, added up.
using PictureWork = std::uint64_t;
inline constexpr PictureWork kEndlessWork = ~PictureWork{0};

/// About how long the CPU backend takes for this, command and encoding included.
double expected_cpu_milliseconds(PictureWork work, int threads);

/// The backend that `options` ask for on this machine. `auto` is the CPU without a device, and
/// where it is expected to be done before CUDA has started (unless a device was named). Throws
/// Error(kRuntimeFailure) when CUDA was asked for and cannot be had, or reports an error;
/// Error(kUsage) when there are devices, but not the one asked for. Does not touch CUDA unless the
/// backend asks.
ChosenBackend choose_backend(const MachineOptions& options, PictureWork work = kEndlessWork);

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
