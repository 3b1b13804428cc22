#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "renderer/base/host_device.h"
#include "renderer/base/math.h"

namespace roundel {

/// Progress e(t) from a key to the next, for time t from 0 to 1.
enum class Ease {
  kLinear,  ///< t
  kIn,      ///< t²: slow start
  kOut,     ///< t·(2 − t): slow end
  kInOut,   ///< t²·(3 − 2t): slow start and end
  kHold,    ///< 0: the first value until the next key
};
/// Values between a key's value a and the next, b, at progress e.
enum class KeyPath {
  kLinear,       ///< a + (b − a)·e
  kExponential,  ///< a·(b/a)^e, for numbers > 0: a constant factor per frame if e is linear
  kSpline,       ///< centripetal Catmull–Rom spline through all keys (Barry & Goldman 1988)
};
/// Values after the last key and before the first.
enum class KeyRepeat {
  kNone,      ///< constant
  kLoop,      ///< the keys again from the first one
  kPingPong,  ///< the keys backwards, then forwards
};
/// Names in scene files, in the order of the enums.
inline constexpr std::array<const char*, 5> kEaseNames = {"linear", "in", "out", "in-out", "hold"};
inline constexpr const char* kExponentialEase = "exponential";  ///< means KeyPath::kExponential
inline constexpr std::array<const char*, 3> kKeyPathNames = {"linear", "exponential", "spline"};
inline constexpr std::array<const char*, 3> kKeyRepeatNames = {"none", "loop", "ping-pong"};

ROUNDEL_HOST_DEVICE inline double eased(Ease ease, double t) {
  switch (ease) {
    case Ease::kIn:
      return t * t;
    case Ease::kOut:
      return t * (2 - t);
    case Ease::kInOut:
      return t * t * (3 - 2 * t);
    case Ease::kHold:
      return 0;
    case Ease::kLinear:
      break;
  }
  return t;
}

/// Times of keys in memory of others.
struct KeyTimesView {
  KeyRepeat repeat;
  const double* frames;  ///< [count], ascending
  const Ease* eases;     ///< [count], for arriving there; the first is unused
  std::size_t count;     ///< at least one

  /// Between the key `from` and the next; progress 0 is at the key itself.
  struct Place {
    std::size_t from;
    double progress;  ///< eased
  };
  ROUNDEL_HOST_DEVICE Place place_at(double frame) const {
    frame = within_keys(frame);
    std::size_t next = 0;  // the first key after the frame
    for (std::size_t end = count; next < end;) {
      const std::size_t middle = (next + end) / 2;
      if (frame < frames[middle])
        end = middle;
      else
        next = middle + 1;
    }
    if (next == 0) return {0, 0};
    const std::size_t from = next - 1;
    if (next == count || frames[from] == frame) return {from, 0};
    return {from, eased(eases[next], (frame - frames[from]) / (frames[next] - frames[from]))};
  }
  /// The frame between the first and the last key that has the same values.
  ROUNDEL_HOST_DEVICE double within_keys(double frame) const {
    if (repeat == KeyRepeat::kNone) return frame;
    const double length = frames[count - 1] - frames[0];
    const double period = repeat == KeyRepeat::kLoop ? length : 2 * length;
    double since = std::fmod(frame - frames[0], period);
    if (since < 0) since += period;
    return frames[0] + (since > length ? period - since : since);
  }
};

/// Times of keys, and how values move between them. Binary64, in the order written: the same bits
/// everywhere.
struct KeyTimes {
  using Place = KeyTimesView::Place;

  KeyPath path = KeyPath::kLinear;
  KeyRepeat repeat = KeyRepeat::kNone;
  std::vector<double> frames;  ///< as in KeyTimesView
  std::vector<Ease> eases;

  KeyTimesView view() const { return {repeat, frames.data(), eases.data(), frames.size()}; }
  Place place_at(double frame) const { return view().place_at(frame); }
  double within_keys(double frame) const { return view().within_keys(frame); }
};

/// A number from `a` to `b`, on a path that is not a spline.
ROUNDEL_HOST_DEVICE inline double number_between(KeyPath path, double a, double b,
                                                 double progress) {
  return path == KeyPath::kExponential && a != b ? a * portable_exp(progress * portable_log(b / a))
                                                 : a + (b - a) * progress;
}

/// The point between key `from` and the next of a spline through `count` keys. `point`: a key's
/// std::array. Barry & Goldman's pyramid; the neighbours of the first and last key are mirrored.
template <typename PointOf>
ROUNDEL_HOST_DEVICE auto spline_between(const PointOf& point, std::size_t count, std::size_t from,
                                        double progress) {
  using Point = decltype(point(from));
  const auto distance = [](const Point& a, const Point& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (b[i] - a[i]) * (b[i] - a[i]);
    return std::sqrt(sum);
  };
  // The point opposite to `next`, seen from `value`.
  const auto mirrored = [](const Point& value, const Point& next) {
    Point before;
    for (std::size_t i = 0; i < value.size(); ++i) before[i] = 2 * value[i] - next[i];
    return before;
  };
  // The point of the line through a, at knot u, and b, at knot v.
  const auto on_line = [](const Point& a, const Point& b, double u, double v, double knot) {
    Point value;
    for (std::size_t i = 0; i < value.size(); ++i)
      value[i] = ((v - knot) * a[i] + (knot - u) * b[i]) / (v - u);
    return value;
  };
  const Point start = point(from), end = point(from + 1);
  if (start == end) return start;
  Point before = from > 0 ? point(from - 1) : mirrored(start, end);
  Point after = from + 2 < count ? point(from + 2) : mirrored(end, start);
  if (before == start) before = mirrored(start, end);
  if (after == end) after = mirrored(end, start);
  const double first = std::sqrt(distance(before, start));
  const double second = first + std::sqrt(distance(start, end));
  const double third = second + std::sqrt(distance(end, after));
  const double knot = first + (second - first) * progress;
  const Point a = on_line(before, start, 0, first, knot);
  const Point b = on_line(start, end, first, second, knot);
  const Point c = on_line(end, after, second, third, knot);
  return on_line(on_line(a, b, 0, second, knot), on_line(b, c, first, third, knot), first, second,
                 knot);
}

}  // namespace roundel
