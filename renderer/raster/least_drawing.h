#pragma once
#include <cstdint>

#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Circles to be listed by tile.
struct ListedCircles {
  std::uint64_t count;
  std::uint64_t overlaps;  ///< with tiles of kCpuTileSize pixels, at most
  bool are_in_memory;
};

/// Main memory for lists, unfinished pixels and `threads` threads with which the CPU backend draws
/// such circles: in small chunks, or all at once if that takes less. In bytes.
std::uint64_t enough_list_memory(const ImageSettings& image, const ListedCircles& circles,
                                 int threads);

}  // namespace roundel
