#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// A whole PNG file, in memory that may be larger and is kept for the next one.
struct PngFile {
  std::vector<std::uint8_t> head;  ///< that it is to begin with: png_head()
  Buffer<std::uint8_t> memory;
  std::span<const std::uint8_t> bytes;  ///< in it; empty: there is no file
};

}  // namespace roundel
