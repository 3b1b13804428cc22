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

  /// The layer's move, then a turn by degrees about a point.
  PointMove(const LayerMove& move, double turn, const std::array<double, 2>& about)
      : PointMove(move) {
    if (turn == 0) return;
    const Direction last = portable_sin_cos(turn), all = portable_sin_cos(move.rotate + turn);
    if (is_identity_) pivot_ = to_ = about;
    const double dx = to_[0] - about[0], dy = to_[1] - about[1];
    to_ = {about[0] + (last.cos * dx - last.sin * dy), about[1] + (last.sin * dx + last.cos * dy)};
    cos_ = move.scale * all.cos;
    sin_ = move.scale * all.sin;
    is_identity_ = false;
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
