#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace roundel {

enum class ScaleKind { kLinear, kSqrt, kLog, kSymlog, kRank };
/// The scales' names in scene files, in the order of ScaleKind.
inline constexpr std::array<const char*, 5> kScaleNames = {"linear", "sqrt", "log", "symlog",
                                                           "rank"};

/// An end of a domain: a number, or the percentile of that many per cent.
struct DomainEnd {
  double value = 0;
  bool is_percentile = false;
};

/// A map from a column's numbers to t from 0 to 1.
struct Scale {
  ScaleKind kind = ScaleKind::kLinear;
  double threshold = 1;                            ///< of symlog
  std::optional<std::array<DomainEnd, 2>> domain;  ///< absent: the data's range
  /// Numbers of the column, found in the data: those at t = 0 and 1; of rank the 257 percentiles
  /// k/256. Empty before, and where there are no numbers.
  std::vector<double> ends;
  bool is_over_frame = false;  ///< in films of data the ends are each file's, else those of all
  bool is_settled = false;     ///< the ends are known, whatever the file at hand
};

inline constexpr std::size_t kRankSteps = 256;

/// True for numbers that the scale can take. Infinities are none.
bool takes(ScaleKind kind, double value);
/// What takes() asks for: "a finite number", "a number > 0".
std::string_view taken_by(ScaleKind kind);
/// True where the ends depend on the data.
bool needs_data(const Scale& scale);

/// t = (g(v) − g(a))/(g(b) − g(a)), clamped, for numbers v and the ends a and b, ½ where the ends
/// are equal; of rank linear between the percentiles, and in the middle of those that are equal.
/// NaN for what the scale cannot take. In binary64 as written, with our own log2: the same bits
/// everywhere. Both spans have the same size and may be the same.
void apply_scale(const Scale& scale, std::span<const double> values, std::span<double> t);

}  // namespace roundel
