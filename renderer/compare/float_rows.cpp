#include "renderer/compare/float_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace roundel {
namespace {

bool same_value(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

double finite_peak(const float* values, std::size_t count) {
  float peak = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] > peak && std::isfinite(values[i])) peak = values[i];
  }
  return static_cast<double>(peak);
}

}  // namespace

void compare_float_row(const float* a, const float* b, std::size_t pixels, int channels,
                       double limit, FloatDifferences& differences, std::uint64_t* over) {
  const std::size_t count = pixels * static_cast<std::size_t>(channels);
  differences.peak = std::max({differences.peak, finite_peak(a, count), finite_peak(b, count)});
  if (std::memcmp(a, b, count * sizeof(float)) == 0) return;
  for (std::size_t p = 0; p < pixels; ++p) {
    bool differs = false, is_over = false, not_finite = false;
    for (int c = 0; c < channels; ++c, ++a, ++b) {
      if (same_value(*a, *b)) continue;
      differs = true;
      if (!std::isfinite(*a) || !std::isfinite(*b)) {
        not_finite = is_over = true;
        continue;
      }
      const double delta = std::abs(static_cast<double>(*a) - static_cast<double>(*b));
      differences.largest[c] = std::max(differences.largest[c], delta);
      differences.sum[c] += delta;
      differences.squares[c] += delta * delta;
      if (delta > limit) is_over = true;
    }
    if (differs) ++differences.pixels;
    if (not_finite) ++differences.not_finite;
    if (is_over) over[p / 64] |= std::uint64_t{1} << (p % 64);
  }
}

}  // namespace roundel
