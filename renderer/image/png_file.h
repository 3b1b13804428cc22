#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// A whole PNG file. Its memory may be larger and is reused for the next file.
struct PngFile {
  std::vector<std::uint8_t> head;  ///< first bytes of the file: png_head()
  Buffer<std::uint8_t> memory;
  std::span<const std::uint8_t> bytes;  ///< in `memory`; empty: no file
};

}  // namespace roundel
