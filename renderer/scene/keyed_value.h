#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/map/key_times.h"

namespace roundel {

struct Layer;
struct Scene;

/// A number, a point or a colour that changes over time.
struct Keys : KeyTimes {
  using Value = std::array<double, 3>;

  std::vector<Value> values;  ///< one per frame

  /// The value, exact at keys.
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
/// Sets all values with keys and the frame of maps with keys, and hides layers that other frames
/// show.
void apply_keys(Scene& scene, double frame);

}  // namespace roundel
