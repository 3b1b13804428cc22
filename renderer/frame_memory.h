#pragma once
#include <cstdint>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Upper bounds of the main memory that drawing one picture takes, in bytes. They add up.
struct FrameMemory {
  std::uint64_t program;  ///< the process at its start, and the libraries that the format needs
  std::uint64_t data;     ///< tables, and what reading, ranking and sorting their rows takes
  std::uint64_t circles;  ///< circles that stay in memory while they are drawn
  std::uint64_t lists;    ///< lists of the tiles, unfinished pixels and what threads keep
  std::uint64_t picture;  ///< the pixels and the encoded file

  std::uint64_t total() const { return program + data + circles + lists + picture; }
};

/// `drawing`: measured by measure_drawing(). `at_start`: resident_memory() of a process that has
/// done nothing yet.
FrameMemory frame_memory(const Scene& scene, ImageFormat format, Backend backend,
                         const DrawingNeeds& drawing, std::uint64_t at_start);

/// Returns a value of --memory, in bytes, with which the CPU draws the picture, whatever limit the
/// scene was loaded with. `overlaps`: FrameStatistics::overlaps.
std::uint64_t enough_memory(const Scene& scene, ImageFormat format, std::uint64_t overlaps);

/// Bytes of the pixels that drawing writes at once.
std::uint64_t picture_bytes(const ImageSettings& image, ImageFormat format);

/// Main memory that this process has at the moment, in bytes.
std::uint64_t resident_memory();

/// Upper bound of the main memory of a frame whose picture is kept while it is encoded, as in
/// films, in bytes: circles, the lists of `overlaps` circle–tile pairs, at most `list_budget` (0:
/// no limit), the pixels and the encoded file.
std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget);

/// Throws Error(kRuntimeFailure) if a picture takes more memory, before it is drawn, than this
/// machine has, "PATH: needs 120.0 GiB of memory …", or than `budget` bytes (0: no limit), "PATH:
/// --memory: 8M is too little, 26M is enough".
void check_feasible(const Scene& scene, std::int64_t frame, ImageFormat format,
                    std::uint64_t budget);
/// Throws Error(kRuntimeFailure) if `bytes` are more than this machine or `budget` (0: no limit)
/// has.
void check_memory(const Scene& scene, std::uint64_t bytes, std::uint64_t budget = 0);

/// Throws Error(kRuntimeFailure) "PATH: --memory: 8M is too little, 26M is enough".
[[noreturn]] void fail_for_budget(const Scene& scene, std::int64_t frame, ImageFormat format,
                                  std::uint64_t budget);

/// Calls `draw`, which draws the picture. If it throws TooLittleMemory, names what is enough.
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
