#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "renderer/base/frame_name.h"

namespace roundel {

struct Scene;

/// Interpolation from a key's value a to the next, b; t from 0 to 1.
enum class Ease {
  kLinear,       ///< a + (b − a)·t
  kIn,           ///< with t²: slow start
  kOut,          ///< with t·(2 − t): slow end
  kInOut,        ///< with t²·(3 − 2t): slow start and end
  kHold,         ///< with 0: a until the next key
  kExponential,  ///< a·(b/a)^t, for numbers > 0: a constant factor per frame
};
/// Names in scene files, in the order of Ease.
inline constexpr std::array<const char*, 6> kEaseNames = {"linear", "in",   "out",
                                                          "in-out", "hold", "exponential"};

/// A number, a point or a colour that changes over time.
struct Keys {
  using Value = std::array<double, 3>;

  Ease ease = Ease::kLinear;
  std::vector<double> frames;  ///< at least one, ascending
  std::vector<Value> values;   ///< one per frame

  /// The value, exact at keys, constant before the first and after the last. Binary64, in the order
  /// written: the same bits everywhere.
  Value at(double frame) const;
  /// True if the value is the same in all of these frames.
  bool is_constant_in(const FrameList& at_frames) const;
};

/// A value of a scene with keys.
struct KeyedValue {
  enum class Target {
    kCenter,
    kZoom,
    kWindowX,
    kWindowY,
    kMargin,
    kOpacity,
    kOffset,
    kScale,
    kRotate,
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

  bool is_of_view() const { return target <= Target::kMargin; }
  bool is_of_circle() const { return target >= Target::kX; }
  /// A flake's alpha also depends on depth and radius.
  bool changes_paint() const { return target == Target::kOpacity || target >= Target::kZ; }
  /// Number of components.
  std::size_t numbers() const;
  /// The key in scene files.
  const char* name() const;
};

/// Sets all values with keys.
void apply_keys(Scene& scene, double frame);

}  // namespace roundel
