#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

enum class BackendChoice { kAuto, kCpu, kCuda };

/// Choice of backend and devices. The pixels do not depend on it.
struct MachineOptions {
  BackendChoice backend = BackendChoice::kAuto;
  std::vector<int> devices;  ///< CUDA devices; empty: all for a sequence, else the first
  RasterOptions raster;
};

struct ChosenBackend {
  Backend backend;
  std::string reason;  ///< "asked for", "no CUDA device is present", …
};

/// Circles that are likely to be drawn, and pixels, of all pictures of a call.
struct DrawingCost {
  std::uint64_t circles = 0, pixels = 0;

  DrawingCost& operator+=(const DrawingCost& other) {
    circles += other.circles;
    pixels += other.pixels;
    return *this;
  }
};

DrawingCost drawing_cost(const Scene& scene);

/// Returns the backend that `options` ask for. `auto` is the CPU if there is no device, or if no
/// device was named and the CPU should draw `cost` faster, CUDA's start included. Throws
/// Error(kRuntimeFailure) if CUDA was requested and is missing or reports an error, Error(kUsage)
/// if the named device is missing. Initializes CUDA only if it may be used.
ChosenBackend find_backend(const MachineOptions& options, std::optional<DrawingCost> cost = {});

/// For one picture at a time. On the CPU the memory budget covers the whole picture.
std::unique_ptr<Rasterizer> make_rasterizer(Backend backend, const RasterOptions& options);

/// Number of this process among those that share one machine's devices and cores.
struct LocalRank {
  int index = 0;
  int count = 1;
};

/// Rasterizers of a sequence. CPU: `at_once` of them, with one thread each if there are several.
/// CUDA: `at_once` for each device that is requested, or that the machine has. Local ranks divide
/// the devices, or share them in turn if there are fewer devices than ranks.
std::vector<std::unique_ptr<Rasterizer>> make_rasterizers(Backend backend,
                                                          const MachineOptions& options,
                                                          const LocalRank& local_rank, int at_once);
std::vector<int> devices_of(const std::vector<int>& devices, const LocalRank& local_rank);

/// CPU threads of a rank: `requested` if set; an equal share of the cores if several ranks share a
/// machine and are not bound to cores; else 0, for default_threads().
int threads_of(int requested, const LocalRank& local_rank);

/// CPU threads in a program that uses the library, at most one per core: more would need a
/// process-wide limit. 0: no limit needed.
int threads_in_host(int requested);

}  // namespace roundel
