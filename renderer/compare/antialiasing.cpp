#include "renderer/compare/antialiasing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace roundel {
namespace {

/// Levels 0 to 255, or linear values; alpha last.
using Rgba = std::array<double, 4>;

double white_of(const Picture& picture) {
  return picture.is_linear() ? 1 : 255;
}

Rgba pixel_of(const Picture& picture, int x, int y) {
  const std::size_t at = picture.sample_at(x, y);
  const auto channels = static_cast<std::size_t>(picture.channels);
  const auto value = [&](std::size_t c) {
    return picture.samples == Picture::Samples::kBytes
               ? static_cast<double>(picture.bytes[at + c])
               : static_cast<double>(picture.floats[at + c]);
  };
  const bool is_grey = channels < 3;
  return {value(0), value(is_grey ? 0 : 1), value(is_grey ? 0 : 2),
          channels % 2 == 0 ? value(channels - 1) : white_of(picture)};
}

bool is_finite(const Rgba& pixel) {
  return std::all_of(pixel.begin(), pixel.end(), [](double value) { return std::isfinite(value); });
}

/// How much brighter the first pixel is. Translucent pixels lie on a background that depends on the
/// first one's position, as in pixelmatch.
double brightness_delta(const Picture& picture, const Rgba& one, const Rgba& other,
                        std::size_t place) {
  if (one == other) return 0;
  const double white = white_of(picture), alpha = one[3] - other[3];
  Rgba delta{one[0] - other[0], one[1] - other[1], one[2] - other[2]};
  if (one[3] < white || other[3] < white) {
    const auto k = static_cast<double>(4 * place);
    const auto level = [](double share) {
      return 48.0 + 159.0 * static_cast<double>(static_cast<std::size_t>(share) % 2);
    };
    const std::array<double, 3> below = {48, level(k / 1.618033988749895),
                                         level(k / 2.618033988749895)};
    for (std::size_t c = 0; c < 3; ++c)
      delta[c] = picture.is_linear()  // and premultiplied
                     ? delta[c] - below[c] / 255 * alpha
                     : (one[c] * one[3] - other[c] * other[3] - below[c] * alpha) / 255;
  }
  return delta[0] * 0.29889531 + delta[1] * 0.58662247 + delta[2] * 0.11448223;
}

/// Calls visit(x, y) for the neighbours, column by column, until one returns false, and returns
/// that.
template <typename Visit>
bool visit_neighbours(const Picture& picture, int x, int y, const Visit& visit) {
  for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, picture.width - 1); ++nx)
    for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, picture.height - 1); ++ny)
      if ((nx != x || ny != y) && !visit(nx, ny)) return false;
  return true;
}

/// An edge of the picture counts as a neighbour.
int edge_of(const Picture& picture, int x, int y) {
  return x == 0 || y == 0 || x == picture.width - 1 || y == picture.height - 1 ? 1 : 0;
}

bool has_many_siblings(const Picture& picture, int x, int y) {
  constexpr int kMinSiblings = 3;
  const Rgba pixel = pixel_of(picture, x, y);
  int equal = edge_of(picture, x, y);
  return !visit_neighbours(picture, x, y, [&](int nx, int ny) {
    equal += pixel_of(picture, nx, ny) == pixel ? 1 : 0;
    return equal < kMinSiblings;
  });
}

bool is_smoothed(const Picture& picture, const Picture& other, int x, int y) {
  struct Extreme {
    double delta = 0;
    int x = 0, y = 0;
  };
  constexpr int kMaxEqual = 2;
  const Rgba pixel = pixel_of(picture, x, y);
  const std::size_t place = pixel_count(picture.width, y) + static_cast<std::size_t>(x);
  int equal = edge_of(picture, x, y);
  Extreme lowest, highest;
  const bool has_few_equal = visit_neighbours(picture, x, y, [&](int nx, int ny) {
    const double delta = brightness_delta(picture, pixel, pixel_of(picture, nx, ny), place);
    if (delta == 0) return ++equal <= kMaxEqual;
    if (delta < lowest.delta)
      lowest = {delta, nx, ny};
    else if (delta > highest.delta)
      highest = {delta, nx, ny};
    return true;
  });
  if (!has_few_equal || lowest.delta == 0 || highest.delta == 0) return false;
  const auto has_siblings_in_both = [&](const Extreme& neighbour) {
    return has_many_siblings(picture, neighbour.x, neighbour.y) &&
           has_many_siblings(other, neighbour.x, neighbour.y);
  };
  return has_siblings_in_both(lowest) || has_siblings_in_both(highest);
}

}  // namespace

bool is_antialiased(const Picture& a, const Picture& b, int x, int y) {
  return is_finite(pixel_of(a, x, y)) && is_finite(pixel_of(b, x, y)) &&
         (is_smoothed(a, b, x, y) || is_smoothed(b, a, x, y));
}

}  // namespace roundel
