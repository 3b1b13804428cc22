#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// A PNG file, in memory that may be larger and is reused.
struct PngFile {
  std::vector<std::uint8_t> head;  ///< png_head()
  Buffer<std::uint8_t> memory;
  std::span<const std::uint8_t> bytes;  ///< in `memory`; empty: no file
};

}  // namespace roundel
