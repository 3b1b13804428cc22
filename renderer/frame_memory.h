#pragma once
#include <cstdint>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Upper bounds, in bytes, of the main memory for drawing one picture. They add up.
struct FrameMemory {
  std::uint64_t program;  ///< the process at its start, and the format's libraries
  std::uint64_t data;     ///< tables, and memory to read, rank and sort their rows
  std::uint64_t circles;  ///< circles in memory while they are drawn
  std::uint64_t lists;    ///< tile lists, unfinished pixels and memory that threads keep
  std::uint64_t picture;  ///< the pixels, a blurred frame's samples, and the encoded file

  std::uint64_t total() const { return program + data + circles + lists + picture; }
};

/// `drawing`: from measure_drawing(). `at_start`: resident_memory() at the start of the process.
FrameMemory frame_memory(const Scene& scene, ImageFormat format, Backend backend,
                         const DrawingNeeds& drawing, std::uint64_t at_start);

/// Returns a value of --memory, in bytes, that is enough to draw the picture on the CPU, whatever
/// limit the scene was loaded with. `overlaps`: FrameStatistics::overlaps.
std::uint64_t enough_memory(const Scene& scene, ImageFormat format, std::uint64_t overlaps);

/// Bytes of the pixels that are drawn at once, with blur_memory().
std::uint64_t picture_bytes(const Scene& scene, ImageFormat format);
/// Bytes of a blurred frame's samples; 0 without blur.
std::uint64_t blur_memory(const Scene& scene, ImageFormat format);

/// Bytes of main memory that this process holds.
std::uint64_t resident_memory();

/// Upper bound, in bytes, of the main memory of a frame whose picture is kept while it is encoded,
/// as in films. Lists of `overlaps` circle–tile pairs take at most `list_budget` (0: no limit).
std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget);

/// Throws Error(kRuntimeFailure) before drawing: "PATH: needs 120.0 GiB of memory …" if the machine
/// has less, or "PATH: --memory: 8M is too little, 26M is enough" for `budget` bytes (0: no limit).
void check_feasible(const Scene& scene, std::int64_t frame, ImageFormat format,
                    std::uint64_t budget);
/// Throws Error(kRuntimeFailure) if `bytes` exceed the machine's memory or `budget` (0: no limit).
void check_memory(const Scene& scene, std::uint64_t bytes, std::uint64_t budget = 0);

/// Throws the second error of check_feasible().
[[noreturn]] void fail_for_budget(const Scene& scene, std::int64_t frame, ImageFormat format,
                                  std::uint64_t budget);

/// Calls `draw`. If it throws TooLittleMemory, names a budget that is enough.
template <typename Draw>
void draw_within(const Scene& scene, std::int64_t frame, ImageFormat format, const Draw& draw) {
  std::uint64_t budget = 0;
  try {
    return draw();
  } catch (const TooLittleMemory& error) {
    budget = error.budget();
  }
  fail_for_budget(scene, frame, format, budget);
}

}  // namespace roundel
