#pragma once
#include <cstdint>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/explain/layer_places.h"

namespace roundel {

inline constexpr std::uint32_t kNoCircle = ~std::uint32_t{0};

/// A circle by which two frames differ. Numbers are those of the whole frame.
struct CircleChange {
  enum class Kind : std::uint8_t {
    kAdded,      ///< in b only
    kRemoved,    ///< in a only
    kChanged,    ///< in both, with other values
    kReordered,  ///< in both with equal values, but elsewhere in the paint order
  };
  Kind kind;
  std::uint32_t in_a = kNoCircle, in_b = kNoCircle;
};

/// Names for messages: "added", "removed", "changed", "reordered".
const char* name_of(CircleChange::Kind kind);

/// The circles by which frame b differs from frame a, in the order of b, the removed ones last.
/// Equal circles (all fields bit for bit) belong together wherever they stand; of the others those
/// that share position and radius, else position and paint, else radius and paint; else those at
/// the same place of the scene file. Circles whose order changed are the fewest that explain it.
/// Memory: some 40 bytes for each circle between the first and the last change.
std::vector<CircleChange> match_circles(const Circles& a, const LayerPlaces& places_a,
                                        const Circles& b, const LayerPlaces& places_b);

}  // namespace roundel
