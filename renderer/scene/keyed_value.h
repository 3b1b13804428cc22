#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/frame_name.h"

namespace roundel {

struct Layer;
struct Scene;

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

/// A number, a point or a colour that changes over time.
struct Keys {
  using Value = std::array<double, 3>;

  KeyPath path = KeyPath::kLinear;
  KeyRepeat repeat = KeyRepeat::kNone;
  std::vector<double> frames;  ///< at least one, ascending
  std::vector<Value> values;   ///< one per frame
  std::vector<Ease> eases;     ///< one per frame, for arriving there; the first is unused

  /// The value, exact at keys. Binary64, in the order written: the same bits everywhere.
  Value at(double frame) const;
  /// True if the value is the same in all of these frames.
  bool is_constant_in(const FrameList& at_frames) const;

 private:
  double within_keys(double frame) const;
  Value spline_at(std::size_t from, double progress) const;
};

/// A value of a scene with keys.
struct KeyedValue {
  enum class Target {
    kCenter,
    kZoom,
    kWindowX,
    kWindowY,
    kMargin,
    kViewRotate,
    kBackground,
    kBottom,
    kTop,
    kOpacity,
    kOffset,
    kScale,
    kRotate,
    kStrokeWidth,
    kStrokeColor,
    kStrokeAlpha,
    kRadiusDomain,
    kAlphaDomain,
    kColorDomain,
    kX,
    kY,
    kZ,
    kRadius,
    kColor,
    kAlpha,
  };
  Target target;
  std::size_t layer = 0, circle = 0;  ///< its layer and inline circle
  Keys keys = {};
  bool in_pixels = false;  ///< a stroke's width

  bool is_of_view() const { return target <= Target::kViewRotate; }
  bool is_of_image() const { return target >= Target::kBackground && target <= Target::kTop; }
  bool is_of_domain() const {
    return target >= Target::kRadiusDomain && target <= Target::kColorDomain;
  }
  bool is_of_circle() const { return target >= Target::kX; }
  /// A flake's alpha also depends on depth and radius.
  bool changes_paint() const {
    return target == Target::kOpacity || target == Target::kStrokeColor ||
           target == Target::kStrokeAlpha || target >= Target::kZ;
  }
  /// True if values outside of the keys' range are valid, so that a spline may overshoot.
  bool is_unbounded() const;
  /// Number of components.
  std::size_t numbers() const;
  /// The key in scene files.
  const char* name() const;
  /// For people: "stroke width".
  std::string label() const;
};

/// For a layer with `frames`. Samples after a frame belong to it.
bool is_shown(const Layer& layer, double frame);
/// Sets all values with keys, and hides layers that other frames show.
void apply_keys(Scene& scene, double frame);

}  // namespace roundel
