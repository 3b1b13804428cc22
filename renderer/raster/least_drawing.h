#pragma once
#include <cstdint>

#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Main memory for lists, the state of active tiles and the threads with which the CPU backend can
/// draw any circles, so many of them: `threads` 0: one a core.
std::uint64_t least_drawing_bytes(const ImageSettings& image, std::uint64_t circles, int threads);

}  // namespace roundel
