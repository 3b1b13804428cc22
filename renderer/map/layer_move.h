#pragma once
#include <array>

#include "renderer/base/host_device.h"
#include "renderer/base/math.h"

namespace roundel {

/// p' = offset + pivot + rotate · scale · (p − pivot).
struct LayerMove {
  std::array<double, 2> offset{0, 0}, pivot{0, 0};
  double scale = 1;   ///< > 0, also for radii
  double rotate = 0;  ///< degrees, counter-clockwise

  /// True for any pivot.
  bool is_identity() const { return offset[0] == 0 && offset[1] == 0 && scale == 1 && rotate == 0; }
};

/// Moves many points: binary64, in the order written.
class PointMove {
 public:
  explicit PointMove(const LayerMove& move)
      : pivot_(move.pivot),
        to_{move.offset[0] + move.pivot[0], move.offset[1] + move.pivot[1]},
        is_identity_(move.is_identity()) {
    const Direction turn = portable_sin_cos(move.rotate);
    cos_ = move.scale * turn.cos;
    sin_ = move.scale * turn.sin;
  }

  bool is_identity() const { return is_identity_; }
  ROUNDEL_HOST_DEVICE std::array<double, 2> operator()(double x, double y) const {
    if (is_identity_) return {x, y};
    const double dx = x - pivot_[0], dy = y - pivot_[1];
    return {to_[0] + (cos_ * dx - sin_ * dy), to_[1] + (sin_ * dx + cos_ * dy)};
  }
  bool operator==(const PointMove&) const = default;

 private:
  std::array<double, 2> pivot_, to_;
  double cos_ = 1, sin_ = 0;
  bool is_identity_;
};

}  // namespace roundel
