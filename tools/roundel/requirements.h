#pragma once
#include <cstdint>

#include "renderer/image/files.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Main memory that drawing a frame of `circles` circles takes, in bytes: circles, the lists of
/// `overlaps` circle–bin pairs, at most `list_budget` (0: no limit), the pixels and the encoded
/// file. An estimate, on the safe side for PNG files.
std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget);

/// Throws Error(kRuntimeFailure) when the frame cannot be made on this machine, where else the
/// system would end the program half way: "PATH: needs 120.0 GiB of memory …"; or in this format.
void check_feasible(const Scene& scene, ImageFormat format, std::uint64_t circles,
                    std::uint64_t list_budget);
/// The first part of it, for any number of bytes.
void check_memory(const Scene& scene, std::uint64_t bytes);

}  // namespace roundel
