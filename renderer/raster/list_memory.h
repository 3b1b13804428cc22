#pragma once
#include <cstdint>

#include "renderer/pixels/image_settings.h"

namespace roundel {

struct ListedCircles {
  std::uint64_t count;
  std::uint64_t overlaps;  ///< upper bound, with tiles of kCpuTileSize pixels
  bool are_in_memory;
};

/// Returns the bytes of main memory that suffice for lists, unfinished pixels and threads of the
/// CPU backend: in small chunks, or all at once if that takes less.
std::uint64_t enough_list_memory(const ImageSettings& image, const ListedCircles& circles,
                                 int threads);

}  // namespace roundel
