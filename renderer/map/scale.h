#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "renderer/base/host_device.h"
#include "renderer/base/math.h"

namespace roundel {

enum class ScaleKind { kLinear, kSqrt, kLog, kSymlog, kRank };
/// Names in scene files, in the order of ScaleKind.
inline constexpr std::array<const char*, 5> kScaleNames = {"linear", "sqrt", "log", "symlog",
                                                           "rank"};

/// A number or a percentile.
struct DomainEnd {
  double value = 0;
  bool is_percentile = false;
};

inline constexpr std::size_t kRankSteps = 256;

ROUNDEL_HOST_DEVICE inline bool is_finite(double value) {
  return std::fabs(value) <= std::numeric_limits<double>::max();
}
/// True for numbers in the scale's input; infinities are not.
ROUNDEL_HOST_DEVICE inline bool accepts(ScaleKind kind, double value) {
  if (!is_finite(value)) return false;
  return kind == ScaleKind::kLog ? value > 0 : kind != ScaleKind::kSqrt || value >= 0;
}

/// A scale with its ends, except rank, for both backends.
class ScaleCurve {
 public:
  ScaleCurve() = default;
  ScaleCurve(ScaleKind kind, double threshold, double first, double last)
      : kind_(kind), threshold_(threshold) {
    first_ = function(kind, first);
    last_ = function(kind, last);
  }
  ScaleKind kind() const { return kind_; }

  /// As apply_scale(). `kind`: kind().
  ROUNDEL_HOST_DEVICE double at(ScaleKind kind, double v) const {
    const double g = function(kind, v), range = last_ - first_;
    if (range == 0) return g == g ? 0.5 : g;
    // Halves avoid an overflow; they are exact for such ends.
    const double share =
        is_finite(range) ? (g - first_) / range : (g / 2 - first_ / 2) / (last_ / 2 - first_ / 2);
    return share < 0 ? 0 : share > 1 ? 1 : share;  // NaN stays
  }
  ROUNDEL_HOST_DEVICE double operator()(double v) const { return at(kind_, v); }

 private:
  ROUNDEL_HOST_DEVICE double function(ScaleKind kind, double v) const {
    if (!accepts(kind, v)) return std::numeric_limits<double>::quiet_NaN();
    if (kind == ScaleKind::kSqrt) return std::sqrt(v);
    if (kind == ScaleKind::kLog) return portable_log2(v);
    if (kind != ScaleKind::kSymlog) return v;
    const double share = 1 + std::fabs(v) / threshold_;
    const double size = is_finite(share) ? portable_log2(share)
                                         : portable_log2(std::fabs(v)) - portable_log2(threshold_);
    return std::copysign(size, v);
  }

  ScaleKind kind_ = ScaleKind::kLinear;
  double threshold_ = 1, first_ = 0, last_ = 1;  // ends: after the function
};

/// Maps a column's numbers to t from 0 to 1.
struct Scale {
  ScaleKind kind = ScaleKind::kLinear;
  double threshold = 1;                            ///< for symlog
  std::optional<std::array<DomainEnd, 2>> domain;  ///< absent: the data's range
  /// Numbers at t = 0 and 1, found in the data; for rank the percentiles k/256. Empty until then,
  /// and without numbers.
  std::vector<double> ends;
  bool is_over_frame = false;  ///< each file of a film has its own ends
  bool has_keys = false;       ///< the domain changes over time
  bool is_settled = false;     ///< the ends are known for all files

  bool has_curve() const { return kind != ScaleKind::kRank && !ends.empty(); }
  ScaleCurve curve() const { return {kind, threshold, ends[0], ends[1]}; }
};

/// "a finite number", "a number > 0".
std::string_view accepted_values(ScaleKind kind);
bool needs_data(const Scale& scale);

/// t = (g(v) − g(a))/(g(b) − g(a)), clamped, for numbers v and the ends a and b; ½ if these are
/// equal. Rank: linear between percentiles, the middle of equal ones. NaN outside the input.
/// Binary64 as written, with our own log2: the same bits everywhere. `t` may be `values`.
void apply_scale(const Scale& scale, std::span<const double> values, std::span<double> t);

}  // namespace roundel
