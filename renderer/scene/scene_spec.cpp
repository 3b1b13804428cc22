// The format of scene files, for the loader and scene.schema.json.
#include "renderer/scene/scene_spec.h"

#include <fmt/format.h>

#include <tuple>

#include "renderer/base/text.h"
#include "renderer/format/number_text.h"
#include "renderer/format/schema.h"
#include "renderer/format/yaml_tree.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/spec_keys.h"
#include "renderer/scene/spec_values.h"

namespace roundel {
namespace {

Form<std::int64_t> seed() {
  return integer(0, std::numeric_limits<std::uint32_t>::max());
}

constexpr double kMaxMargin = 1000;
constexpr std::uint64_t kMaxPoints = 10'000;
constexpr double kMaxWeight = 1e6;

Form<double> coordinate() {
  return number(-kMaxCoordinate, kMaxCoordinate);
}

using Point = std::array<double, 2>;
Form<Point> point() {
  return array_of<2>(coordinate(), "a point [x, y]", "point");
}
Form<Point> view_center() {
  return array_of<2>(data_coordinate(), "a point [x, y]");
}

Form<std::optional<DisplayColor>> color_over_time() {
  return over_time(color(), "colorOverTime");
}
Form<std::optional<double>> coordinate_over_time() {
  return over_time(coordinate(), "coordinateOverTime");
}
Form<Background> background() {
  std::vector<Form<Background>> forms = color_forms_as<Background>([](const DisplayColor& color) {
    return Background{color, color};
  });
  std::vector<FieldOf<Background>> fields = {
      {"bottom", &Background::bottom, color_over_time(), "Colour of the lowest pixel row."},
      {"top", &Background::top, color_over_time(), "Colour above the highest pixel row."}};
  for (Field field : keys_fields_of({color()})) {
    field.is_required = false;
    fields.emplace_back(std::move(field));
  }
  forms.emplace_back(object<Background>("", std::move(fields),
                                        {.exactly_one_of = {"bottom", "keys"},
                                         .needs = {{"bottom", "top"},
                                                   {"top", "bottom"},
                                                   {"ease", "keys"},
                                                   {"path", "keys"},
                                                   {"repeat", "keys"}}}));
  return any_of<Background>(
      forms,
      "a colour (\"#rrggbb\" in quotes, [red, green, blue] or one number) or a gradient "
      "{bottom: COLOUR, top: COLOUR}");
}

/// A place, which may be outside, or a length of a circle on the screen.
Form<double> screen_pixels(bool is_place) {
  return {spec(UnitSpec{"px", kMaxPixelLength, !is_place, is_place},
               is_place ? "pixels, at most 1000000px" : "pixels > 0px, at most 1000000px"),
          [](ValidNode node) { return read_length(node).value; }};
}
Form<std::optional<double>> share_over_time() {
  return over_time(number(0, 1), "shareOverTime");
}
Form<std::optional<double>> size_over_time() {
  return over_time(number_above(0, kMaxCoordinate), "sizeOverTime");
}
Form<std::optional<Point>> place_over_time() {
  return over_time(view_center(), "placeOverTime");
}

/// A constant, or a law for each circle.
Form<NumberLaw> number_law(const Form<double>& constant, const Form<double>& bound,
                           std::string expected, std::string definition) {
  const auto gaussian = object<GaussianLaw>(
      "{mean: NUMBER, sigma: NUMBER}",
      {required("mean", &GaussianLaw::mean, coordinate(), "Mean."),
       required("sigma", &GaussianLaw::sigma, number(0, kMaxCoordinate), "Standard deviation.")});
  const auto uniform = convert(array_of<2>(bound, "[low, high]"), [](const auto& ends) {
    return UniformLaw{ends[0], ends[1]};
  });
  const auto drawn =
      object<NumberLaw>("",
                        {{"uniform", kItself, uniform, "Evenly between the two bounds."},
                         {"gaussian", kItself, gaussian, "Normally distributed."}},
                        {.exactly_one_of = {"uniform", "gaussian"}});
  return any_of<NumberLaw>(
      {convert(constant, [](double value) { return ConstantLaw{value}; }), drawn},
      std::move(expected), std::move(definition));
}

Form<PositionLaw> position_law() {
  const auto gaussian = object<GaussianPosition>(
      "{mean: [x, y], sigma: NUMBER}",
      {required("mean", &GaussianPosition::mean, point(), "Centre of the cloud."),
       required("sigma", &GaussianPosition::sigma, number(0, kMaxCoordinate),
                "Standard deviation in x and in y.")});
  const auto box = array_of<2>(point(), "[[x0, y0], [x1, y1]]");
  const auto uniform = convert(box, [](const auto& corners) {
    return UniformPosition{corners[0], corners[1]};
  });
  const Form<double> radius = number_above(0, kMaxCoordinate), width = number(0, kMaxCoordinate);
  const auto disc = object<DiscPosition>(
      "{center: [x, y], radius: NUMBER}",
      {required("center", &DiscPosition::center, point(), "Centre of the disc."),
       required("radius", &DiscPosition::radius, radius, "Radius of the disc.")});
  const auto ring = object<RingPosition>(
      "{center: [x, y], radius: NUMBER, width: NUMBER}",
      {required("center", &RingPosition::center, point(), "Centre of the ring."),
       required("radius", &RingPosition::radius, radius, "Outer radius."),
       {"width", &RingPosition::width, width, "Inwards from the outer radius.", "0"}});
  const auto polyline = object<PolylinePosition>(
      "{points: [[x, y], ...], width: NUMBER}",
      {required("points", &PolylinePosition::points,
                list_of(point(), 2, kMaxPoints, "a list of two points or more"),
                "Corners of the line, in order."),
       {"width", &PolylinePosition::width, width,
        "Width of the line: circles lie evenly across it.", "0"},
       {"sigma", &PolylinePosition::sigma, width,
        "Standard deviation from the line, in x and in y; replaces width."}},
      {.excludes = {{"width", "sigma"}}});
  const auto cells = integer(1, static_cast<std::int64_t>(kMaxCircles));
  const auto set_box = [](GridPosition& grid, const std::array<Point, 2>& corners) {
    std::tie(grid.low, grid.high) = std::tie(corners[0], corners[1]);
  };
  const auto grid = object<GridPosition>(
      "{columns: INTEGER, rows: INTEGER, jitter: NUMBER}",
      {required("columns", &GridPosition::columns, cells, "Number of columns."),
       required("rows", &GridPosition::rows, cells, "Number of rows."),
       {"jitter", &GridPosition::jitter, number(0, 1),
        "Share of its cell in which a circle may lie; 0 is the centre.", "0"},
       {"box", set_box, box, "Corners of the grid.", "[[0, 0], [1, 1]]"}});
  return object<PositionLaw>(
      "one of {uniform: ...}, {gaussian: ...}, {disc: ...}, {ring: ...}, {polyline: ...} and "
      "{grid: ...}",
      {{"uniform", kItself, uniform, "Evenly over the box between two corners."},
       {"gaussian", kItself, gaussian, "A round cloud."},
       {"disc", kItself, disc, "Evenly over a disc."},
       {"ring", kItself, ring, "Evenly over a ring."},
       {"polyline", kItself, polyline, "Evenly along lines."},
       {"grid", kItself, grid,
        "One circle per cell, row by row from the lower left; replaces count."}},
      {.exactly_one_of = {"uniform", "gaussian", "disc", "ring", "polyline", "grid"}});
}

/// read_color_law() reads it, since its parts depend on each other.
SpecPtr color_law() {
  const std::vector<Form<DisplayColor>> colors = color_forms();
  std::vector<SpecPtr> forms(colors.begin(), colors.end());
  forms.push_back(object(
      "",
      {{"uniform", array_of<2>(color(), "two colours [COLOUR, COLOUR]"),
        "Each channel evenly between the two colours' channels."},
       {"choice", list_of(color(), 1, kMaxStops, "a list of colours"), "One of these colours."},
       {"weights", list_of(number(0, kMaxWeight), 1, kMaxStops, "a list of numbers"),
        "Relative frequency of each colour of choice; equal if absent."},
       {"gradient", colormap_spec(), "Any colour of a colour map, evenly."}},
      {.exactly_one_of = {"uniform", "choice", "gradient"}, .needs = {{"weights", "choice"}}}));
  return any_of(std::move(forms),
                "a colour (\"#rrggbb\" in quotes, [red, green, blue] or one number), {uniform: "
                "[COLOUR, COLOUR]}, {choice: [...]} or {gradient: [...]}");
}

ObjectForm<RandomSource> make_random_circles() {
  const Form<double> fraction = number(0, 1);
  const auto fraction_law = number_law(
      fraction, fraction,
      "a number from 0 to 1, {uniform: [low, high]} or {gaussian: {mean, sigma}}", "fractionLaw");
  const auto radius_law =
      number_law(number_above(0, kMaxCoordinate), number(0, kMaxCoordinate),
                 "a number > 0, {uniform: [low, high]} or {gaussian: {mean, sigma}}", "radiusLaw");
  return object<RandomSource>(
      "{count: INTEGER, ...}",
      {{"count", &RandomSource::count,
        integer(IntegerSpec{0, static_cast<std::int64_t>(kMaxCircles), kBytesPerCircle}),
        "Number of circles; a grid has its own number."},
       {"seed", &RandomSource::seed, seed(), "Seed; the scene's if absent."},
       {"position", &RandomSource::position, position_law(),
        "Centres; evenly over the unit square if absent."},
       {"radius", &RandomSource::radius, radius_law,
        "Radius; a draw of 0 or less gives a circle that covers nothing.", "0.01"},
       {"color", color_law(), "Colour.", "\"#000000\""},
       {"alpha", &RandomSource::alpha, fraction_law,
        "Opacity, clamped to 0 to 1; the shader's if absent."},
       {"depth", &RandomSource::depth, fraction_law,
        "Depth z, clamped to 0 to 1; only the snow shader reads it.", "0"}},
      {.at_least_one_of = {"count", "position"}});
}

ObjectForm<InlineCircle> make_inline_circle() {
  const auto place = over_time(coordinate(), "circlePlace", {screen_pixels(true)});
  const auto radius =
      over_time(number_above(0, kMaxCoordinate), "circleRadius", {screen_pixels(false)});
  return object<InlineCircle>(
      "a circle {x: NUMBER, y: NUMBER, radius: NUMBER, ...}",
      {required("x", &InlineCircle::x, place, "x of the centre in scene units, to the right."),
       required("y", &InlineCircle::y, place, "y of the centre in scene units, upwards."),
       {"z", &InlineCircle::z, share_over_time(), "Depth; only the snow shader reads it.", "0"},
       required("radius", &InlineCircle::radius, radius, "Radius in scene units."),
       {"color", &InlineCircle::color, color_over_time(), "Colour.", "\"#000000\""},
       {"alpha", &InlineCircle::alpha, share_over_time(), "Opacity; the shader's if absent."}});
}

Form<GeneratorSource> make_generator() {
  const auto name = one_of(classic_names(), "classicName");
  const auto whole = object<GeneratorSource>(
      "", {required("name", &GeneratorSource::name, name, "Name of the classic scene."),
           {"seed", &GeneratorSource::seed, seed(), "Seed; the scene's if absent."}});
  return any_of<GeneratorSource>({convert(name,
                                          [](std::string text) {
                                            return GeneratorSource{std::move(text), {}};
                                          }),
                                  whole},
                                 "the name of a classic scene or {name: NAME, seed: INTEGER}");
}

SpecPtr shader() {
  const SpecPtr solid = object(
      "{alpha: NUMBER}", {{"alpha", number(0, 1), "Opacity of circles without their own.", "0.5"}});
  return spec(
      AnyOfSpec{{one_of<Shader>({"solid", "snow", "soft"}),
                 object("", {required("solid", solid,
                                      "One colour and alpha everywhere inside a circle.")})}},
      "\"solid\", \"soft\", \"snow\" or {solid: {alpha: NUMBER}}");
}

ObjectForm<Stroke> make_stroke() {
  return object<Stroke>(
      "{width: LENGTH, color: COLOUR, alpha: NUMBER}",
      {required("width", &Stroke::width, over_time(width(kMaxCoordinate), "widthOverTime"),
                "Width, as 0.5 or 2px; > 0."),
       {"color", &Stroke::color, color_over_time(), "Colour; the circle's if absent."},
       {"alpha", &Stroke::alpha, share_over_time(), "Opacity; the circle's if absent."}});
}

/// Frame numbers or seconds, which read_frames() reads.
SpecPtr frame_span() {
  const char* const expected = "a frame number or seconds >= 0, as 2.5s";
  return array_of<2>(any_of<std::string>({{spec(UnitSpec{"s", kMaxFrame}, expected), read_text},
                                          {integer(-kMaxFrame, kMaxFrame).spec, read_text}},
                                         expected),
                     "[FIRST, LAST], frame numbers or seconds, as 2.5s");
}

ObjectForm<Layer> make_layer(const SceneForms& forms) {
  return object<Layer>(
      "a layer with one of generator, random, circles or data",
      {{"generator", forms.generator, "The circles of a classic scene."},
       {"random", forms.random, "Independent random circles."},
       {"circles", list_of(forms.circle, 0, ListSpec{}.max_items, "a list of circles"),
        "Circles, written one by one."},
       {"data", text("the path of a data file"),
        "Path of a data file, relative to the scene file: one circle per row, in paint order. #### "
        "stands for the frame number of an animation with one file per frame. x and y are at most "
        "1e15; they are rounded to float32 only after the view is applied."},
       {"dataset", text("the name of a table in the data file"),
        "Table of the data file, if it has several."},
       {"columns", forms.columns,
        "Meaning of the columns of data: x, y and radius are required; _ ignores a column."},
       {"map", data_map_spec(),
        "Map from columns of data to circles: constants, columns, scales and colours."},
       {"where", where_spec(), "Conditions: rows that meet all of them are drawn."},
       {"order", order_spec(),
        "Column that sorts the rows, the highest value on top; the file's order if absent."},
       {"invalid", one_of<bool>({"error", "skip"}),
        "Action for rows that cannot be drawn: an error, or skip them.", "\"error\""},
       {"radius_limits", forms.radius_limits, "Smallest and largest radius in the picture."},
       {"color", color(), "Colour of data without colours.", "\"#000000\""},
       {"alpha", number(0, 1), "Opacity of data without alphas; the shader's if absent."},
       {"name", &Layer::name, text("a name"),
        "Name for messages and --layers, unique among the layers and without commas."},
       {"opacity", &Layer::opacity, share_over_time(), "Factor on each circle's alpha.", "1"},
       {"frames", frame_span(),
        "First and last frame that show the layer, or their seconds, as 2.5s; all if absent."},
       {"blend", &Layer::blend, one_of<BlendMode>(kBlendModeNames),
        "Blend mode: how each circle changes the picture below it.", "\"over\""},
       {"fill", &Layer::fill, boolean(), "False: only the stroke is painted.", "true"},
       {"stroke", forms.stroke,
        "A ring inside each circle's rim, above its fill; only with the shader solid."},
       {"offset", in(&Layer::move, &LayerMove::offset), place_over_time(),
        "Shift of the layer's circles by [x, y]: p' = offset + pivot + rotate * scale * (p - "
        "pivot).",
        "[0, 0]"},
       {"scale", in(&Layer::move, &LayerMove::scale), size_over_time(),
        "Factor by which the layer grows about the pivot, radii included.", "1"},
       {"rotate", in(&Layer::move, &LayerMove::rotate), coordinate_over_time(),
        "Degrees by which the layer turns counter-clockwise about the pivot.", "0"},
       {"pivot", in(&Layer::move, &LayerMove::pivot), view_center(),
        "Fixed point of scale and rotate.", "[0, 0]"},
       {"space", &Layer::is_on_screen, one_of<bool>({"scene", "screen"}),
        "screen: x, y, radius and the stroke's width of circles are pixels, from the picture's "
        "lower left corner, whatever the view.",
        "\"scene\""},
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

// Checks the product of sides out of range, which are also reported one by one.
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

ObjectForm<ImageSettings> make_image() {
  return object<ImageSettings>(
      "{width: INTEGER, height: INTEGER, ...}",
      {{"width", &ImageSettings::width, integer(1, kMaxImageSide), "In pixels.", "1024"},
       {"height", &ImageSettings::height, integer(1, kMaxImageSide), "In pixels.", "1024"},
       {"background", &ImageSettings::background, background(),
        "Colour or vertical gradient behind the circles; not with alpha: true.", "\"#ffffff\""},
       {"alpha", &ImageSettings::alpha, boolean(),
        "True: the picture is transparent and has no background.", "false"},
       {"blend", &ImageSettings::blend_space, one_of<BlendSpace>({"display", "linear"}),
        "Blending of colour values as they stand (display) or in linear light (linear).",
        "\"display\""},
       {"bits", &ImageSettings::bits, integer(IntegerSpec{8, 16, 0, 8}),
        "Bits of a sample of a PNG: 8 or 16.", "8"},
       {"dither", &ImageSettings::dither, boolean(),
        "True: an ordered dither hides the steps of soft colours in 8 bits.", "false"},
       {"antialias", &ImageSettings::antialias, boolean(),
        "True: edges are smooth; a circle covers the share of each pixel that lies in it. False: "
        "it covers pixels whose centres lie in it.",
        "false"}},
      {.problem = too_many_pixels});
}

ObjectForm<ViewKeys> make_view() {
  const auto of_view = [](auto member) { return in(&ViewKeys::view, member); };
  const auto of_window = [](auto member) { return in(&ViewKeys::window, member); };
  const auto set_center = [](ViewKeys& keys, const std::optional<Point>& point) {
    if (point)
      std::tie(keys.view.center_x, keys.view.center_y) = std::tie((*point)[0], (*point)[1]);
  };
  const auto window = over_time(array_of<2>(data_coordinate(), "[low, high]"), "windowOverTime");
  return object<ViewKeys>(
      "{center: [x, y], zoom: NUMBER}, {x: [low, high], y: [low, high]} or {fit: data}",
      {{"center", set_center, place_over_time(), "The scene point in the middle of the image.",
        "[0.5, 0.5]"},
       {"zoom", of_view(&View::zoom), over_time(number_above(0, kMaxZoom), "zoomOverTime"),
        "Zoom: the image is 1/zoom scene units high, and width/height times as wide.", "1"},
       {"x", of_window(&ViewWindow::x), window,
        "Left and right end of the window of scene space; needs y."},
       {"y", of_window(&ViewWindow::y), window,
        "Lower and upper end of the window of scene space; needs x."},
       {"fit", of_window(&ViewWindow::kind), one_of<ViewWindow::Kind>({"data", "square"}),
        "Window around the centres of all data layers' circles (data), or the unit square "
        "(square)."},
       {"margin", of_window(&ViewWindow::margin),
        over_time(number(0, kMaxMargin), "marginOverTime"),
        "Share of the window's longer side that fit adds on each side.", "0.05"},
       {"over", of_window(&ViewWindow::is_over_frame), over_frame(),
        "With fit: data and one data file per frame: window of all files (film), or of "
        "each frame's file (frame).",
        "\"film\""},
       {"aspect", of_window(&ViewWindow::covers), one_of<bool>({"contain", "cover"}),
        "All of the window shows (contain), or it fills the image (cover).", "\"contain\""},
       {"flip", [](ViewKeys& keys, const std::string&) { keys.view.flip_y = true; }, one_of({"y"}),
        "y: the y axis points down, as in images."},
       {"rotate", of_view(&View::rotate), coordinate_over_time(),
        "Degrees by which the picture's content turns counter-clockwise about its middle.", "0"}},
      {.needs = {{"x", "y"}, {"y", "x"}, {"margin", "fit"}, {"over", "fit"}},
       .needs_any = {{"aspect", {"x", "fit"}}},
       .excludes = {
           {"center", "x"}, {"center", "fit"}, {"zoom", "x"}, {"zoom", "fit"}, {"x", "fit"}}});
}

Form<Ratio> make_rate() {
  const std::string expected =
      fmt::format("a number > 0 and <= {}, or a fraction of whole numbers as 24000/1001", kMaxFps);
  const Form<Ratio> fraction(spec(RatioSpec{kMaxFps}, expected),
                             [](ValidNode node) { return parse_ratio(node.text()).value(); });
  return any_of<Ratio>(
      {convert(number_above(0, kMaxFps), [](double number) { return Ratio{number}; }), fraction},
      expected);
}

ObjectForm<Animation> make_animation(const Form<Ratio>& rate) {
  const auto set_fps = [](Animation& animation, const Ratio& fps) {
    animation.fps = fps.numerator / fps.denominator;
  };
  ObjectSpec rules;
  rules.excludes = {{"duration", "frames"}};
  rules.needs = {{"shutter", "samples"}};
  return object<Animation>(
      "{fps: NUMBER, frames: INTEGER, start: INTEGER, time: real}",
      {{"fps", set_fps, rate, "Frames per second, also as a fraction: 24000/1001.", "60"},
       {"frames", &Animation::frames, integer(1, kMaxFrame), "Number of frames.", "1"},
       {"duration", spec(UnitSpec{"s", kMaxFrame, true}, "a time as 12s"),
        "Length in seconds, as 12s, instead of frames."},
       {"start", &Animation::start, integer(0, kMaxFrame),
        "Number of the first frame; a still shows this frame.", "0"},
       {"time", &Animation::is_real, one_of<bool>({"steps", "real"}),
        "Step of simulated layers per frame: 1/60 s (steps) or 1/fps s (real).", "\"steps\""},
       {"samples", &Animation::samples, integer(2, kMaxSamples),
        "Motion blur: a frame is the mean of this many pictures at times from its own on."},
       {"shutter", &Animation::shutter, number_above(0, 1),
        "The samples' part of the time from a frame to the next.", "0.5"}},
      std::move(rules));
}

ObjectForm<Scene> make_scene(const SceneForms& forms) {
  const SpecPtr vars =
      spec(DictSpec{spec(AnythingSpec{}), DictSpec::Keys::kVars}, "{NAME: VALUE, ...}");
  return object<Scene>(
      "a scene {version: 1, layers: [...], ...}",
      {required("version", integer(1, 1), "Version of this format."),
       {"vars", vars,
        "Values by name: $NAME stands for a value anywhere; --set NAME=VALUE replaces it."},
       {"image", forms.image, "The picture."},
       {"seed", &Scene::seed, seed(), "Seed of all random numbers.", "1"},
       {"view", forms.view, "The part of the scene that fills the image."},
       required("layers", list_of(forms.layer, 0, kMaxLayers, "a list of layers"),
                "Layers in paint order, later ones on top."),
       {"animation", forms.animation, "Frames of a film."},
       {"output", &Scene::output, text("a file name or pattern"),
        "File of the frames, relative to the working directory; #### is the frame number."}});
}

}  // namespace

SceneForms::SceneForms()
    : image(make_image()),
      view(make_view()),
      rate(make_rate()),
      animation(make_animation(rate)),
      generator(make_generator()),
      random(make_random_circles()),
      circle(make_inline_circle()),
      columns(list_of(one_of<DataColumn>(kDataColumnNames), 1, ListSpec{}.max_items,
                      "a list of column names")),
      radius_limits(
          array_of<2>(length(kMaxCoordinate), "[smallest, largest], lengths as 0.5 or 2px")),
      stroke(make_stroke()),
      layer(make_layer(*this)),
      scene(make_scene(*this)) {}

const SceneForms& scene_forms() {
  static const SceneForms kForms;
  return kForms;
}

const Spec& scene_spec() {
  return *scene_forms().scene.spec;
}

std::string scene_json_schema() {
  return json_schema(scene_spec(), "Roundel scene",
                     "A scene of translucent circles. Written by `roundel schema`.", true);
}

}  // namespace roundel
