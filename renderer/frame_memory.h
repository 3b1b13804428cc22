#pragma once
#include <cstdint>

#include "renderer/image/files.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Main memory that a single picture takes beyond the program itself, in bytes, in the order of the
/// work: each part of it gives back what the next one does not need. This is what --memory bounds.
struct FrameMemory {
  std::uint64_t generating;  ///< reading data, circles that are made before drawing, sorting them
  std::uint64_t drawing;     ///< these circles, lists, unfinished pixels and the picture
  std::uint64_t encoding;    ///< the picture and its file, without all that
  std::uint64_t most() const;
};

/// `needs`: what measure_drawing() says, for the backend's chunks and with that many threads (0:
/// one a core); or nothing, for the least.
FrameMemory frame_memory(const Scene& scene, ImageFormat format, Backend backend,
                         const DrawingNeeds& needs, int threads);

/// What drawing writes its picture to, in bytes.
std::uint64_t picture_bytes(const ImageSettings& image, ImageFormat format);

/// What the program takes when it draws hardly anything, with the libraries that the format needs;
/// `at_start`: resident_memory() of a process that has done nothing yet.
std::uint64_t program_memory(std::uint64_t at_start, ImageFormat format, Backend backend);
/// Main memory that this process has at the moment.
std::uint64_t resident_memory();

/// Main memory that a frame takes whose picture is kept while it is encoded, as in films: circles,
/// the lists of `overlaps` circle–tile pairs, at most `list_budget` (0: no limit), the pixels and
/// the encoded file. An estimate, on the safe side.
std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget);

/// Throws Error(kRuntimeFailure) when even the least that the picture takes is more than `budget`
/// (0: none was given) or than this machine has: "PATH: needs 120.0 GiB of memory …"; where else
/// the system would end the program half way.
void check_feasible(const Scene& scene, ImageFormat format, std::uint64_t budget);
/// The same for any number of bytes.
void check_memory(const Scene& scene, std::uint64_t bytes, std::uint64_t budget = 0);

}  // namespace roundel
