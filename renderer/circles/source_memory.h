#pragma once
#include <cstdint>

namespace roundel {

/// Upper bounds in bytes, besides the circles.
struct SourceMemory {
  std::uint64_t peak = 0;  ///< at any time
  std::uint64_t held = 0;  ///< while its circles are drawn
};

}  // namespace roundel
