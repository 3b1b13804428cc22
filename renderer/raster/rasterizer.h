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

/// None of these changes a bit of a picture.
struct RasterOptions {
  int threads = 0;  ///< CPU threads; 0: one for each core
  int device = 0;
  /// Bytes for lists and states (CUDA: and circles, on the device); 0: for lists a quarter of the
  /// machine's memory (CUDA: nine tenths of the device's free memory).
  std::uint64_t memory_budget = 0;
  /// CPU: bytes for lists, states, circles in memory and the picture.
  std::uint64_t total_memory = 0;
  int tile_size = 0;  ///< CPU: pixels a side, a power of two in [16, 256]; 0: the backend chooses
  /// Circles binned at once, front ones first; 0: the backend chooses.
  std::uint64_t chunk_circles = 0;
  /// CUDA: maximum shared memory of a block; 0: the device's. Tests set it to the limits of older
  /// devices.
  std::uint64_t block_memory = 0;
  /// CUDA: StageStats gets the times of stages on the device, else 0. Films are up to a sixth
  /// slower.
  bool times_stages = false;
  /// CPU: backend whose chunks are drawn, to measure what it will need.
  Backend chunk_backend = Backend::kCpu;
};

/// Thrown by the CPU backend if total_memory is too small for the picture.
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

/// Output of a frame: a framebuffer, an image (the same pixels quantised), or either on a device.
struct FrameTarget {
  Framebuffer* framebuffer = nullptr;
  Image* image = nullptr;
  /// With an image: the file that the rasterizer may pack instead, or leave empty.
  PngFile* png = nullptr;
  /// Pixels that stay on the CUDA device.
  DevicePixels* device = nullptr;
  /// If all are null, pixels are discarded; this is the memory that they would take.
  std::uint64_t measured_bytes = 0;
  std::uint64_t held_bytes = 0;  ///< more memory that the caller holds while drawing
  /// Index of this picture, and number of pictures, drawn one after the other, whose mean is the
  /// output; it is made with the last one. Only if Rasterizer::draws_means().
  std::size_t sample = 0, samples = 1;

  FrameTarget(Framebuffer& out) : framebuffer(&out) {}  // NOLINT: one of three outputs
  FrameTarget(Image& out) : image(&out) {}              // NOLINT
  FrameTarget(DevicePixels& out) : device(&out) {}      // NOLINT
  static FrameTarget nowhere(std::uint64_t bytes) { return FrameTarget(bytes); }

  /// Resizes the output, whose contents are undefined then. Returns its memory.
  std::uint64_t resize(const ImageSettings& settings) const {
    if (framebuffer != nullptr) {
      framebuffer->resize(settings.width, settings.height);
      return held_bytes + block_memory(framebuffer->pixels.size() * sizeof(Pixel));
    }
    if (image == nullptr) return held_bytes + measured_bytes;
    image->resize(settings.width, settings.height, settings.channels(), settings.bits);
    return held_bytes + block_memory(image->bytes.size());
  }

 private:
  explicit FrameTarget(std::uint64_t bytes) : measured_bytes(bytes) {}
};

/// Draws circles, by the stages plan, generate, bin, blend and finish. Equal inputs give equal bits
/// on every backend. A rasterizer keeps its memory between frames and serves one thread at a time.
class Rasterizer {
 public:
  virtual ~Rasterizer() = default;
  /// Draws the circles, or the mean of their samples.
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats);
  /// True if making `count` circles on the device beats uploading them.
  virtual bool makes_circles(std::uint64_t /*count*/) { return false; }
  /// True if a process's first frame takes much longer than later ones.
  virtual bool needs_warm_up() const { return false; }
  /// Frees the main memory that is kept for later frames.
  virtual void free_host_memory() {}

 private:
  /// True if draw_circles() adds samples itself; else draw() does, in main memory.
  virtual bool draws_means() const { return false; }
  virtual void draw_circles(const CircleStream& circles, const ImageSettings& image,
                            const FrameTarget& out, StageStats& stats) = 0;
};

/// Bytes of main memory for a mean, besides the picture. Pictures for EXR and PFM are `is_float`.
std::uint64_t mean_memory(std::uint64_t pixels, bool is_float);

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options);

struct DrawingNeeds {
  /// Peak bytes of main memory for lists, chunks of circles and states.
  std::uint64_t memory;
  std::uint64_t largest_chunk;  ///< circles
};
/// Measures by running bin and blend on the CPU, without a picture; `picture_bytes` are the
/// picture's. Throws the errors of drawing.
DrawingNeeds measure_drawing(const CircleStream& circles, const ImageSettings& image,
                             std::uint64_t picture_bytes, const RasterOptions& options);

/// Returns the main memory that CPU threads keep after drawing: stacks, and for many circles a slab
/// each. `threads` 0: one for each core.
std::uint64_t thread_memory(std::uint64_t circles, int threads);

/// The CPU backend's instruction set on this machine, by Highway's name: AVX3, AVX2…
std::string cpu_vector_target();

/// The first returns the supported instruction sets, best first. The second selects one for tests
/// and measurements ("" for the best); it returns false for an unknown name.
std::vector<std::string> cpu_vector_targets();
bool force_cpu_vector_target(const std::string& name);

/// An instruction set of this kind of processor that cannot be selected.
struct MissingVectorTarget {
  std::string name;
  bool is_built;  ///< the processor lacks it; else the build does
};
std::vector<MissingVectorTarget> cpu_missing_vector_targets();

/// Throws Error(kRuntimeFailure) without a usable device or in a build without CUDA.
std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions& options);

struct CudaDevice {
  int index;
  std::string name;
  int compute_capability;      ///< 90 for 9.0
  std::uint64_t total_memory;  ///< bytes
  int driver_version;          ///< CUDA version, 13000 for 13.0
  double clock_mhz;            ///< highest clock
};

bool has_cuda_backend();

/// Returns the usable devices, searched once; none without a device, a driver or a build with CUDA.
/// Throws Error(kRuntimeFailure) if the driver reports an error.
const std::vector<CudaDevice>& cuda_devices();

}  // namespace roundel
