#pragma once
#include <cstdint>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/explain/circle_numbering.h"

namespace roundel {

inline constexpr std::uint32_t kNoCircle = ~std::uint32_t{0};

/// A difference between two frames. Numbers are those of the whole frame.
struct CircleChange {
  enum class Kind : std::uint8_t {
    kAdded,      ///< in b only
    kRemoved,    ///< in a only
    kChanged,    ///< in both, with other values
    kReordered,  ///< equal, at another place in the paint order
  };
  Kind kind;
  std::uint32_t in_a = kNoCircle, in_b = kNoCircle;
};

/// "added", "removed", "changed", "reordered"
const char* name_of(CircleChange::Kind kind);

/// Returns the differing circles of frames a and b, in the order of b, removed ones last. Equal
/// circles (all fields bit for bit) are paired wherever they are, others by position and radius,
/// then position and paint, then radius and paint, then place in the scene file. As few circles as
/// possible count as reordered. Takes about 40 bytes for each circle between the first and the last
/// change.
std::vector<CircleChange> match_circles(const Circles& a, const CircleNumbering& places_a,
                                        const Circles& b, const CircleNumbering& places_b);

}  // namespace roundel
