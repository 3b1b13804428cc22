#pragma once
#include <cstdint>
#include <span>

#include "renderer/base/buffer.h"

namespace roundel {

/// A whole PNG file, in memory that may be larger and is kept for the next one.
struct PngFile {
  Buffer<std::uint8_t> memory;
  std::span<const std::uint8_t> bytes;  ///< in it; empty: there is no file
};

}  // namespace roundel
