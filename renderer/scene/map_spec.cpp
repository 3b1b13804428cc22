// Format of a layer's map: see scene_spec.cpp.
#include <iterator>

#include "renderer/map/data_map.h"
#include "renderer/scene/spec_keys.h"
#include "renderer/scene/spec_values.h"

namespace roundel {
namespace {

constexpr std::int64_t kMaxColumn = 65'535;

SpecPtr column_name() {
  return text("a column's name");
}
/// {column: NAME or NUMBER}, with other fields.
SpecPtr column_object(std::vector<Field> others, std::string expected) {
  std::vector<Field> fields = {required(
      "column",
      any_of({column_name(), integer(0, kMaxColumn)}, "a column's name or its number, from 0"),
      "Name of a column, or its number, from 0.")};
  std::move(others.begin(), others.end(), std::back_inserter(fields));
  return object(std::move(expected), std::move(fields));
}
SpecPtr number_map(SpecPtr constant, const std::string& constant_words) {
  return any_of({std::move(constant), column_name(), column_object({}, "{column: NAME}")},
                constant_words + ", a column's name or {column: NAME}");
}

/// Forms with a unit come first: 2px looks like a number, too.
SpecPtr pixels() {
  return spec(UnitSpec{"px", kMaxPixelLength}, "pixels from 0px to 1000000px");
}
SpecPtr pixels_above_zero() {
  return spec(UnitSpec{"px", kMaxPixelLength, true}, "pixels > 0px, at most 1000000px");
}

/// Keys of a scale.
std::vector<Field> scale_fields() {
  const SpecPtr end =
      any_of({spec(UnitSpec{"%", 100}, "a percentile from 0% to 100%"), any_number()},
             "a number or a percentile, as 99%");
  return {
      {"scale", one_of<ScaleKind>(kScaleNames),
       "Scale from numbers to the range: linear, sqrt, log, symlog or rank (by percentiles).",
       "\"linear\""},
      {"threshold", number_above(0, kMaxNumber),
       "Threshold of symlog: sign(v) * log2(1 + |v| / threshold).", "1"},
      {"domain",
       any_of({spec(ListSpec{end, 2, 2}, "[low, high], numbers or percentiles as 99%"),
               object("{keys: {FRAME: VALUE, ...}, ease: NAME}",
                      key_fields({array_of<2>(any_number(), "[low, high], two numbers")}))},
              "", "domain"),
       "Values at the two ends of the range: numbers, or percentiles of the drawn rows. If absent, "
       "the rows' smallest and largest value."},
      {"over", over_frame(),
       "With one data file per frame: domain or categories of all files (film), or of each frame's "
       "file (frame).",
       "\"film\""},
  };
}

SpecPtr size_map(std::vector<SpecPtr> forms, const SpecPtr& end, const std::string& range_text,
                 const std::string& words) {
  std::vector<Field> fields = scale_fields();
  fields.push_back({"range", spec(ListSpec{end, 2, 2}, "[low, high]"), range_text});
  fields.push_back({"missing", end, "Value of rows that the scale cannot show."});
  forms.push_back(column_name());
  forms.push_back(column_object(std::move(fields), "{column: NAME, ...}"));
  return any_of(std::move(forms),
                words + ", a column's name or {column: NAME, scale: ..., domain: ..., range: ...}");
}

SpecPtr color_map() {
  const SpecPtr channel = number_map(number(0, kMaxColor), "a number >= 0");
  std::vector<Field> fields = scale_fields();
  fields.push_back({"colormap", colormap_spec(),
                    "Name of a colour map, or a list of colours: evenly spaced, or each at its "
                    "place from 0 to 1.",
                    "\"viridis\""});
  fields.push_back(
      {"categories",
       any_of({one_of(palette_names()), spec(DictSpec{color()}, "{VALUE: COLOUR, ...}")},
              "tab10, set2 or {VALUE: COLOUR, ...}"),
       "Colours of the column's values; a palette's name colours the values in ascending order."});
  fields.push_back(
      {"missing", color(), "Colour of NaN, empty texts and values without a category."});
  return any_of({text("a colour \"#rrggbb\" or a column's name"),
                 spec(ListSpec{channel, 3, 3}, "[red, green, blue]"), number(0, kMaxColor),
                 column_object(std::move(fields), "{column: NAME, ...}")},
                "a colour, a column's name, three columns or {column: NAME, colormap: ...}");
}

}  // namespace

Form<Length> length(double max) {
  return {any_of({pixels(), number(0, max)}, "a length: a number >= 0 or pixels, as 2px", "length"),
          read_length};
}
Form<Length> width(double max) {
  return {any_of({pixels_above_zero(), number_above(0, max)},
                 "a length > 0: a number, or pixels as 2px"),
          read_length};
}

SpecPtr colormap_spec() {
  const SpecPtr hex = hex_color();
  const SpecPtr part = any_of({number(0, 1), hex}, "a place from 0 to 1, then \"#rrggbb\"");
  const SpecPtr stop = spec(ListSpec{part, 2, 2}, "[place, \"#rrggbb\"]");
  return any_of(
      {one_of(gradient_names()),
       spec(ListSpec{any_of({hex, stop}, "\"#rrggbb\" or [place, \"#rrggbb\"]"), 1, kMaxStops},
            "a list of colours")},
      "the name of a colour map or a list of colours");
}

SpecPtr data_map_spec() {
  const SpecPtr place = number_map(data_coordinate(), "a number");
  const SpecPtr share = number(0, 1);
  return object(
      "{x: ..., y: ..., radius: ..., ...}",
      {required("x", place, "x of the centre in scene units, to the right."),
       required("y", place, "y of the centre in scene units, upwards."),
       {"z", number_map(share, "a number from 0 to 1"), "Depth; only the snow shader reads it.",
        "0"},
       required(
           "radius",
           size_map({pixels_above_zero(), number_above(0, kMaxCoordinate)}, length(kMaxCoordinate),
                    "Radii at the two ends of the domain, as 0.5 or 6px.",
                    "a number > 0, pixels as 2px"),
           "Radius, in scene units or in pixels of the picture (px)."),
       {"color", color_map(), "Colour.", "\"#000000\""},
       {"alpha",
        size_map({share}, share, "Alphas at the two ends of the domain; [0, 1] if absent.",
                 "a number from 0 to 1"),
        "Opacity; the layer's if absent. Without a scale, columns of uint8 are divided by 255, of "
        "uint16 by 65535."}});
}

SpecPtr where_spec() {
  const SpecPtr value = any_of({text("a text"), any_number()}, "a number or a text");
  const SpecPtr values = any_of(
      {spec(ListSpec{value, 1, kMaxCategories}, "a list of values"), text("a text"), any_number()},
      "a value or a list of values");
  const SpecPtr condition = object("{min: NUMBER, max: NUMBER, in: [...], not: [...]}",
                                   {{"min", any_number(), "Smallest value that is drawn."},
                                    {"max", any_number(), "Largest value that is drawn."},
                                    {"in", values, "Values that are drawn."},
                                    {"not", values, "Values that are not drawn."}});
  return spec(DictSpec{condition}, "{COLUMN: {min: NUMBER, max: NUMBER, in: [...]}, ...}");
}

SpecPtr order_spec() {
  return any_of(
      {column_name(),
       column_object({{"descending", boolean(), "True: the lowest value is on top.", "false"}},
                     "{column: NAME, descending: true}")},
      "a column's name or {column: NAME, descending: true}");
}

}  // namespace roundel
