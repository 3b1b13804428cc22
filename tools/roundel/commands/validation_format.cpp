#include "tools/roundel/commands/validation_format.h"

#include <limits>

#include "renderer/format/schema.h"
#include "renderer/map/scale.h"

namespace roundel {
namespace {

SpecPtr count() {
  return spec(IntegerSpec{0, std::int64_t{1} << 53});
}
SpecPtr whole_number() {
  return spec(IntegerSpec{-(std::int64_t{1} << 53), std::int64_t{1} << 53});
}
SpecPtr number() {
  constexpr double kMaxDouble = std::numeric_limits<double>::max();
  return spec(NumberSpec{-kMaxDouble, kMaxDouble});
}
SpecPtr any_text() {
  return spec(StringSpec{true}, "a text");
}
SpecPtr or_null(const SpecPtr& value) {
  return any_of({value, spec(NullSpec{})});
}
SpecPtr list(const SpecPtr& item) {
  return spec(ListSpec{item}, "a list");
}
SpecPtr pair(const SpecPtr& item) {
  return spec(ListSpec{item, 2, 2}, "two values");
}
SpecPtr color() {
  return any_of({spec(HexColorSpec{}), spec(ListSpec{number(), 3, 3})}, "a colour", "color");
}

std::vector<Field> scale_fields() {
  return {{"column", any_text(), "column of the values"},
          {"scale", spec(EnumSpec{{kScaleNames.begin(), kScaleNames.end()}})},
          {"threshold", number(), "threshold of symlog"},
          {"domain", or_null(pair(number())), "numbers at the scale's ends; null without numbers"},
          {"quantiles", list(number()), "for rank: the numbers at k/256 of all rows"},
          {"over", spec(EnumSpec{{"frame"}}), "found in this frame's file alone"}};
}

std::vector<Field> joined(std::vector<Field> fields, std::vector<Field> more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

SpecPtr number_spec() {
  return object("{column: NAME} or {constant: NUMBER}",
                {{"column", any_text()}, {"constant", number()}});
}

SpecPtr size_spec() {
  const SpecPtr length = any_of({number(), any_text()}, "a length such as 0.5 or 2px", "length");
  return object(
      "{column: NAME, ...} or {constant: LENGTH}",
      joined(scale_fields(), {{"constant", length},
                              {"range", pair(length), "values at the scale's ends"},
                              {"missing", length, "value for rows that the scale cannot take"},
                              {"missing_rows", count(), "rows drawn with it"}}));
}

SpecPtr color_spec() {
  const SpecPtr stop =
      any_of({spec(HexColorSpec{}), spec(ListSpec{any_of({number(), color()}), 2, 3})});
  const SpecPtr category =
      object("{value: VALUE, color: COLOR}",
             {required("value", any_of({number(), any_text()})), required("color", color())});
  return object("{column: NAME, ...}, {channels: [...]} or {constant: COLOR}",
                joined(scale_fields(),
                       {{"constant", color()},
                        {"channels", spec(ListSpec{number_spec(), 3, 3}), "red, green and blue"},
                        {"colormap", any_of({any_text(), list(stop)}), "a name, or colours"},
                        {"palette", any_of({any_text(), list(color())}), "a name, or colours"},
                        {"categories", list(category)},
                        {"missing", color(), "colour for rows whose value has none"},
                        {"missing_rows", count(), "rows drawn with it"}}));
}

SpecPtr data_spec() {
  const SpecPtr column = object(
      "{name: NAME, low: NUMBER, high: NUMBER, missing: COUNT}",
      {required("name", any_text()), required("low", or_null(number())),
       required("high", or_null(number())), required("missing", count(), "rows without a number")});
  return object(
      "{path: FILE, rows: COUNT, ...}",
      {required("path", any_text()),
       {"dataset", any_text()},
       required("rows", count()),
       {"files", count(), "number of files, if domains or the window cover all files of a film"},
       {"rows_of_all_files", count()},
       required("left_out", count(), "rows that `where` leaves out"),
       required("skipped", count(), "rows that `invalid: skip` leaves out"),
       required("columns", list(column), "columns of numbers that the layer uses")});
}

SpecPtr layer_spec() {
  return object("a layer {name: NAME, kind: KIND, circles: COUNT, ...}",
                {required("name", any_text(), "may be empty"),
                 required("kind", spec(EnumSpec{{"generator", "random", "circles", "data"}})),
                 required("circles", count()),
                 required("hidden", spec(BooleanSpec{})),
                 {"generator", any_text()},
                 {"data", data_spec()},
                 {"x", number_spec()},
                 {"y", number_spec()},
                 {"radius", size_spec()},
                 {"alpha", size_spec()},
                 {"color", color_spec()}});
}

SpecPtr scene_result_spec() {
  const SpecPtr problem = object(
      "{file: FILE, line: N, column: N, key: KEY, message: TEXT}",
      {required("file", or_null(any_text()), "the scene file; null where the message says"),
       required("line", or_null(count())), required("column", or_null(count()), "in bytes, from 1"),
       required("key", any_text(), "such as layers[0].radius; may be empty"),
       required("message", any_text())});
  const SpecPtr memory =
      object("{bytes: N, program_bytes: N, ..., option: TEXT}",
             {required("bytes", count(), "upper bound of what render takes for this picture"),
              required("program_bytes", count(), "part of it: the program without a picture"),
              required("data_bytes", count(), "part of it: tables, and reading and sorting them"),
              required("circles_bytes", count(), "part of it: circles kept while they are drawn"),
              required("lists_bytes", count(), "part of it: lists and unfinished pixels"),
              required("picture_bytes", count(), "part of it: the pixels and the encoded file"),
              required("option", or_null(any_text()), "a --memory that is enough; null on CUDA")});
  const SpecPtr seen = object("{circles: N, of: N, under_a_pixel: N}",
                              {required("circles", count(), "circles that touch the picture"),
                               required("of", count(), "fills and strokes"),
                               required("under_a_pixel", count(), "less wide than a pixel")});
  return object(
      "a scene {scene: FILE, valid: BOOLEAN, ...}",
      {required("scene", any_text(), "its file, as on the command line"),
       required("valid", spec(BooleanSpec{}), "where false only warnings and problems follow"),
       {"frame", whole_number(), "frame that is described"},
       {"width", count(), "pixels that are drawn"},
       {"height", count()},
       {"channels", count()},
       {"circles", count()},
       {"start", whole_number(), "the animation's first frame"},
       {"frames", count(), "frames of the animation; 1 without one"},
       {"fps", or_null(number())},
       {"fingerprint", any_text()},
       {"window", pair(pair(number())),
        "[[left, right], [bottom, top]] of the picture, or of the crop, in scene units; with flip: "
        "y the bottom is the larger number; without the view's turn"},
       {"rotate", number(), "degrees by which the view turns, unless 0"},
       {"layers", list(layer_spec())},
       {"overlaps", count(), "pairs of circles and tiles"},
       {"seen", seen},
       {"moves", list(any_text()), "parts of the scene that depend on the frame"},
       {"memory", memory},
       required("warnings", list(any_text()), "what is probably a mistake"),
       required("problems", list(problem), "what is wrong")});
}

}  // namespace

std::string validation_json_schema() {
  const SpecPtr format =
      object("{version: 1, scenes: [...]}",
             {required("version", spec(IntegerSpec{1, 1})),
              required("scenes", list(scene_result_spec()), "in the order of the command line")});
  return json_schema(*format, "Roundel validation",
                     "Checked scenes. Written by `roundel schema validation`.");
}

}  // namespace roundel
