#pragma once
#include <cstdint>

namespace roundel {

/// Upper bounds of the main memory that a source of circles takes beside the circles, in bytes.
struct SourceMemory {
  std::uint64_t peak = 0;  ///< at any time
  std::uint64_t held = 0;  ///< while its circles are drawn
};

}  // namespace roundel
