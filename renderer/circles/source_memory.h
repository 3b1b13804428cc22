#pragma once
#include <cstdint>

namespace roundel {

/// Upper bounds of a source's main memory besides its circles, in bytes.
struct SourceMemory {
  std::uint64_t peak = 0;  ///< at any time
  std::uint64_t held = 0;  ///< while its circles are drawn
};

}  // namespace roundel
