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

}  // namespace roundel
