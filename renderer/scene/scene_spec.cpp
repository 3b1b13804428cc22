// The format of scene files, written down once: the loader and scene.schema.json both follow it.
#include "renderer/scene/scene_spec.h"

#include <fmt/format.h>

#include "renderer/base/text.h"
#include "renderer/format/number_text.h"
#include "renderer/format/schema.h"
#include "renderer/format/yaml_tree.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/keyed_value.h"
#include "renderer/scene/spec_values.h"

namespace roundel {
namespace {

SpecPtr seed_spec() {
  return integer(0, std::numeric_limits<std::uint32_t>::max());
}

constexpr double kMaxMargin = 1000;
constexpr std::uint64_t kMaxPoints = 10'000;
constexpr double kMaxWeight = 1e6;

SpecPtr coordinate() {
  return number(-kMaxCoordinate, kMaxCoordinate);
}

SpecPtr background() {
  std::vector<SpecPtr> forms = color_forms();
  forms.push_back(object("", {required("bottom", color(), "Colour of the lowest pixel row."),
                              required("top", color(), "Colour above the highest pixel row.")}));
  return any_of(std::move(forms),
                "a colour (\"#rrggbb\" in quotes, [red, green, blue] or one number) or a gradient "
                "{bottom: COLOUR, top: COLOUR}");
}

SpecPtr point() {
  return list_of(coordinate(), 2, "a point [x, y]", "point");
}
SpecPtr view_center() {
  return list_of(data_coordinate(), 2, "a point [x, y]");
}

/// A value, or keys over time. Values are no maps.
SpecPtr over_time(SpecPtr value, std::string definition) {
  const SpecPtr keys = spec(DictSpec{value, DictSpec::Keys::kTimes}, "{FRAME: VALUE, ...}");
  const SpecPtr keyed =
      object("{keys: {FRAME: VALUE, ...}, ease: NAME}",
             {required("keys", keys, "Values by frame number, or by seconds as 2.5s."),
              {"ease", one_of(kEaseNames), "How the value moves from key to key.", "\"linear\""}});
  return any_of({std::move(value), keyed}, "", std::move(definition));
}
SpecPtr coordinate_over_time() {
  return over_time(coordinate(), "coordinateOverTime");
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

// A constant, or a law by which a number is drawn for each circle.
SpecPtr number_law(SpecPtr constant, SpecPtr bound, std::string expected, std::string definition) {
  const SpecPtr gaussian =
      object("{mean: NUMBER, sigma: NUMBER}",
             {required("mean", coordinate(), "Mean."),
              required("sigma", number(0, kMaxCoordinate), "Standard deviation.")});
  const SpecPtr drawn = object(
      "",
      {{"uniform", list_of(std::move(bound), 2, "[low, high]"), "Evenly between the two bounds."},
       {"gaussian", gaussian, "Normally distributed."}},
      {.exactly_one_of = {"uniform", "gaussian"}});
  return any_of({std::move(constant), drawn}, std::move(expected), std::move(definition));
}

SpecPtr position_law() {
  const SpecPtr gaussian =
      object("{mean: [x, y], sigma: NUMBER}",
             {required("mean", point(), "Centre of the cloud."),
              required("sigma", number(0, kMaxCoordinate), "Standard deviation in x and in y.")});
  const SpecPtr box = list_of(point(), 2, "[[x0, y0], [x1, y1]]");
  const SpecPtr radius = number_above(0, kMaxCoordinate), width = number(0, kMaxCoordinate);
  const SpecPtr disc = object("{center: [x, y], radius: NUMBER}",
                              {required("center", point(), "Centre of the disc."),
                               required("radius", radius, "Radius of the disc.")});
  const SpecPtr ring = object("{center: [x, y], radius: NUMBER, width: NUMBER}",
                              {required("center", point(), "Centre of the ring."),
                               required("radius", radius, "Outer radius."),
                               {"width", width, "Inwards from the outer radius.", "0"}});
  const SpecPtr polyline = object(
      "{points: [[x, y], ...], width: NUMBER}",
      {required("points", spec(ListSpec{point(), 2, kMaxPoints}, "a list of two points or more"),
                "Corners of the line, in order."),
       {"width", width, "Width of the line: circles lie evenly across it.", "0"},
       {"sigma", width, "Standard deviation from the line, in x and in y; replaces width."}},
      {.excludes = {{"width", "sigma"}}});
  const SpecPtr cells = integer(1, static_cast<std::int64_t>(kMaxCircles));
  const SpecPtr grid =
      object("{columns: INTEGER, rows: INTEGER, jitter: NUMBER}",
             {required("columns", cells, "Number of columns."),
              required("rows", cells, "Number of rows."),
              {"jitter", number(0, 1),
               "Share of its cell in which a circle may lie; 0 is the centre.", "0"},
              {"box", box, "Corners of the grid.", "[[0, 0], [1, 1]]"}});
  return object(
      "one of {uniform: ...}, {gaussian: ...}, {disc: ...}, {ring: ...}, {polyline: ...} and "
      "{grid: ...}",
      {{"uniform", box, "Evenly over the box between two corners."},
       {"gaussian", gaussian, "A round cloud."},
       {"disc", disc, "Evenly over a disc."},
       {"ring", ring, "Evenly over a ring."},
       {"polyline", polyline, "Evenly along lines."},
       {"grid", grid, "One circle per cell, row by row from the lower left; replaces count."}},
      {.exactly_one_of = {"uniform", "gaussian", "disc", "ring", "polyline", "grid"}});
}

SpecPtr color_law() {
  std::vector<SpecPtr> forms = color_forms();
  forms.push_back(object(
      "",
      {{"uniform", list_of(color(), 2, "two colours [COLOUR, COLOUR]"),
        "Each channel evenly between the two colours' channels."},
       {"choice", spec(ListSpec{color(), 1, kMaxStops}, "a list of colours"),
        "One of these colours."},
       {"weights", spec(ListSpec{number(0, kMaxWeight), 1, kMaxStops}, "a list of numbers"),
        "Relative frequency of each colour of choice; equal if absent."},
       {"gradient", colormap_spec(), "Any colour of a colour map, evenly."}},
      {.exactly_one_of = {"uniform", "choice", "gradient"}, .needs = {{"weights", "choice"}}}));
  return any_of(std::move(forms),
                "a colour (\"#rrggbb\" in quotes, [red, green, blue] or one number), {uniform: "
                "[COLOUR, COLOUR]}, {choice: [...]} or {gradient: [...]}");
}

SpecPtr random_circles() {
  const SpecPtr fraction = number(0, 1);
  const SpecPtr fraction_law = number_law(
      fraction, fraction,
      "a number from 0 to 1, {uniform: [low, high]} or {gaussian: {mean, sigma}}", "fractionLaw");
  const SpecPtr radius_law =
      number_law(number_above(0, kMaxCoordinate), number(0, kMaxCoordinate),
                 "a number > 0, {uniform: [low, high]} or {gaussian: {mean, sigma}}", "radiusLaw");
  return object(
      "{count: INTEGER, ...}",
      {{"count", spec(IntegerSpec{0, static_cast<std::int64_t>(kMaxCircles), kBytesPerCircle}),
        "Number of circles; a grid has its own number."},
       {"seed", seed_spec(), "Seed; the scene's if absent."},
       {"position", position_law(), "Centres; evenly over the unit square if absent."},
       {"radius", radius_law, "Radius; a draw of 0 or less gives a circle that covers nothing.",
        "0.01"},
       {"color", color_law(), "Colour.", "\"#000000\""},
       {"alpha", fraction_law, "Opacity, clamped to 0 to 1; the shader's if absent."},
       {"depth", fraction_law, "Depth z, clamped to 0 to 1; only the snow shader reads it.", "0"}},
      {.at_least_one_of = {"count", "position"}});
}

SpecPtr inline_circles() {
  const SpecPtr place = coordinate_over_time();
  const SpecPtr circle =
      object("a circle {x: NUMBER, y: NUMBER, radius: NUMBER, ...}",
             {required("x", place, "x of the centre in scene units, to the right."),
              required("y", place, "y of the centre in scene units, upwards."),
              {"z", share_over_time(), "Depth; only the snow shader reads it.", "0"},
              required("radius", size_over_time(), "Radius in scene units."),
              {"color", over_time(color(), "colorOverTime"), "Colour.", "\"#000000\""},
              {"alpha", share_over_time(), "Opacity; the shader's if absent."}});
  return spec(ListSpec{circle}, "a list of circles");
}

SpecPtr generator() {
  const SpecPtr name = spec(EnumSpec{classic_names()}, "", "classicName");
  return any_of({name, object("", {required("name", name, "Name of the classic scene."),
                                   {"seed", seed_spec(), "Seed; the scene's if absent."}})},
                "the name of a classic scene or {name: NAME, seed: INTEGER}");
}

SpecPtr shader() {
  const SpecPtr solid = object(
      "{alpha: NUMBER}", {{"alpha", number(0, 1), "Opacity of circles without their own.", "0.5"}});
  return spec(
      AnyOfSpec{{one_of({"solid", "snow"}),
                 object("", {required("solid", solid,
                                      "One colour and alpha everywhere inside a circle.")})}},
      "\"solid\", \"snow\" or {solid: {alpha: NUMBER}}");
}

SpecPtr stroke() {
  return object("{width: LENGTH, color: COLOUR, alpha: NUMBER}",
                {required("width", width_spec(kMaxCoordinate), "Width, as 0.5 or 2px; > 0."),
                 {"color", color(), "Colour; the circle's if absent."},
                 {"alpha", number(0, 1), "Opacity; the circle's if absent."}});
}

SpecPtr layer() {
  const SpecPtr column = one_of(kDataColumnNames);
  return object(
      "a layer with one of generator, random, circles or data",
      {{"generator", generator(), "The circles of a classic scene."},
       {"random", random_circles(), "Independent random circles."},
       {"circles", inline_circles(), "Circles, written one by one."},
       {"data", text("the path of a data file"),
        "Path of a data file, relative to the scene file: one circle per row, in paint order. #### "
        "stands for the frame number of an animation with one file per frame. x and y are at most "
        "1e15; they are rounded to float32 only after the view is applied."},
       {"dataset", text("the name of a table in the data file"),
        "Table of the data file, if it has several."},
       {"columns", spec(ListSpec{column, 1}, "a list of column names"),
        "Meaning of the columns of data: x, y and radius are required; _ ignores a column."},
       {"map", data_map_spec(),
        "Map from columns of data to circles: constants, columns, scales and colours."},
       {"where", where_spec(), "Conditions: rows that meet all of them are drawn."},
       {"order", order_spec(),
        "Column that sorts the rows, the highest value on top; the file's order if absent."},
       {"invalid", one_of({"error", "skip"}),
        "Action for rows that cannot be drawn: an error, or skip them.", "\"error\""},
       {"radius_limits",
        list_of(length_spec(kMaxCoordinate), 2, "[smallest, largest], lengths as 0.5 or 2px"),
        "Smallest and largest radius in the picture."},
       {"color", color(), "Colour of data without colours.", "\"#000000\""},
       {"alpha", number(0, 1), "Opacity of data without alphas; the shader's if absent."},
       {"name", text("a name"),
        "Name for messages and --layers, unique among the layers and without commas."},
       {"opacity", share_over_time(), "Factor on each circle's alpha.", "1"},
       {"blend", one_of(kBlendModeNames),
        "Blend mode: how each circle changes the picture below it.", "\"over\""},
       {"fill", boolean(), "False: only the stroke is painted.", "true"},
       {"stroke", stroke(),
        "A ring inside each circle's rim, above its fill; not with the shader snow."},
       {"offset", place_over_time(),
        "Shift of the layer's circles by [x, y]: p' = offset + pivot + rotate * scale * (p - "
        "pivot).",
        "[0, 0]"},
       {"scale", size_over_time(),
        "Factor by which the layer grows about the pivot, radii included.", "1"},
       {"rotate", coordinate_over_time(),
        "Degrees by which the layer turns counter-clockwise about the pivot.", "0"},
       {"pivot", view_center(), "Fixed point of scale and rotate.", "[0, 0]"},
       {"shader", shader(),
        "Look of the circles; if absent, solid, but snow for the classic scenes snow and "
        "snowsingle."}},
      {.exactly_one_of = {"generator", "random", "circles", "data"},
       .needs = {{"columns", "data"},
                 {"dataset", "data"},
                 {"map", "data"},
                 {"where", "map"},
                 {"order", "map"},
                 {"invalid", "map"},
                 {"radius_limits", "map"},
                 {"color", "data"},
                 {"alpha", "data"}},
       .needs_any = {{"data", {"map", "columns"}}},
       .excludes = {{"columns", "map"}}});
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
  return object(
      "{width: INTEGER, height: INTEGER, ...}",
      {{"width", integer(1, kMaxImageSide), "In pixels.", "1024"},
       {"height", integer(1, kMaxImageSide), "In pixels.", "1024"},
       {"background", background(),
        "Colour or vertical gradient behind the circles; not with alpha: true.", "\"#ffffff\""},
       {"alpha", boolean(), "True: the picture is transparent and has no background.", "false"},
       {"blend", one_of({"display", "linear"}),
        "Blending of colour values as they stand (display) or in linear light (linear).",
        "\"display\""},
       {"bits", spec(IntegerSpec{8, 16, 0, 8}), "Bits of a sample of a PNG: 8 or 16.", "8"},
       {"dither", boolean(), "True: an ordered dither hides the steps of soft colours in 8 bits.",
        "false"},
       {"antialias", boolean(),
        "True: edges are smooth; a circle covers the share of each pixel that lies in it. False: "
        "it covers pixels whose centres lie in it.",
        "false"}},
      {.problem = too_many_pixels});
}

SpecPtr view() {
  const SpecPtr window = over_time(list_of(data_coordinate(), 2, "[low, high]"), "windowOverTime");
  return object(
      "{center: [x, y], zoom: NUMBER}, {x: [low, high], y: [low, high]} or {fit: data}",
      {{"center", place_over_time(), "The scene point in the middle of the image.", "[0.5, 0.5]"},
       {"zoom", over_time(number_above(0, kMaxZoom), "zoomOverTime"),
        "Zoom: the image is 1/zoom scene units high, and width/height times as wide.", "1"},
       {"x", window, "Left and right end of the window of scene space; needs y."},
       {"y", window, "Lower and upper end of the window of scene space; needs x."},
       {"fit", one_of({"data", "square"}),
        "Window around the centres of all data layers' circles (data), or the unit square "
        "(square)."},
       {"margin", over_time(number(0, kMaxMargin), "marginOverTime"),
        "Share of the window's longer side that fit adds on each side.", "0.05"},
       over_spec("With fit: data and one data file per frame: window of all files (film), or of "
                 "each frame's file (frame)."),
       {"aspect", one_of({"contain", "cover"}),
        "All of the window shows (contain), or it fills the image (cover).", "\"contain\""},
       {"flip", one_of({"y"}), "y: the y axis points down, as in images."}},
      {.needs = {{"x", "y"}, {"y", "x"}, {"margin", "fit"}, {"over", "fit"}},
       .needs_any = {{"aspect", {"x", "fit"}}},
       .excludes = {
           {"center", "x"}, {"center", "fit"}, {"zoom", "x"}, {"zoom", "fit"}, {"x", "fit"}}});
}

SpecPtr rate() {
  const std::string expected =
      fmt::format("a number > 0 and <= {}, or a fraction of whole numbers as 24000/1001", kMaxFps);
  return any_of({number_above(0, kMaxFps), spec(RatioSpec{kMaxFps}, expected)}, expected);
}

SpecPtr animation() {
  return object(
      "{fps: NUMBER, frames: INTEGER, start: INTEGER, time: real}",
      {{"fps", rate(), "Frames per second, also as a fraction: 24000/1001.", "60"},
       {"frames", integer(1, kMaxFrame), "Number of frames.", "1"},
       {"start", integer(0, kMaxFrame), "Number of the first frame; a still shows this frame.",
        "0"},
       {"time", one_of({"steps", "real"}),
        "Step of simulated layers per frame: 1/60 s (steps) or 1/fps s (real).", "\"steps\""}});
}

Spec scene() {
  return {ObjectSpec{{
              required("version", integer(1, 1), "Version of this format."),
              {"vars",
               spec(DictSpec{spec(AnythingSpec{}), DictSpec::Keys::kVars}, "{NAME: VALUE, ...}"),
               "Values by name: $NAME stands for a value anywhere; --set NAME=VALUE replaces it."},
              {"image", image(), "The picture."},
              {"seed", seed_spec(), "Seed of all random numbers.", "1"},
              {"view", view(), "The part of the scene that fills the image."},
              required("layers", spec(ListSpec{layer(), 0, kMaxLayers}, "a list of layers"),
                       "Layers in paint order, later ones on top."),
              {"animation", animation(), "Frames of a film."},
              {"output", text("a file name or pattern"),
               "File of the frames, relative to the working directory; #### is the frame number."},
          }},
          "a scene {version: 1, layers: [...], ...}"};
}

}  // namespace

const Spec& scene_spec() {
  static const Spec kSpec = scene();
  return kSpec;
}

std::string scene_json_schema() {
  return json_schema(scene_spec(), "Roundel scene",
                     "A scene of translucent circles. Written by `roundel schema`.", true);
}

}  // namespace roundel
