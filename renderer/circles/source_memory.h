#pragma once
#include <cstdint>

namespace roundel {

/// Main memory that what makes circles has itself.
struct SourceMemory {
  std::uint64_t working = 0;  ///< while it makes any
  std::uint64_t at_once = 0;  ///< at most, while it makes all in memory of the caller's
  std::uint64_t most = 0;     ///< at most, before it makes circles on the way
  std::uint64_t held = 0;     ///< while it makes them on the way
  std::uint64_t stays = 0;    ///< with the scene, when all have been made on the way
  std::uint64_t opened = 0;   ///< of all these: with the scene, from its reading to its end
  bool order_places = false;  ///< also a number for each circle of a chunk
};

}  // namespace roundel
