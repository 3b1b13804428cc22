#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

enum class BackendChoice { kAuto, kCpu, kCuda };

/// What draws. Changes no bit of any picture.
struct MachineOptions {
  BackendChoice backend = BackendChoice::kAuto;
  std::vector<int> devices;  ///< CUDA devices; empty: all for a sequence, else the first
  RasterOptions raster;
};

struct ChosenBackend {
  Backend backend;
  std::string reason;  ///< "asked for", "no CUDA device is present", …
};

/// What the pictures of one call take: for each its circles and its pixels, added up.
using PictureWork = std::uint64_t;
inline constexpr PictureWork kEndlessWork = ~PictureWork{0};

PictureWork work_of(const Scene& scene);

/// The backend that `options` ask for on this machine. `auto` is the CPU without a device, and
/// where it is expected to be done before CUDA has started (unless a device was named). Throws
/// Error(kRuntimeFailure) when CUDA was asked for and cannot be had, or reports an error;
/// Error(kUsage) when there are devices, but not the one asked for. Does not touch CUDA unless the
/// backend asks.
ChosenBackend find_backend(const MachineOptions& options, PictureWork work = kEndlessWork);

/// For pictures one at a time: on the CPU the memory budget is for all that one takes.
std::unique_ptr<Rasterizer> make_rasterizer(Backend backend, const RasterOptions& options);

/// Which of the processes on one machine this is; they share its devices and cores.
struct LocalRank {
  int index = 0;
  int count = 1;
};

/// For a sequence: on the CPU `at_once`, with one thread each where there are several; on CUDA
/// `at_once` a device, of those asked for or all of the machine. Several local ranks divide the
/// devices, or take turns where there are fewer.
std::vector<std::unique_ptr<Rasterizer>> make_rasterizers(Backend backend,
                                                          const MachineOptions& options,
                                                          const LocalRank& local_rank, int at_once);
/// The share of `devices` of a local rank.
std::vector<int> devices_of(const std::vector<int>& devices, const LocalRank& local_rank);

/// CPU threads for a rank: what was asked for; else, where several ranks share a machine without
/// being bound to cores of their own, an equal share of them; else 0, for default_threads().
int threads_of(int asked, const LocalRank& local_rank);

/// CPU threads in a program that the library works in: more than there are cores would need a limit
/// of the whole process to be raised. 0, if no limit is needed.
int threads_in_host(int asked);

}  // namespace roundel
