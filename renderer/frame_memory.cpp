#include "renderer/frame_memory.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/generate.h"
#include "renderer/frame_statistics.h"
#include "renderer/image/png_format.h"
#include "renderer/picture_bands.h"
#include "renderer/raster/list_memory.h"
#include "renderer/scene/frame_samples.h"

namespace roundel {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kBytesOfCircle = sizeof(Shape) + sizeof(Paint);

/// Returns the memory of the pixels that are drawn at once.
std::uint64_t pixel_bytes(const ImageSettings& image, ImageFormat format) {
  const std::uint64_t pixel =
      format != ImageFormat::kPng
          ? sizeof(Pixel)
          : static_cast<std::uint64_t>(image.channels()) * (image.bits == 16 ? 2 : 1);
  return block_memory(pixel_count(image.width, rows_of_band(image, format)) * pixel);
}

/// Returns the memory for encoding, with the picture.
std::uint64_t encoding_bytes(const ImageSettings& image, ImageFormat format) {
  const int channels = image.channels();
  const std::uint64_t picture = pixel_bytes(image, format);
  // Rows of a float picture are freed as the file grows, some MiB later; OpenEXR has blocks of 16
  // rows.
  constexpr std::uint64_t kRowsOfBlock = 16;
  const std::uint64_t behind = std::min(picture, 4 * kMiB);
  const std::uint64_t row = picture / static_cast<std::uint64_t>(image.height);
  if (format == ImageFormat::kPfm) return picture + behind;
  if (format == ImageFormat::kExr) return picture + behind + 2 * kRowsOfBlock * row;
  if (is_drawn_in_bands(image, format)) {
    // The band, and its code, both as made and in the file.
    return picture + 2 * (png_format::kBlockBytes + 2 * kMiB);
  }
  const PngShape shape{image.width, image.height, channels, image.bits};
  constexpr std::uint64_t kTables = 5 * kMiB / 8;  // the compressor
  // The file grows as the picture's rows are freed, beside the code of a block.
  if (is_streamed_png(shape))
    return picture + std::min<std::uint64_t>(shape.filtered_bytes(), png_format::kBlockBytes) +
           kTables;
  // The picture and its filtered rows; then filtered and compressed rows; then two copies of these.
  return picture +
         block_memory(image.pixels() * static_cast<std::uint64_t>(channels) +
                      static_cast<std::uint64_t>(image.height)) +
         kTables;
}

/// In bytes, without lists.
struct StageMemory {
  SourceMemory data;
  std::uint64_t circles;  ///< in memory while they are drawn
  std::uint64_t depths;   ///< sorted before drawing
  std::uint64_t pixels;
  std::uint64_t encoding;  ///< with the pixels

  /// `lists`: while drawing.
  std::uint64_t most(std::uint64_t lists) const {
    return std::max(
        {data.peak + circles + depths, data.held + circles + lists + pixels, data.held + encoding});
  }
};

/// `largest_chunk`: circles that are uploaded to a device at once.
StageMemory stage_memory(const Scene& scene, ImageFormat format, std::uint64_t largest_chunk) {
  const CircleSource source(scene);
  const std::uint64_t count = count_parts(scene);
  const bool is_streamed = source.is_streamed();
  StageMemory memory{source.own_memory(), 0, 0, picture_bytes(scene, format),
                     encoding_bytes(scene.image, format)};
  if (is_blurred(scene)) {  // a sample has its own
    memory.data.peak += memory.data.held;
    memory.data.held *= 2;
  }
  // Pieces of data come and go between large blocks, which begin at huge pages.
  const std::uint64_t gaps = std::min(memory.data.peak, 8 * kMiB);
  memory.data.peak += gaps;
  memory.data.held += gaps;
  // A device makes random circles itself.
  const bool is_made = !is_streamed || (largest_chunk > 0 && source.device_runs().empty());
  if (is_made)
    memory.circles = 2 * block_memory((is_streamed ? largest_chunk : count) * kBytesOfCircle / 2);
  if (is_blurred(scene)) memory.circles *= source.is_simulated() ? 3 : 2;
  if (!is_streamed) memory.depths = block_memory(count * sizeof(std::uint32_t));
  return memory;
}

std::uint64_t program_memory(std::uint64_t at_start, ImageFormat format, Backend backend) {
  constexpr std::uint64_t kWorking = 7 * kMiB;  // libraries and threads for drawing and encoding
  constexpr std::uint64_t kOpenExr = kMiB;
  // CUDA's runtime and driver on the host; measured 87 to 107 MiB with driver 580.
  constexpr std::uint64_t kCuda = 112 * kMiB;
  return at_start + kWorking + (format == ImageFormat::kExr ? kOpenExr : 0) +
         (backend == Backend::kCuda ? kCuda : 0);
}

int thread_count() {
  return static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace

std::uint64_t picture_bytes(const Scene& scene, ImageFormat format) {
  return pixel_bytes(scene.image, format) + blur_memory(scene, format);
}

std::uint64_t blur_memory(const Scene& scene, ImageFormat format) {
  if (!is_blurred(scene)) return 0;
  return mean_memory(pixel_count(scene.image.width, rows_of_band(scene.image, format)),
                     format != ImageFormat::kPng);
}

FrameMemory frame_memory(const Scene& scene, ImageFormat format, Backend backend,
                         const DrawingNeeds& drawing, std::uint64_t at_start) {
  const bool is_cpu = backend == Backend::kCpu;
  const StageMemory memory = stage_memory(scene, format, is_cpu ? 0 : drawing.largest_chunk);
  const std::uint64_t kept = thread_memory(count_parts(scene), thread_count());
  return {program_memory(at_start, format, backend), memory.data.peak,
          memory.circles + memory.depths, is_cpu ? drawing.memory + kept : 0,
          std::max(memory.pixels, memory.encoding)};
}

std::uint64_t enough_memory(const Scene& scene, ImageFormat format, std::uint64_t overlaps) {
  // With more memory, data keep more of it: up to a third.
  Scene with = scene;
  for (std::uint64_t needed = 0;;) {
    with.memory = (needed / kMiB + 1) * kMiB;
    const StageMemory memory = stage_memory(with, format, 0);
    const ImageSettings band = band_of(scene.image, 0, rows_of_band(scene.image, format));
    const std::uint64_t lists = enough_list_memory(
        band, {count_parts(scene), overlaps, memory.circles > 0}, thread_count());
    // The memory of reading varies from run to run.
    needed = memory.most(lists) + memory.data.peak / 16;
    if (needed <= with.memory) return with.memory;
  }
}

std::uint64_t resident_memory() {
  std::uint64_t size = 0, resident = 0;  // pages
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget) {
  const std::uint64_t pixels = image.pixels();
  std::uint64_t lists = overlaps * sizeof(std::uint32_t);
  if (list_budget > 0) lists = std::min(lists, list_budget);
  const auto channels = static_cast<std::uint64_t>(image.channels());
  // A PNG: the picture, its filtered rows, and at most as large compressed rows; bands take less.
  // Float files: the framebuffer and the file.
  const std::uint64_t bytes = image.bits == 16 ? 2 : 1;
  const std::uint64_t picture =
      format == ImageFormat::kPng
          ? (is_drawn_in_bands(image, format) ? 1 : 3) * pixels * channels * bytes
          : pixels * (sizeof(Pixel) + 4 * channels);
  return circles * kBytesOfCircle + lists + picture;
}

void check_feasible(const Scene& scene, std::int64_t frame, ImageFormat format,
                    std::uint64_t budget) {
  const std::uint64_t least = stage_memory(scene, format, 0).most(0);
  check_memory(scene, least);
  if (budget > 0 && least > budget) fail_for_budget(scene, frame, format, budget);
}

void check_memory(const Scene& scene, std::uint64_t bytes, std::uint64_t budget) {
  const std::uint64_t available = physical_memory();
  if (bytes > available)
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: needs {} of memory, this machine has {}", scene.path,
                            memory_text(static_cast<double>(bytes)),
                            memory_text(static_cast<double>(available))));
  if (budget > 0 && bytes > budget)
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: --memory: {}M is too little for a frame in flight, {}M or more is "
                            "needed",
                            scene.path, budget / kMiB, bytes / kMiB + 1));
}

void fail_for_budget(const Scene& scene, std::int64_t frame, ImageFormat format,
                     std::uint64_t budget) {
  const std::uint64_t enough = enough_memory(scene, format, frame_overlaps(scene, frame));
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: --memory: {}M is too little, {}M is enough", scene.path,
                          budget / kMiB, enough / kMiB));
}

}  // namespace roundel
