#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/stage_stats.h"
#include "renderer/generate/circle.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/circle_feed.h"
#include "renderer/scene/scene.h"

namespace roundel {

enum class Backend { kCpu, kCuda };

/// None of these can change a bit of any picture.
struct RasterOptions {
  int threads = 0;                  ///< CPU threads; 0: one a core
  int device = 0;                   ///< CUDA device
  std::uint64_t memory_budget = 0;  ///< bytes for lists and states (CUDA: and circles, on the
                                    ///< device); 0: most of what is free
  std::uint64_t total_memory = 0;   ///< CPU: bytes for these, circles in memory and the picture
  int bin_size = 0;                 ///< pixels a side, a power of two in [16, 256]; 0: its choice
  std::uint64_t chunk_circles = 0;  ///< circles binned at once, front ones first; 0: its choice
};

/// Paints circles: stages `bin` and `blend`, and `generate` for circles that are not in memory.
/// Equal inputs give equal bits on every backend. An object may be used for many frames, from one
/// thread at a time, and keeps its memory between them.
class Rasterizer {
 public:
  virtual ~Rasterizer() = default;
  /// Float result; resizes `out` to the image's size.
  virtual void draw(const CircleFeed& circles, const ImageSettings& image, Framebuffer& out,
                    StageStats& stats) = 0;
  /// 8-bit result: the same pixels, quantised while they are at hand.
  virtual void draw(const CircleFeed& circles, const ImageSettings& image, Image& out,
                    StageStats& stats) = 0;
  /// Gives back the main memory that is kept for further frames.
  virtual void give_back() {}

  /// Circles in memory, in frame space.
  template <typename Output>
  void draw(const Circles& circles, const ImageSettings& image, Output& out, StageStats& stats) {
    draw(MemoryFeed(circles), image, out, stats);
  }
};

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options);

/// The most main memory that the CPU backend takes for lists, chunks of circles and the state of
/// unfinished pixels while it draws a frame, in bytes; `picture_bytes` are the picture's. Goes
/// through bin and blend to find out, without a picture, and throws what drawing throws.
std::uint64_t measure_drawing(const CircleFeed& circles, const ImageSettings& image,
                              std::uint64_t picture_bytes, const RasterOptions& options);

/// Main memory that the CPU backend's threads keep of their own, after drawing too: stacks, and
/// where there are many circles a slab of them. `threads` 0: one a core.
std::uint64_t kept_by_threads(std::uint64_t circles, int threads);

/// The instruction set that the CPU backend runs on this machine, in Highway's words: AVX3, AVX2…
std::string cpu_vector_target();

/// All of them that it can run on here, best first, and the one it runs on from now on, for tests
/// and measurements: "" lets it choose again. False for one that is not in the list.
std::vector<std::string> cpu_vector_targets();
bool force_cpu_vector_target(const std::string& name);

/// Throws Error(kRuntimeFailure) without a usable device or in a build without CUDA.
std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions& options);

struct CudaDevice {
  int index;
  std::string name;
  int compute_capability;      ///< 90 for 9.0
  std::uint64_t total_memory;  ///< bytes
  int driver_version;          ///< of CUDA as the driver has it, 13000 for 13.0
  double clock_mhz;            ///< the highest
};

/// True in a build with the CUDA backend.
bool has_cuda_backend();

/// The devices that can be used; empty without a driver or device or in a build without CUDA.
/// Throws Error(kRuntimeFailure) when there is a driver and it reports an error.
std::vector<CudaDevice> cuda_devices();

}  // namespace roundel
