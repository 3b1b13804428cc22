#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/format/number_text.h"
#include "renderer/map/color_map.h"
#include "renderer/map/key_times.h"
#include "renderer/map/scale.h"
#include "renderer/pixels/image_settings.h"

/// A scene's map from rows of a table to circles. Slots, indices into DataMap::columns, identify
/// columns. Slots from kFirstMovingSlot on are indices into RowMotion::numbers.
namespace roundel {

inline constexpr double kMaxCoordinate = 1e6;  ///< |x|, |y|, radius of circles in scene files
/// |x|, |y| of circles in data files and of the view's centre; adjacent binary64 numbers are 1/8
/// apart there.
inline constexpr double kMaxDataCoordinate = 1e15;
inline constexpr double kMaxColor = 1e6;
inline constexpr std::size_t kMaxCategories = 65'536;

using Slot = std::size_t;
inline constexpr Slot kFirstMovingSlot = Slot{1} << 32;
inline bool is_moving(Slot slot) {
  return slot >= kFirstMovingSlot;
}

/// A number per row, or one for all.
struct NumberMap {
  std::optional<Slot> slot;
  double constant = 0;  ///< without a slot
};

/// A length as in scene files: 0.5 or 2px.
struct Length {
  double value = 0;
  bool in_pixels = false;  ///< pixels of the drawn picture; else scene units
};

/// Lengths in frame space.
struct LengthUnits {
  double scene_unit = 1, pixel = 0;
  double of(const Length& length) const {
    return length.value * (length.in_pixels ? pixel : scene_unit);
  }
};

/// A radius or an alpha: constant, a column's numbers (lengths in scene units), or low + (high −
/// low)·t by a scale. Alphas have no pixels.
struct SizeMap {
  std::optional<Slot> slot;
  Length constant;  ///< without a slot; its unit is also that of keys
  std::optional<Scale> scale;
  Length low, high;               ///< with a scale
  std::optional<Length> missing;  ///< for numbers outside the scale's input
  double one = 1;                 ///< without a scale: means 1 in an alpha's column
};

/// A number of each row that has keys over time.
struct MovingNumber {
  KeyTimes times;
  std::vector<NumberMap> keys;  ///< one per key
  std::vector<double> ones;     ///< one per key: means 1 in its column, for alphas
};

/// Keys of a map. A row's keys are taken at frame − start.
struct RowMotion {
  std::vector<MovingNumber> numbers;
  NumberMap start;                     ///< in frames; texts are as in keys
  Ratio fps;                           ///< for texts in seconds
  std::array<double, 2> starts{0, 0};  ///< smallest and largest of the kept rows
  double frame = 0;
  bool is_still = false;  ///< no drawn frame differs from this one

  /// Times within the keys of each number that decide its values at a frame: rows differ in two
  /// frames only if these do.
  std::vector<double> times_at(double at_frame) const;
  /// True if all rows stay in these frames.
  bool is_constant_in(const FrameList& frames) const;
};

/// A value with its own colour.
struct Category {
  std::string_view text;  ///< for text columns
  double number = 0;
  DisplayColor color;
  std::shared_ptr<const std::string> owner = {};  ///< a long text's owner, for copies

  static Category of_text(std::string text, const DisplayColor& color) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    const std::string_view view = *owner;
    return {view, 0, color, std::move(owner)};
  }
};

struct ColorMap {
  enum class Kind {
    kConstant,
    kChannels,  ///< red, green and blue are columns or constants
    kText,      ///< a column of #rrggbb
    kScale,     ///< a scale and a gradient
    kCategories,
  };
  Kind kind = Kind::kConstant;
  DisplayColor constant;
  std::array<NumberMap, 3> channels;
  std::array<double, 3> ones{1, 1, 1};  ///< mean 1 in the channels' columns
  double max_channel = kMaxColor;       ///< 1 for some blend modes
  Slot slot = 0;                        ///< column of the other kinds
  Scale scale;
  Gradient gradient;
  std::vector<Category> categories;     ///< one per value, ascending
  std::vector<DisplayColor> palette;    ///< if not empty: the data's values are the categories
  std::optional<DisplayColor> missing;  ///< for NaN, empty texts and unknown values
  bool is_over_frame = false;           ///< each file of a film has its own categories
  bool is_settled = false;              ///< known for all files
};

/// Rows that fail it are dropped.
struct Condition {
  Slot slot = 0;
  std::optional<double> min, max;  ///< inclusive, for numbers
  /// Allowed if `has_in`, and excluded.
  std::vector<double> in_numbers, not_numbers;
  std::vector<std::string> in_texts, not_texts;
  bool has_in = false;
};

struct Order {
  Slot slot = 0;
  bool descending = false;
};

struct DataMap {
  std::vector<std::size_t> columns;  ///< by slot: index in the table
  NumberMap x, y, z;
  SizeMap radius;
  std::optional<SizeMap> alpha;  ///< absent: the layer's
  ColorMap color;
  std::vector<Condition> where;  ///< all must hold
  std::optional<Order> order;    ///< the last is on top; absent: order of the file
  bool skips_invalid = false;    ///< drops rows that cannot be drawn; else they are errors
  std::optional<std::array<Length, 2>> radius_limits;
  std::optional<RowMotion> motion;  ///< if values have keys
  /// Rounded numbers of conditions and categories, for people: "layers[0].…".
  std::vector<std::string> rounded;
  /// True for a layer's key "columns": circles are rounded to binary32 before they are moved.
  bool is_plain = false;
};

template <typename Map, typename Visit>
void for_each_scale(Map& map, const Visit& visit) {
  if (map.radius.slot && map.radius.scale) visit(*map.radius.scale, *map.radius.slot);
  if (map.alpha && map.alpha->slot && map.alpha->scale) visit(*map.alpha->scale, *map.alpha->slot);
  if (map.color.kind == ColorMap::Kind::kScale) visit(map.color.scale, map.color.slot);
}

inline bool has_data_categories(const ColorMap& color) {
  return color.kind == ColorMap::Kind::kCategories && !color.palette.empty();
}

/// The number with keys of a slot.
inline const MovingNumber& moving_number(const DataMap& map, Slot slot) {
  return map.motion->numbers[slot - kFirstMovingSlot];
}

/// Calls visit(slot, one) for the columns of a slot: one, or those of its keys.
template <typename Visit>
void for_each_column(const DataMap& map, Slot slot, double one, const Visit& visit) {
  if (!is_moving(slot)) return visit(slot, one);
  const MovingNumber& number = moving_number(map, slot);
  for (std::size_t k = 0; k < number.keys.size(); ++k)
    if (number.keys[k].slot) visit(*number.keys[k].slot, number.ones[k]);
}

/// Slots of columns whose numbers conditions, categories and scales compare.
inline std::vector<Slot> compared_slots(const DataMap& map) {
  std::vector<Slot> slots;
  for (const Condition& condition : map.where) slots.push_back(condition.slot);
  for_each_scale(map, [&](const Scale& /*scale*/, Slot slot) {
    for_each_column(map, slot, 1, [&](Slot column, double /*one*/) { slots.push_back(column); });
  });
  if (map.color.kind == ColorMap::Kind::kCategories) slots.push_back(map.color.slot);
  return slots;
}

/// The slot of a column, new if needed.
inline Slot slot_of(DataMap& map, std::size_t column) {
  for (Slot slot = 0; slot < map.columns.size(); ++slot)
    if (map.columns[slot] == column) return slot;
  map.columns.push_back(column);
  return map.columns.size() - 1;
}

}  // namespace roundel
