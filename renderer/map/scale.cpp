#include "renderer/map/scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "renderer/base/math.h"

namespace roundel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_finite(double value) {
  return std::abs(value) <= std::numeric_limits<double>::max();
}

// Functions g of the scales.
struct Linear {
  double operator()(double v) const { return is_finite(v) ? v : kNan; }
};
struct Sqrt {
  double operator()(double v) const { return accepts(ScaleKind::kSqrt, v) ? std::sqrt(v) : kNan; }
};
struct Log {
  double operator()(double v) const {
    return accepts(ScaleKind::kLog, v) ? portable_log2(v) : kNan;
  }
};
struct Symlog {
  double threshold;
  double operator()(double v) const {
    if (!is_finite(v)) return kNan;
    const double share = 1 + std::abs(v) / threshold;
    const double size = is_finite(share) ? portable_log2(share)
                                         : portable_log2(std::abs(v)) - portable_log2(threshold);
    return std::copysign(size, v);
  }
};

template <typename G>
void apply(const G& g, const std::vector<double>& ends, std::span<const double> values,
           std::span<double> t) {
  const double a = g(ends[0]), b = g(ends[1]), range = b - a;
  if (range == 0) {
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = std::isnan(g(values[i])) ? kNan : 0.5;
    return;
  }
  const auto clamped = [](double share) {
    return share < 0 ? 0 : share > 1 ? 1 : share;  // NaN stays
  };
  if (is_finite(range)) {
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = clamped((g(values[i]) - a) / range);
  } else {  // avoids overflow; exact for such ends
    for (std::size_t i = 0; i < t.size(); ++i)
      t[i] = clamped((g(values[i]) / 2 - a / 2) / (b / 2 - a / 2));
  }
}

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

bool accepts(ScaleKind kind, double value) {
  if (!is_finite(value)) return false;
  return kind == ScaleKind::kLog ? value > 0 : kind != ScaleKind::kSqrt || value >= 0;
}

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
  switch (scale.kind) {
    case ScaleKind::kLinear:
      return apply(Linear{}, scale.ends, values, t);
    case ScaleKind::kSqrt:
      return apply(Sqrt{}, scale.ends, values, t);
    case ScaleKind::kLog:
      return apply(Log{}, scale.ends, values, t);
    case ScaleKind::kSymlog:
      return apply(Symlog{scale.threshold}, scale.ends, values, t);
    case ScaleKind::kRank:
      return apply_rank(scale.ends, values, t);
  }
}

}  // namespace roundel
