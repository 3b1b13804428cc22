#include "renderer/map/scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

namespace roundel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void apply_rank(const std::vector<double>& knots, std::span<const double> values,
                std::span<double> t) {
  constexpr double kSteps = kRankSteps;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double v = values[i];
    if (!is_finite(v)) {
      t[i] = kNan;
      continue;
    }
    const auto above = std::upper_bound(knots.begin(), knots.end(), v);  // the first > v
    const auto from = std::lower_bound(knots.begin(), above, v);         // the first >= v
    const auto first = static_cast<double>(from - knots.begin());
    if (from != above) {  // the middle of equal percentiles
      t[i] = (first + static_cast<double>(above - knots.begin() - 1)) / 2 / kSteps;
    } else if (above == knots.begin() || above == knots.end()) {
      t[i] = above == knots.begin() ? 0 : 1;
    } else {
      const double low = *(above - 1), gap = *above - low;
      const double part =
          is_finite(gap) ? (v - low) / gap : (v / 2 - low / 2) / (*above / 2 - low / 2);
      t[i] = (first - 1 + part) / kSteps;
    }
  }
}

}  // namespace

std::string_view accepted_values(ScaleKind kind) {
  if (kind == ScaleKind::kLog) return "a number > 0";
  return kind == ScaleKind::kSqrt ? "a number >= 0" : "a finite number";
}

bool needs_data(const Scale& scale) {
  return scale.kind == ScaleKind::kRank || !scale.domain || (*scale.domain)[0].is_percentile ||
         (*scale.domain)[1].is_percentile;
}

void apply_scale(const Scale& scale, std::span<const double> values, std::span<double> t) {
  assert(values.size() == t.size());
  if (scale.ends.empty()) {  // without numbers
    std::fill(t.begin(), t.end(), kNan);
    return;
  }
  if (scale.kind == ScaleKind::kRank) return apply_rank(scale.ends, values, t);
  const ScaleCurve curve = scale.curve();
  const auto apply = [&](auto kind) {  // a constant: the loop has no choice
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = curve.at(kind, values[i]);
  };
  switch (scale.kind) {
    case ScaleKind::kSqrt:
      return apply(std::integral_constant<ScaleKind, ScaleKind::kSqrt>());
    case ScaleKind::kLog:
      return apply(std::integral_constant<ScaleKind, ScaleKind::kLog>());
    case ScaleKind::kSymlog:
      return apply(std::integral_constant<ScaleKind, ScaleKind::kSymlog>());
    case ScaleKind::kLinear:
    case ScaleKind::kRank:
      return apply(std::integral_constant<ScaleKind, ScaleKind::kLinear>());
  }
}

}  // namespace roundel
