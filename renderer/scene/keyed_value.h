#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "renderer/base/frame_name.h"

namespace roundel {

struct Scene;

/// How a value goes from one key to the next, t from 0 to 1 between them.
enum class Ease {
  kLinear,       ///< a + (b − a)·t
  kIn,           ///< the same with t²: slow at first
  kOut,          ///< t·(2 − t): slow at last
  kInOut,        ///< t²·(3 − 2t): slow at both
  kHold,         ///< 0: a until the next key
  kExponential,  ///< a·(b/a)^t, of numbers > 0: each frame by the same factor
};
/// The names in scene files, in the order of Ease.
inline constexpr std::array<const char*, 6> kEaseNames = {"linear", "in",   "out",
                                                          "in-out", "hold", "exponential"};

/// Up to three numbers that change over time: a number, a point, a colour.
struct Keys {
  using Value = std::array<double, 3>;

  Ease ease = Ease::kLinear;
  std::vector<double> frames;  ///< at least one, rising
  std::vector<Value> values;   ///< as many

  /// At a key exactly its value; before the first and behind the last theirs. Binary64, in the
  /// order written: the same bits everywhere.
  Value at(double frame) const;
  /// True where the value is the same at all of these frames.
  bool rest(const FrameList& asked) const;
};

/// A value of a scene that has keys.
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
  std::size_t layer = 0, circle = 0;  ///< of those that are a layer's, an inline circle's
  Keys keys = {};

  bool is_of_view() const { return target <= Target::kMargin; }
  bool is_of_circle() const { return target >= Target::kX; }
  /// A flake's alpha follows from its depth and radius, too.
  bool changes_paint() const { return target == Target::kOpacity || target >= Target::kZ; }
  /// How many numbers its values are.
  std::size_t numbers() const;
  /// The key in scene files.
  const char* name() const;
};

/// Gives all that has keys its value at a frame.
void apply_keys(Scene& scene, double frame);

}  // namespace roundel
