// The format of scene files, written down once: the loader and scene.schema.json both follow it.
#include <fmt/format.h>

#include <iterator>

#include "renderer/base/text.h"
#include "renderer/map/color_map.h"
#include "renderer/map/data_map.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/keyed_value.h"
#include "renderer/scene/number_text.h"
#include "renderer/scene/scene.h"
#include "renderer/scene/spec.h"
#include "renderer/scene/yaml_tree.h"

namespace roundel {
namespace {

SpecPtr number(double min, double max) {
  return spec(NumberSpec{min, max});
}
SpecPtr number_above(double min, double max) {
  return spec(NumberSpec{min, max, true});
}
SpecPtr integer(std::int64_t min, std::int64_t max) {
  return spec(IntegerSpec{min, max});
}
SpecPtr list_of(SpecPtr item, std::uint64_t size, std::string expected,
                std::string definition = "") {
  return spec(ListSpec{std::move(item), size, size}, std::move(expected), std::move(definition));
}

SpecPtr seed_spec() {
  return integer(0, std::numeric_limits<std::uint32_t>::max());
}

constexpr double kMaxDomain = 1e300;
constexpr double kMaxMargin = 1000;
constexpr double kMaxPixelLength = 1e6;
constexpr std::int64_t kMaxColumn = 65'535;
constexpr std::uint64_t kMaxStops = 1000;
constexpr std::uint64_t kMaxPoints = 10'000;
constexpr double kMaxWeight = 1e6;

constexpr const char* kColorWords =
    "a colour: \"#rrggbb\" (in quotes), [red, green, blue] or one number (a grey)";

std::vector<SpecPtr> color_forms() {
  const SpecPtr channel = number(0, kMaxColor);
  return {spec(HexColorSpec{}, "a colour \"#rrggbb\" with six hexadecimal digits"),
          list_of(channel, 3, "[red, green, blue]"), channel};
}

SpecPtr color() {
  return spec(AnyOfSpec{color_forms()}, kColorWords, "color");
}

SpecPtr background() {
  std::vector<SpecPtr> forms = color_forms();
  forms.push_back(spec(ObjectSpec{{
      {"bottom", color(), "Colour below the lowest pixel row.", true, ""},
      {"top", color(), "Colour of the highest pixel row.", true, ""},
  }}));
  return spec(AnyOfSpec{std::move(forms)},
              "a colour (\"#rrggbb\" in quotes, [red, green, blue] or one number) or a gradient "
              "{bottom: COLOUR, top: COLOUR}");
}

SpecPtr point() {
  return list_of(number(-kMaxCoordinate, kMaxCoordinate), 2, "a point [x, y]", "point");
}
SpecPtr view_center() {
  return list_of(number(-kMaxDataCoordinate, kMaxDataCoordinate), 2, "a point [x, y]");
}

/// A value, or keys over time. Values are no maps.
SpecPtr over_time(SpecPtr value, std::string definition) {
  const SpecPtr keys = spec(DictSpec{value, true}, "{FRAME: VALUE, ...}");
  const SpecPtr keyed =
      spec(ObjectSpec{{
               {"keys", keys, "Values by frame number, or by seconds as 2.5s.", true, ""},
               {"ease", spec(EnumSpec{{kEaseNames.begin(), kEaseNames.end()}}),
                "How the value goes from key to key.", false, "\"linear\""},
           }},
           "{keys: {FRAME: VALUE, ...}, ease: NAME}");
  return spec(AnyOfSpec{{std::move(value), keyed}}, "", std::move(definition));
}
SpecPtr coordinate_over_time() {
  return over_time(number(-kMaxCoordinate, kMaxCoordinate), "coordinateOverTime");
}
SpecPtr share_over_time() {
  return over_time(number(0, 1), "shareOverTime");
}
SpecPtr size_over_time() {
  return over_time(number_above(0, kMaxCoordinate), "sizeOverTime");
}
SpecPtr place_over_time() {
  return over_time(view_center(), "placeOverTime");
}

SpecPtr colormap() {
  const SpecPtr hex = spec(HexColorSpec{}, "a colour \"#rrggbb\" with six hexadecimal digits");
  const SpecPtr stop =
      list_of(spec(AnyOfSpec{{number(0, 1), hex}}, "a place from 0 to 1, then \"#rrggbb\""), 2,
              "[place, \"#rrggbb\"]");
  return spec(
      AnyOfSpec{{spec(EnumSpec{gradient_names()}),
                 spec(ListSpec{spec(AnyOfSpec{{hex, stop}}, "\"#rrggbb\" or [place, \"#rrggbb\"]"),
                               1, kMaxStops},
                      "a list of colours")}},
      "the name of a colour map or a list of colours");
}

// A constant, or a law by which a number is drawn for each circle.
SpecPtr number_law(SpecPtr constant, SpecPtr bound, std::string expected, std::string definition) {
  const SpecPtr gaussian =
      spec(ObjectSpec{{
               {"mean", number(-kMaxCoordinate, kMaxCoordinate), "Mean.", true, ""},
               {"sigma", number(0, kMaxCoordinate), "Standard deviation.", true, ""},
           }},
           "{mean: NUMBER, sigma: NUMBER}");
  const SpecPtr drawn =
      spec(ObjectSpec{{
                          {"uniform", list_of(std::move(bound), 2, "[low, high]"),
                           "Evenly between the two bounds.", false, ""},
                          {"gaussian", gaussian, "Normally distributed.", false, ""},
                      },
                      {"uniform", "gaussian"}});
  return spec(AnyOfSpec{{std::move(constant), drawn}}, std::move(expected), std::move(definition));
}

SpecPtr position_law() {
  const SpecPtr gaussian =
      spec(ObjectSpec{{
               {"mean", point(), "Centre of the cloud.", true, ""},
               {"sigma", number(0, kMaxCoordinate), "Standard deviation in x and in y.", true, ""},
           }},
           "{mean: [x, y], sigma: NUMBER}");
  const SpecPtr box = list_of(point(), 2, "[[x0, y0], [x1, y1]]");
  const SpecPtr radius = number_above(0, kMaxCoordinate), width = number(0, kMaxCoordinate);
  const SpecPtr disc = spec(ObjectSpec{{
                                {"center", point(), "Centre of the disc.", true, ""},
                                {"radius", radius, "Radius of the disc.", true, ""},
                            }},
                            "{center: [x, y], radius: NUMBER}");
  const SpecPtr ring = spec(ObjectSpec{{
                                {"center", point(), "Centre of the ring.", true, ""},
                                {"radius", radius, "Outer radius.", true, ""},
                                {"width", width, "Inwards from the outer radius.", false, "0"},
                            }},
                            "{center: [x, y], radius: NUMBER, width: NUMBER}");
  const SpecPtr polyline = spec(
      ObjectSpec{
          {
              {"points", spec(ListSpec{point(), 2, kMaxPoints}, "a list of two points or more"),
               "From each one to the next.", true, ""},
              {"width", width, "Evenly across the lines, half on each side.", false, "0"},
              {"sigma", width,
               "Instead of a width: standard deviation from the lines, in x and in y.", false, ""},
          },
          {},
          {},
          {},
          {{"width", "sigma"}}},
      "{points: [[x, y], ...], width: NUMBER}");
  const SpecPtr cells = integer(1, static_cast<std::int64_t>(kMaxCircles));
  const SpecPtr grid =
      spec(ObjectSpec{{
               {"columns", cells, "Number of columns.", true, ""},
               {"rows", cells, "Number of rows.", true, ""},
               {"jitter", number(0, 1),
                "Share of its cell that a circle is moved within: 0 is the centre.", false, "0"},
               {"box", box, "Corners of the grid.", false, "[[0, 0], [1, 1]]"},
           }},
           "{columns: INTEGER, rows: INTEGER, jitter: NUMBER}");
  return spec(
      ObjectSpec{{
                     {"uniform", box, "Evenly over the box between two corners.", false, ""},
                     {"gaussian", gaussian, "A round cloud.", false, ""},
                     {"disc", disc, "Evenly over a disc.", false, ""},
                     {"ring", ring, "Evenly over a ring.", false, ""},
                     {"polyline", polyline, "Evenly along lines.", false, ""},
                     {"grid", grid,
                      "A circle a cell, row by row from the lower left one; instead of a count.",
                      false, ""},
                 },
                 {"uniform", "gaussian", "disc", "ring", "polyline", "grid"}},
      "one of {uniform: ...}, {gaussian: ...}, {disc: ...}, {ring: ...}, {polyline: ...} and "
      "{grid: ...}");
}

SpecPtr color_law() {
  std::vector<SpecPtr> forms = color_forms();
  forms.push_back(spec(ObjectSpec{
      {
          {"uniform", list_of(color(), 2, "two colours [COLOUR, COLOUR]"),
           "Each channel evenly between the two colours' channels.", false, ""},
          {"choice", spec(ListSpec{color(), 1, kMaxStops}, "a list of colours"),
           "One of these colours.", false, ""},
          {"weights", spec(ListSpec{number(0, kMaxWeight), 1, kMaxStops}, "a list of numbers"),
           "Of choice: how often each colour is taken; equally where absent.", false, ""},
          {"gradient", colormap(), "Any colour of a colour map, evenly.", false, ""},
      },
      {"uniform", "choice", "gradient"},
      {{"weights", "choice"}}}));
  return spec(AnyOfSpec{std::move(forms)},
              "a colour (\"#rrggbb\" in quotes, [red, green, blue] or one number), "
              "{uniform: [COLOUR, COLOUR]}, {choice: [...]} or {gradient: [...]}");
}

SpecPtr random_circles() {
  const SpecPtr alpha = number(0, 1);
  const SpecPtr radius = number_above(0, kMaxCoordinate);
  return spec(
      ObjectSpec{
          {
              {"count",
               spec(IntegerSpec{0, static_cast<std::int64_t>(kMaxCircles), kBytesPerCircle}),
               "Number of circles; a grid has its own.", false, ""},
              {"seed", seed_spec(), "Instead of the scene's seed.", false, ""},
              {"position", position_law(), "Centres; the unit square where absent.", false, ""},
              {"radius",
               number_law(radius, number(0, kMaxCoordinate),
                          "a number > 0, {uniform: [low, high]} or {gaussian: {mean, sigma}}",
                          "radiusLaw"),
               "Radius; a draw of 0 or less gives a circle that covers nothing.", false, "0.01"},
              {"color", color_law(), "Colour.", false, "\"#000000\""},
              {"alpha",
               number_law(
                   alpha, alpha,
                   "a number from 0 to 1, {uniform: [low, high]} or {gaussian: {mean, sigma}}",
                   "fractionLaw"),
               "Opacity, draws clamped to 0 to 1; the shader's where absent.", false, ""},
              {"depth",
               number_law(
                   alpha, alpha,
                   "a number from 0 to 1, {uniform: [low, high]} or {gaussian: {mean, sigma}}",
                   "fractionLaw"),
               "Depth z, draws clamped to 0 to 1; only the snow shader reads it.", false, "0"},
          },
          {},
          {},
          {},
          {},
          nullptr,
          {"count", "position"}},
      "{count: INTEGER, ...}");
}

SpecPtr inline_circles() {
  const SpecPtr coordinate = coordinate_over_time();
  const SpecPtr circle =
      spec(ObjectSpec{{
               {"x", coordinate, "Centre, in scene units to the right.", true, ""},
               {"y", coordinate, "Centre, in scene units up.", true, ""},
               {"z", share_over_time(), "Depth; only the snow shader reads it.", false, "0"},
               {"radius", size_over_time(), "Radius in scene units.", true, ""},
               {"color", over_time(color(), "colorOverTime"), "Colour.", false, "\"#000000\""},
               {"alpha", share_over_time(), "Opacity; the shader's where absent.", false, ""},
           }},
           "a circle {x: NUMBER, y: NUMBER, radius: NUMBER, ...}");
  return spec(ListSpec{circle}, "a list of circles");
}

SpecPtr generator() {
  const SpecPtr name = spec(EnumSpec{classic_names()}, "", "classicName");
  return spec(AnyOfSpec{{name, spec(ObjectSpec{{
                                   {"name", name, "Name of the classic scene.", true, ""},
                                   {"seed", seed_spec(), "Instead of the scene's seed.", false, ""},
                               }})}},
              "the name of a classic scene or {name: NAME, seed: INTEGER}");
}

SpecPtr shader() {
  const SpecPtr solid =
      spec(ObjectSpec{{{"alpha", number(0, 1),
                        "Opacity of the circles that bring none of their own.", false, "0.5"}}},
           "{alpha: NUMBER}");
  return spec(
      AnyOfSpec{
          {spec(EnumSpec{{"solid", "snow"}}),
           spec(ObjectSpec{
               {{"solid", solid, "One colour and alpha everywhere inside a circle.", true, ""}}})}},
      "\"solid\", \"snow\" or {solid: {alpha: NUMBER}}");
}

// What a layer makes of its data's columns.

SpecPtr column_name() {
  return spec(StringSpec{}, "a column's name");
}
/// {column: NAME or NUMBER}, with what else there is.
SpecPtr column_object(std::vector<Field> others, std::string expected) {
  std::vector<Field> fields = {{"column",
                                spec(AnyOfSpec{{column_name(), integer(0, kMaxColumn)}},
                                     "a column's name or its number, from 0"),
                                "Name of a column, or its number, from 0.", true, ""}};
  std::move(others.begin(), others.end(), std::back_inserter(fields));
  return spec(ObjectSpec{std::move(fields)}, std::move(expected));
}
SpecPtr number_map(SpecPtr constant, const std::string& constant_words) {
  return spec(AnyOfSpec{{std::move(constant), column_name(), column_object({}, "{column: NAME}")}},
              constant_words + ", a column's name or {column: NAME}");
}

/// Forms with a unit come first: 2px looks like a number, too.
SpecPtr pixels() {
  return spec(UnitSpec{"px", 0, kMaxPixelLength}, "pixels from 0px to 1000000px");
}
SpecPtr length_map(double max) {
  return spec(AnyOfSpec{{pixels(), number(0, max)}}, "a length: a number >= 0 or pixels, as 2px",
              "length");
}

/// What goes by a film of data, or by each of its files.
Field over(const char* text) {
  return {"over", spec(EnumSpec{{"film", "frame"}}), text, false, "\"film\""};
}

/// The keys of a scale: how a column's numbers become a share from 0 to 1.
std::vector<Field> scale_fields() {
  const SpecPtr end = spec(AnyOfSpec{{spec(UnitSpec{"%", 0, 100}, "a percentile from 0% to 100%"),
                                      number(-kMaxDomain, kMaxDomain)}},
                           "a number or a percentile, as 99%");
  return {
      {"scale", spec(EnumSpec{{kScaleNames.begin(), kScaleNames.end()}}),
       "How numbers are spread over the range: linear, sqrt, log, symlog or rank (by percentiles).",
       false, "\"linear\""},
      {"threshold", number_above(0, kMaxDomain), "Of symlog: sign(v) * log2(1 + |v| / threshold).",
       false, "1"},
      {"domain", list_of(end, 2, "[low, high], numbers or percentiles as 99%"),
       "Values at the two ends of the range, numbers or percentiles of the rows that are drawn; "
       "their range where absent.",
       false, ""},
      over("Of a data file a frame: the domain or the categories of all frames' files, or of each "
           "frame's."),
  };
}

SpecPtr size_map(std::vector<SpecPtr> forms, const SpecPtr& end, const std::string& range_text,
                 const std::string& words) {
  std::vector<Field> fields = scale_fields();
  fields.push_back({"range", list_of(end, 2, "[low, high]"), range_text, false, ""});
  fields.push_back({"missing", end, "For rows whose value the scale cannot take.", false, ""});
  forms.push_back(column_name());
  forms.push_back(column_object(std::move(fields), "{column: NAME, ...}"));
  return spec(AnyOfSpec{std::move(forms)},
              words + ", a column's name or {column: NAME, scale: ..., domain: ..., range: ...}");
}

SpecPtr color_map() {
  const SpecPtr channel = number_map(number(0, kMaxColor), "a number >= 0");
  std::vector<Field> fields = scale_fields();
  fields.push_back({"colormap", colormap(),
                    "A name, or colours: evenly, or each at its place from 0 to 1.", false,
                    "\"viridis\""});
  fields.push_back(
      {"categories",
       spec(AnyOfSpec{{spec(EnumSpec{palette_names()}),
                       spec(DictSpec{color()}, "{VALUE: COLOUR, ...}")}},
            "tab10, set2 or {VALUE: COLOUR, ...}"),
       "Colours of the column's values; a name gives its colours to the values in ascending order.",
       false, ""});
  fields.push_back(
      {"missing", color(), "For NaN, empty texts and values without a category.", false, ""});
  return spec(AnyOfSpec{{spec(StringSpec{}, "a colour \"#rrggbb\" or a column's name"),
                         spec(ListSpec{channel, 3, 3}, "[red, green, blue]"), number(0, kMaxColor),
                         column_object(std::move(fields), "{column: NAME, ...}")}},
              "a colour, a column's name, three columns or {column: NAME, colormap: ...}");
}

SpecPtr data_map() {
  const SpecPtr place = number_map(number(-kMaxDataCoordinate, kMaxDataCoordinate), "a number");
  const SpecPtr share = number(0, 1);
  return spec(
      ObjectSpec{{
          {"x", place, "Centre, in scene units to the right.", true, ""},
          {"y", place, "Centre, in scene units up.", true, ""},
          {"z", number_map(share, "a number from 0 to 1"), "Depth; only the snow shader reads it.",
           false, "0"},
          {"radius",
           size_map({pixels(), number_above(0, kMaxCoordinate)}, length_map(kMaxCoordinate),
                    "Radii at the two ends of the domain, as 0.5 or 6px.",
                    "a number > 0, pixels as 2px"),
           "Radius: scene units, or px for pixels of the picture.", true, ""},
          {"color", color_map(), "Colour.", false, "\"#000000\""},
          {"alpha",
           size_map({share}, share, "Alphas at the two ends of the domain; [0, 1] where absent.",
                    "a number from 0 to 1"),
           "Opacity; the layer's where absent.", false, ""},
      }},
      "{x: ..., y: ..., radius: ..., ...}");
}

SpecPtr where() {
  const SpecPtr value =
      spec(AnyOfSpec{{spec(StringSpec{}, "a text"), number(-kMaxDomain, kMaxDomain)}},
           "a number or a text");
  const SpecPtr values =
      spec(AnyOfSpec{{spec(ListSpec{value, 1, kMaxCategories}, "a list of values"),
                      spec(StringSpec{}, "a text"), number(-kMaxDomain, kMaxDomain)}},
           "a value or a list of values");
  const SpecPtr condition =
      spec(ObjectSpec{{
               {"min", number(-kMaxDomain, kMaxDomain), "At least this.", false, ""},
               {"max", number(-kMaxDomain, kMaxDomain), "At most this.", false, ""},
               {"in", values, "One of these.", false, ""},
               {"not", values, "None of these.", false, ""},
           }},
           "{min: NUMBER, max: NUMBER, in: [...], not: [...]}");
  return spec(DictSpec{condition}, "{COLUMN: {min: NUMBER, max: NUMBER, in: [...]}, ...}");
}

SpecPtr order() {
  return spec(
      AnyOfSpec{{column_name(), column_object({{"descending", spec(BooleanSpec{}),
                                                "The lowest value on top.", false, "false"}},
                                              "{column: NAME, descending: true}")}},
      "a column's name or {column: NAME, descending: true}");
}

SpecPtr stroke() {
  return spec(ObjectSpec{{
                  {"width", length_map(kMaxCoordinate), "Width, as 0.5 or 2px; > 0.", true, ""},
                  {"color", color(), "Colour; the circle's where absent.", false, ""},
                  {"alpha", number(0, 1), "Opacity; the circle's where absent.", false, ""},
              }},
              "{width: LENGTH, color: COLOUR, alpha: NUMBER}");
}

SpecPtr layer() {
  const SpecPtr column = spec(EnumSpec{{kDataColumnNames.begin(), kDataColumnNames.end()}});
  return spec(
      ObjectSpec{
          {
              {"generator", generator(), "The circles of a classic scene.", false, ""},
              {"random", random_circles(), "Independent random circles.", false, ""},
              {"circles", inline_circles(), "Circles by hand.", false, ""},
              {"data", spec(StringSpec{}, "the path of a data file"),
               "Path of a data file, relative to the scene file, a circle a row, in paint order; "
               "with "
               "#### for the frame number a file a frame of the animation. x and y up to 1e15, "
               "rounded to float32 only behind the view.",
               false, ""},
              {"dataset", spec(StringSpec{}, "the name of a table in the data file"),
               "Which table, of a data file that has several.", false, ""},
              {"columns", spec(ListSpec{column, 1}, "a list of column names"),
               "Meaning of the columns of data: x, y and radius must be there; _ is ignored.",
               false, ""},
              {"map", data_map(),
               "What the columns of data become: constants, columns, scales and colours.", false,
               ""},
              {"where", where(), "Only rows for which all of this holds.", false, ""},
              {"order", order(),
               "The column by which rows are sorted, the highest value on top; the file's order "
               "where absent.",
               false, ""},
              {"invalid", spec(EnumSpec{{"error", "skip"}}),
               "What becomes of rows that cannot be drawn.", false, "\"error\""},
              {"radius_limits",
               list_of(length_map(kMaxCoordinate), 2, "[smallest, largest], lengths as 0.5 or 2px"),
               "Radii are at least and at most this, in the picture.", false, ""},
              {"color", color(), "One colour, of data without colours.", false, "\"#000000\""},
              {"alpha", number(0, 1), "Opacity, of data without alphas; the shader's where absent.",
               false, ""},
              {"name", spec(StringSpec{}, "a name"),
               "Name, unique among the layers, for messages and --layers; without commas.", false,
               ""},
              {"opacity", share_over_time(), "A factor on each circle's alpha.", false, "1"},
              {"blend", spec(EnumSpec{{kBlendModeNames.begin(), kBlendModeNames.end()}}),
               "How each circle changes what lies below it.", false, "\"over\""},
              {"fill", spec(BooleanSpec{}), "False: only the stroke is painted.", false, "true"},
              {"stroke", stroke(),
               "A ring inside each circle's rim, above its fill; not with the shader snow.", false,
               ""},
              {"offset", place_over_time(),
               "The layer's circles move by [x, y]: p' = offset + pivot + rotate * scale * (p - "
               "pivot).",
               false, "[0, 0]"},
              {"scale", size_over_time(),
               "The layer's circles, their radii too, grow by this factor about the pivot.", false,
               "1"},
              {"rotate", coordinate_over_time(),
               "Degrees by which the layer turns about the pivot, counter-clockwise.", false, "0"},
              {"pivot", view_center(), "The point that scale and rotate leave where it is.", false,
               "[0, 0]"},
              {"shader", shader(),
               "How circles look; solid where absent, but snow for the classic scenes snow and "
               "snowsingle.",
               false, ""},
          },
          {"generator", "random", "circles", "data"},
          {{"columns", "data"},
           {"dataset", "data"},
           {"map", "data"},
           {"where", "map"},
           {"order", "map"},
           {"invalid", "map"},
           {"radius_limits", "map"},
           {"color", "data"},
           {"alpha", "data"}},
          {{"data", {"map", "columns"}}},
          {{"columns", "map"}}},
      "a layer with one of generator, random, circles or data");
}

// Sides out of range are reported one by one; this says what the two would mean together. Within
// their ranges they are never too much.
static_assert(std::uint64_t{kMaxImageSide} * kMaxImageSide <= kMaxPixels);
std::string too_many_pixels(YamlNode image) {
  std::array<double, 2> sides{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto node = image.find(i == 0 ? "width" : "height");
    sides[i] = ImageSettings{}.width;
    if (!node) continue;
    if (node->kind() != YamlKind::kPlain) return "";
    sides[i] = parse_number(node->text()).value.value_or(0);
  }
  const double pixels = sides[0] * sides[1];
  if (sides[0] < 1 || sides[1] < 1 || pixels <= static_cast<double>(kMaxPixels)) return "";
  return fmt::format("an image of {:.0f}x{:.0f} pixels needs {} of memory; at most {} pixels",
                     sides[0], sides[1], memory_text(pixels * kBytesPerPixel), kMaxPixels);
}

SpecPtr image() {
  return spec(
      ObjectSpec{{
                     {"width", integer(1, kMaxImageSide), "In pixels.", false, "1024"},
                     {"height", integer(1, kMaxImageSide), "In pixels.", false, "1024"},
                     {"background", background(),
                      "Colour or vertical gradient behind the circles; not with alpha: true.",
                      false, "\"#ffffff\""},
                     {"alpha", spec(BooleanSpec{}),
                      "A picture with transparency, without background.", false, "false"},
                     {"blend", spec(EnumSpec{{"display", "linear"}}),
                      "Blend colour values as they stand (display) or in linear light (linear).",
                      false, "\"display\""},
                     {"bits", spec(IntegerSpec{8, 16, 0, 8}), "Of a sample of a PNG: 8 or 16.",
                      false, "8"},
                     {"dither", spec(BooleanSpec{}),
                      "8 bits by an ordered dither, which hides the steps of soft colours.", false,
                      "false"},
                     {"antialias", spec(BooleanSpec{}),
                      "A circle covers the share of each pixel that lies in it; without, pixels "
                      "whose centres do.",
                      false, "false"},
                 },
                 {},
                 {},
                 {},
                 {},
                 too_many_pixels},
      "{width: INTEGER, height: INTEGER, ...}");
}

SpecPtr view() {
  const SpecPtr window = over_time(
      list_of(number(-kMaxDataCoordinate, kMaxDataCoordinate), 2, "[low, high]"), "windowOverTime");
  return spec(
      ObjectSpec{
          {
              {"center", place_over_time(), "The scene point in the middle of the image.", false,
               "[0.5, 0.5]"},
              {"zoom", over_time(number_above(0, kMaxZoom), "zoomOverTime"),
               "The image is 1/zoom scene units high, and width/height times that wide.", false,
               "1"},
              {"x", window, "With y: the window of scene space in the middle of the image.", false,
               ""},
              {"y", window, "With x: the window of scene space in the middle of the image.", false,
               ""},
              {"fit", spec(EnumSpec{{"data", "square"}}),
               "The window: that of the centres of all data layers' circles, or the unit square.",
               false, ""},
              {"margin", over_time(number(0, kMaxMargin), "marginOverTime"),
               "With fit: of the window's longer side, added on each side.", false, "0.05"},
              over("With fit: data, of a data file a frame: the window of all frames' files, or of "
                   "each frame's."),
              {"aspect", spec(EnumSpec{{"contain", "cover"}}),
               "All of the window is seen (contain), or it fills the image (cover).", false,
               "\"contain\""},
              {"flip", spec(EnumSpec{{"y"}}), "y: it points down.", false, ""},
          },
          {},
          {{"x", "y"}, {"y", "x"}, {"margin", "fit"}, {"over", "fit"}},
          {{"aspect", {"x", "fit"}}},
          {{"center", "x"}, {"center", "fit"}, {"zoom", "x"}, {"zoom", "fit"}, {"x", "fit"}}},
      "{center: [x, y], zoom: NUMBER}, {x: [low, high], y: [low, high]} or {fit: data}");
}

SpecPtr animation() {
  return spec(
      ObjectSpec{{
          {"fps", number_above(0, kMaxFps), "Frames a second of the film.", false, "60"},
          {"frames", integer(1, kMaxFrame), "Number of frames.", false, "1"},
          {"start", integer(0, kMaxFrame),
           "First frame; also the one rendered when none is asked for.", false, "0"},
          {"time", spec(EnumSpec{{"steps", "real"}}),
           "Of simulated layers: a step of 1/60 s a frame, or 1/fps s.", false, "\"steps\""},
      }},
      "{fps: NUMBER, frames: INTEGER, start: INTEGER, time: real}");
}

Spec scene() {
  return {ObjectSpec{{
              {"version", integer(1, 1), "Version of this format.", true, ""},
              {"vars", spec(DictSpec{spec(AnythingSpec{})}, "{NAME: VALUE, ...}"),
               "Values by name, for $NAME wherever a value stands; --set NAME=VALUE replaces them.",
               false, ""},
              {"image", image(), "The picture.", false, ""},
              {"seed", seed_spec(), "Start of all random streams.", false, "1"},
              {"view", view(), "The part of the scene that fills the image.", false, ""},
              {"layers", spec(ListSpec{layer(), 0, kMaxLayers}, "a list of layers"),
               "Painted in this order, later ones on top.", true, ""},
              {"animation", animation(), "Frames of a film.", false, ""},
              {"output", spec(StringSpec{}, "a file name or pattern"),
               "Where frames go, relative to the working directory; #### is the frame number.",
               false, ""},
          }},
          "a scene {version: 1, layers: [...], ...}"};
}

}  // namespace

const Spec& scene_spec() {
  static const Spec kSpec = scene();
  return kSpec;
}

}  // namespace roundel
