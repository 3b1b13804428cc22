#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

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
};

inline constexpr std::size_t kRankSteps = 256;

/// True for numbers in the scale's input; infinities are not.
bool accepts(ScaleKind kind, double value);
/// "a finite number", "a number > 0".
std::string_view accepted_values(ScaleKind kind);
bool needs_data(const Scale& scale);

/// t = (g(v) − g(a))/(g(b) − g(a)), clamped, for numbers v and the ends a and b; ½ if these are
/// equal. Rank: linear between percentiles, the middle of equal ones. NaN outside the input.
/// Binary64 as written, with our own log2: the same bits everywhere. `t` may be `values`.
void apply_scale(const Scale& scale, std::span<const double> values, std::span<double> t);

}  // namespace roundel
