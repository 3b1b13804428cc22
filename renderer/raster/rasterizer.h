#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"
#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/circle_stream.h"
#include "renderer/image/png_file.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/device_memory.h"
#include "renderer/scene/scene.h"

namespace roundel {

enum class Backend { kCpu, kCuda };

/// None of these can change a bit of any picture.
struct RasterOptions {
  int threads = 0;                  ///< CPU threads; 0: one a core
  int device = 0;                   ///< CUDA device
  std::uint64_t memory_budget = 0;  ///< bytes for lists and states (CUDA: and circles, on the
                                    ///< device); 0: a quarter of the machine's memory for lists
                                    ///< (CUDA: nine tenths of the device's free memory)
  std::uint64_t total_memory = 0;   ///< CPU: bytes for these, circles in memory and the picture
  int tile_size = 0;  ///< CPU: pixels a side, a power of two in [16, 256]; 0: its choice
  std::uint64_t chunk_circles = 0;  ///< circles binned at once, front ones first; 0: its choice
  /// CUDA: bytes of shared memory that a block takes at most; 0: what the device has. Less is for
  /// tests of what older devices do.
  std::uint64_t block_memory = 0;
  /// CUDA: whether StageStats gets the times of stages on the device; else they are 0. Measuring
  /// takes up to a sixth of a film's frames a second.
  bool times_stages = false;
  /// CPU: whose chunks to draw in, to measure what the other backend will do.
  Backend chunks_of = Backend::kCpu;
};

/// Thrown by the CPU backend if RasterOptions::total_memory is too small for the picture.
class TooLittleMemory : public Error {
 public:
  explicit TooLittleMemory(std::uint64_t budget)
      : Error(ExitCode::kRuntimeFailure, Lines("--memory: " + std::to_string(budget >> 20) +
                                               "M is too little for this picture")),
        budget_(budget) {}
  std::uint64_t budget() const { return budget_; }  ///< bytes

 private:
  std::uint64_t budget_;
};

/// Where a frame's pixels go: a framebuffer, or an image, which gets the same pixels quantised, or
/// either in a device's memory.
struct FrameTarget {
  Framebuffer* framebuffer = nullptr;
  Image* image = nullptr;
  /// With an image: what a rasterizer that packs files itself makes instead of it, or leaves
  /// without bytes.
  PngFile* png = nullptr;
  /// Of the CUDA backend, pixels that stay with its device.
  DevicePixels* device = nullptr;
  /// Where all are null, pixels go nowhere, and this is what they would take, to measure memory.
  std::uint64_t measured_bytes = 0;

  FrameTarget(Framebuffer& out) : framebuffer(&out) {}  // NOLINT: one of three outputs
  FrameTarget(Image& out) : image(&out) {}              // NOLINT
  FrameTarget(DevicePixels& out) : device(&out) {}      // NOLINT
  static FrameTarget nowhere(std::uint64_t bytes) { return FrameTarget(bytes); }

  /// Gives the output a frame's size; its contents are undefined then. Returns the memory that it
  /// takes.
  std::uint64_t resize(const ImageSettings& settings) const {
    if (framebuffer != nullptr) {
      framebuffer->resize(settings.width, settings.height);
      return block_memory(framebuffer->pixels.size() * sizeof(Pixel));
    }
    if (image == nullptr) return measured_bytes;
    image->resize(settings.width, settings.height, settings.channels(), settings.bits);
    return block_memory(image->bytes.size());
  }

 private:
  explicit FrameTarget(std::uint64_t bytes) : measured_bytes(bytes) {}
};

/// Draws circles: stages plan, bin, blend and finish, and generate for circles that are not in
/// memory. Equal inputs give equal bits on every backend. An object may be used for many frames,
/// from one thread at a time, and keeps its memory between them.
class Rasterizer {
 public:
  virtual ~Rasterizer() = default;
  /// Resizes `out` to the image's size.
  virtual void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) = 0;
  /// True where circles that come as a recipe, so many of them, are drawn faster than others.
  virtual bool makes_circles(std::uint64_t /*count*/) { return false; }
  /// True where a first frame, of whatever, takes much longer than others.
  virtual bool starts_slowly() const { return false; }
  /// Gives back the main memory that is kept for further frames.
  virtual void give_back() {}
};

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options);

struct DrawingNeeds {
  /// The most main memory that the CPU backend takes for lists, chunks of circles and the state of
  /// active tiles, in bytes.
  std::uint64_t memory;
  std::uint64_t largest_chunk;  ///< circles
};
/// What drawing a frame takes; `picture_bytes` are the picture's. Goes through bin and blend on the
/// CPU to find out, without a picture, and throws what drawing throws.
DrawingNeeds measure_drawing(const CircleStream& circles, const ImageSettings& image,
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

/// The devices that can be used, looked for once; empty without a driver or device or in a build
/// without CUDA. Throws Error(kRuntimeFailure) when there is a driver and it reports an error.
const std::vector<CudaDevice>& cuda_devices();

}  // namespace roundel
