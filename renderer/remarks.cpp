#include "renderer/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/map/layer_move.h"
#include "renderer/pixels/srgb.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

constexpr float kFarAboveOne = 16;  ///< brighter than any lamp that a scene might have
constexpr double kMostOf = 0.6;     ///< of a sample, so that it is most of all circles

float brightest_of(const DisplayColor& color) {
  return std::max({color.red, color.green, color.blue});
}

struct BrightestDrawn {
  float operator()(const ConstantColor& color) const { return brightest_of(color.value); }
  float operator()(const UniformColor& color) const { return brightest_of(color.high); }
  float operator()(const GradientColor& /*color*/) const { return 1; }  // of hexadecimal colours
  float operator()(const ChoiceColor& choice) const {
    float brightest = 0;
    for (const DisplayColor& color : choice.colors)
      brightest = std::max(brightest, brightest_of(color));
    return brightest;
  }
};

/// The brightest channel that the scene file itself has.
float brightest_written(const Scene& scene) {
  float brightest = std::max(brightest_of(scene.image.background.bottom),
                             brightest_of(scene.image.background.top));
  for (const Layer& layer : scene.layers) {
    if (layer.is_hidden || layer.shader == Shader::kSnow) continue;  // flakes have their own
    if (const auto* const circles = std::get_if<InlineSource>(&layer.source)) {
      for (const InlineCircle& circle : circles->circles)
        brightest = std::max(brightest, brightest_of(circle.color));
    } else if (const auto* const random = std::get_if<RandomSource>(&layer.source)) {
      brightest = std::max(brightest, std::visit(BrightestDrawn{}, random->color));
    }
  }
  return brightest;
}

/// With so many digits that the ends are told apart, far from 0 too.
std::string range_text(double low, double high, std::string_view between = "..") {
  const double most = std::max(std::abs(low), std::abs(high));
  int digits = 4;
  for (double steps = 100 * (high - low); 0 < steps && steps < most && digits < 17; steps *= 10)
    ++digits;
  return fmt::format("{:.{}g}{}{:.{}g}", low, digits, between, high, digits);
}

std::string bounds_text(const SceneBounds& bounds) {
  return fmt::format("x {}, y {}", range_text(bounds.left, bounds.right),
                     range_text(bounds.bottom, bounds.top));
}

/// True where all circles together change no pixel. Without smooth edges circles that are smaller
/// than a pixel may paint all of one.
bool too_faint(const Scene& scene, ImageFormat format, const CircleSample& sample,
               std::uint64_t count) {
  const bool is_float = format != ImageFormat::kPng;
  const double half_level = is_float ? 0 : 0.5 / (scene.image.bits == 16 ? 65535 : 255);
  // A pixel changes by a circle's alpha times what it differs from what lies below; in linear light
  // dark levels are so many times as close.
  constexpr double kSteepest = 12.92;
  const bool is_linear = scene.image.blend_space == BlendSpace::kLinear;
  const float written = std::max(1.0f, brightest_written(scene));
  const double most = is_linear ? kSteepest * std::max(sample.brightest, srgb_to_linear(written))
                                : std::max(sample.brightest, written);
  const double ink =
      most * sample.ink * static_cast<double>(count) / static_cast<double>(sample.circles);
  return sample.circles > 0 && (ink == 0 || (scene.image.antialias && ink < half_level));
}

/// Returns why a scene with layers of data has no circles, or that it has no layers. Empty without
/// data, and for one of many frames, where that is meant.
std::string no_circles(const Scene& scene) {
  if (scene.layers.empty() && !scene.film)
    return "the picture has no circles: \"layers\" is empty; add a layer, as {circles: [{x: 0.5, "
           "y: 0.5, radius: 0.3}]}";
  bool has_data = false;
  std::uint64_t rows = 0, comments = 0;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr) continue;
    has_data = true;
    rows += data->facts ? data->facts->rows : data->rows;
    if (data->table) comments += data->table->comments();
  }
  if (!has_data) return "";
  if (rows == 0)
    return comments == 0 ? "the picture has no circles: its data have no rows"
                         : fmt::format(
                               "the picture has no circles: its data have no rows, and {} that {} "
                               "with # are comments; quote a field that begins with #",
                               counted(comments, "line"), comments == 1 ? "begins" : "begin");
  return fmt::format(
      "the picture has no circles: \"where\" and \"invalid: skip\" keep none of the {} of its "
      "data; remove them, and \"roundel validate\" prints the ranges of the columns",
      counted(rows, "row"));
}

std::string layer_text(const Scene& scene, std::size_t layer) {
  const std::string& name = scene.layers[layer].name;
  return fmt::format("layers[{}]{}", layer, name.empty() ? "" : " (" + quoted(name) + ")");
}
std::string name_of(const DataSource& data, const DataMap& map, Slot slot) {
  const std::string& name = data.table->columns()[map.columns[slot]].name;
  return name.empty() ? fmt::format("column {}", map.columns[slot]) : quoted(name);
}

struct LeastRadius {
  double operator()(const ConstantLaw& law) const { return law.value; }
  double operator()(const UniformLaw& law) const { return law.low; }
  double operator()(const GaussianLaw& law) const {
    constexpr double kFar = 4;  // of ten thousand draws half of one is below
    return law.mean - kFar * law.sigma;
  }
};

/// The least radius of a map's rows, in frame space; 0 where it is not known.
double least_radius(const DataMap& map, const DataFacts* facts, const LengthUnits& units,
                    const LengthUnits& limits) {
  const SizeMap& size = map.radius;
  double least = 0;
  if (!size.slot) {
    least = units.of(size.constant);
  } else if (size.scale) {
    least = std::min(units.of(size.low), units.of(size.high));
    if (size.missing) least = std::min(least, units.of(*size.missing));
  } else {
    for (const ColumnRange& column : facts != nullptr ? facts->columns : std::vector<ColumnRange>())
      if (column.slot == *size.slot && column.low <= column.high)
        least = column.low * units.scene_unit;
  }
  return map.radius_limits ? std::min(least, limits.of((*map.radius_limits)[1])) : least;
}

/// True where the circles are larger than the picture at its frame only, as in a film that zooms.
bool has_moving_sizes(const Scene& scene, std::size_t layer) {
  const std::vector<KeyedValue>& keyed = keyed_values(scene);
  return std::any_of(keyed.begin(), keyed.end(), [&](const KeyedValue& value) {
    return value.is_of_view() ||
           (value.layer == layer && (value.target == KeyedValue::Target::kScale ||
                                     value.target == KeyedValue::Target::kRadius));
  });
}

/// The least radius of a layer's circles in frame space, where all of their centres may be seen; 0
/// otherwise, or where it is not known.
double least_radius(const Scene& scene, const Layer& layer) {
  const double pixel = scene.image.px / scene.image.frame_height();
  const LengthUnits units{layer.move.scale * scene.view.zoom, pixel};
  if (const auto* const data = std::get_if<DataSource>(&layer.source)) {
    return least_radius(data->map, data->facts.get(), units, {scene.view.zoom, pixel});
  }
  if (const auto* const random = std::get_if<RandomSource>(&layer.source))
    return std::visit(LeastRadius{}, random->radius) * units.scene_unit;
  const auto* const inlined = std::get_if<InlineSource>(&layer.source);
  if (inlined == nullptr || inlined->circles.empty()) return 0;
  if (inlined->circles.size() == 1 && scene.layers.size() > 1) return 0;  // a tint of the others
  const SceneBounds view = view_bounds(scene);
  const PointMove move(layer.move);
  double least = std::numeric_limits<double>::infinity();
  for (const InlineCircle& circle : inlined->circles) {
    const auto [x, y] = move(circle.x, circle.y);
    if (x < view.left || x > view.right || y < view.bottom || y > view.top) return 0;  // a horizon
    least = std::min(least, circle.radius * units.scene_unit);
  }
  return least;
}

/// About a layer whose circles are all larger than the picture: in it they are one flat colour.
std::string too_large(const Scene& scene, std::size_t index) {
  const Layer& layer = scene.layers[index];
  if (layer.stroke || has_moving_sizes(scene, index)) return "";
  const double height = scene.image.frame_height();
  const double least = least_radius(scene, layer);
  if (!(least > std::max(1.0, scene.image.frame_width() / height)) || !std::isfinite(least))
    return "";
  constexpr double kPixels = 5;
  const std::string remedy =
      std::holds_alternative<DataSource>(layer.source)
          ? "write radius: 5px, or for a column radius: {column: NAME, range: [1px, 5px]}"
          : fmt::format("write radius: {:.2g} for 5 pixels",
                        kPixels / (height * scene.view.zoom * layer.move.scale));
  return fmt::format(
      "{}: every circle's radius is larger than the picture ({:.3g} times its height), so it shows "
      "one colour: radii are in scene units; {}",
      layer_text(scene, index), least, remedy);
}

/// Warns about data that fill less than a fiftieth of one side of a window that fits them.
std::string too_flat(const Scene& scene) {
  constexpr double kLeastShare = 0.02, kMostShare = 0.5;
  if (!scene.window || scene.window->kind != ViewWindow::Kind::kData || scene.window->covers)
    return "";
  const std::optional<SceneBounds> data = data_bounds(scene);
  if (!data) return "";
  const double width = data->right - data->left, height = data->top - data->bottom;
  const SceneBounds view = view_bounds(scene);
  const double across = width / (view.right - view.left), up = height / (view.top - view.bottom);
  if (!(width > 0 && height > 0) || std::min(across, up) >= kLeastShare ||
      std::max(across, up) < kMostShare)
    return "";
  const bool is_low = up < across;
  const double factor = is_low ? across / up : up / across;
  return fmt::format(
      "the data are {:.3g} wide and {:.3g} high, and fill {:.2g} % of the picture's {}, because x "
      "and y have one scale: multiply {} by {:.2g}, or divide {} by it, in the data",
      width, height, 100 * std::min(across, up), is_low ? "height" : "width", is_low ? "y" : "x",
      factor, is_low ? "x" : "y");
}

/// True if most of a text file's first 100 rows have numbers in a column of texts.
bool holds_mostly_numbers(const Table& table, std::size_t column) {
  if (!table.columns()[column].is_text || !table.first_text(column)) return false;
  constexpr std::uint64_t kLooked = 100, kAtOnce = 4;  // rows; texts may have megabytes each
  const std::uint64_t looked = std::min(kLooked, table.rows());
  const std::size_t columns[] = {column};
  std::uint64_t numbers = 0;
  TableRows rows;
  for (std::uint64_t row = 0; row < looked; row += kAtOnce) {
    table.read(columns, row, std::min(kAtOnce, looked - row), rows);
    for (const std::string_view text : rows.texts(0))
      numbers += static_cast<std::uint64_t>(to_number<double>(text).has_value());
  }
  return 2 * numbers > looked;
}

/// About columns of numbers that count as texts, because of one that is.
void add_texts_for_numbers(const DataSource& data, std::vector<std::string>& sentences) {
  const DataMap& map = data.map;
  const auto add = [&](const char* key, Slot slot) {
    const std::size_t column = map.columns[slot];
    if (!holds_mostly_numbers(*data.table, column)) return;
    sentences.push_back(fmt::format("{}: {}: {} is compared as texts, because it {}", data.path,
                                    key, name_of(data, map, slot),
                                    texts_there(*data.table, column)));
  };
  try {
    if (map.order) add("order", map.order->slot);
    for (const Condition& condition : map.where) add("where", condition.slot);
    if (map.color.kind == ColorMap::Kind::kCategories) add("color", map.color.slot);
  } catch (const Error&) {  // data that has changed since it was drawn; the picture is right
  }
}

/// About values of a map that all rows lack.
void add_all_missing(const DataSource& data, std::vector<std::string>& sentences) {
  const DataMap& map = data.map;
  if (!data.facts || data.facts->kept == 0) return;
  const std::uint64_t kept = data.facts->kept;
  const auto add = [&](const char* key, Slot slot, const std::string& why) {
    sentences.push_back(fmt::format("{}: {}: all {} get \"missing\": {} {}", data.path, key,
                                    counted(kept, "row"), name_of(data, map, slot), why));
  };
  const auto add_scale = [&](const char* key, Slot slot, const Scale& scale) {
    add(key, slot,
        fmt::format("has no value that is {}, which scale: {} needs", taken_by(scale.kind),
                    kScaleNames[static_cast<std::size_t>(scale.kind)]));
  };
  if (data.facts->missing.radius == kept) add_scale("radius", *map.radius.slot, *map.radius.scale);
  if (data.facts->missing.alpha == kept) add_scale("alpha", *map.alpha->slot, *map.alpha->scale);
  if (data.facts->missing.color != kept) return;
  const ColorMap& color = map.color;
  if (color.kind == ColorMap::Kind::kScale) return add_scale("color", color.slot, color.scale);
  if (color.kind == ColorMap::Kind::kText) return add("color", color.slot, "is empty");
  if (!color.palette.empty()) return add("color", color.slot, "is empty");
  add("color", color.slot,
      "has none of the values of \"categories\"; write categories: tab10 to colour the values that "
      "it has");
}

/// Returns a view for the scene that shows circles in these bounds.
std::string view_for(const Scene& scene, const SceneBounds& bounds) {
  if (scene.image.crop) return "; remove --crop to see more";
  const bool fits = scene.window && scene.window->kind == ViewWindow::Kind::kData;
  const bool has_data = std::any_of(
      scene.layers.begin(), scene.layers.end(),
      [](const Layer& layer) { return std::holds_alternative<DataSource>(layer.source); });
  if (has_data && !fits)
    return "; write view: {fit: data}, and flip: y if y points down, as in images";
  return fmt::format("; write view: {{x: [{}], y: [{}]}}",
                     range_text(bounds.left, bounds.right, ", "),
                     range_text(bounds.bottom, bounds.top, ", "));
}

/// About an alpha of whole numbers that would be right without dividing them.
std::string divided_alpha(const DataSource& data) {
  const DataMap& map = data.map;
  if (!map.alpha || map.alpha->one == 1 || !map.alpha->slot || !data.facts) return "";
  for (const ColumnRange& column : data.facts->columns) {
    if (column.slot != *map.alpha->slot || column.high != 1) continue;
    return fmt::format(
        "{}: alpha: {} has only 0 and 1, but is divided by {}, because its type is uint{}; write "
        "alpha: {{column: {}, domain: [0, 1]}}",
        data.path, name_of(data, map, *map.alpha->slot), map.alpha->one,
        map.alpha->one == 255 ? 8 : 16, column.name);
  }
  return "";
}

}  // namespace

std::vector<std::string> remarks_on_look(const Scene& scene, ImageFormat format,
                                         const CircleSample& sample) {
  std::vector<std::string> sentences;
  const ImageSettings& image = scene.image;
  const double share = static_cast<double>(sample.under_a_pixel) /
                       std::max<double>(1, static_cast<double>(sample.circles));
  if (!image.antialias && share >= kMostOf) {
    sentences.push_back(
        fmt::format("about {:.0f} % of the circles are narrower than a pixel and paint one pixel "
                    "or none; write image: {{antialias: true}}",
                    100 * share));
  }
  const float of_sample =
      image.blend_space == BlendSpace::kLinear ? srgb_to_linear(kFarAboveOne) : kFarAboveOne;
  if (format == ImageFormat::kPng &&
      (brightest_written(scene) > kFarAboveOne || sample.brightest > of_sample)) {
    sentences.emplace_back(
        "colours go far above 1, the brightest that 8 bits show: write numbers from 0 to 1, not 0 "
        "to 255, or \"#rrggbb\"; -o FILE.exr keeps brighter light");
  }
  if (format == ImageFormat::kPfm && image.alpha)
    sentences.emplace_back(
        "PFM has no alpha: its colours are premultiplied; write .exr to keep alpha");
  const auto add = [&sentences](std::string sentence) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  };
  add(too_flat(scene));
  for (std::size_t index = 0; index < scene.layers.size(); ++index) {
    const Layer& layer = scene.layers[index];
    if (layer.is_hidden) continue;
    add(too_large(scene, index));
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr) continue;
    if (data->table) add(data->table->comments_like_rows());
    const DataMap& map = data->map;
    if (map.is_plain) continue;
    if (data->table) add_texts_for_numbers(*data, sentences);
    add_all_missing(*data, sentences);
    add(divided_alpha(*data));
    const auto check_domain = [&](const char* what, const Scale& scale) {
      if (!scale.domain || scale.ends.size() != 2 || scale.ends[0] != scale.ends[1]) return;
      sentences.push_back(
          fmt::format("{}: both ends of the domain of {} are {}: all rows get the middle of the "
                      "range; write domain: [LOW, HIGH]",
                      data->path, what, scale.ends[0]));
    };
    if (map.radius.scale) check_domain("radius", *map.radius.scale);
    if (map.alpha && map.alpha->scale) check_domain("alpha", *map.alpha->scale);
    const ColorMap& color = map.color;
    if (color.kind == ColorMap::Kind::kScale) check_domain("color", color.scale);
    if (layer.shader == Shader::kSnow && (map.alpha || color.kind != ColorMap::Kind::kConstant))
      sentences.push_back(data->path +
                          ": the shader snow ignores color and alpha of the map; write shader: "
                          "solid, or opacity for snow");
    if (color.palette.empty() || color.categories.size() <= color.palette.size()) continue;
    sentences.push_back(
        fmt::format("{} has {} categories for {} colours, so some share one; write categories: "
                    "{{VALUE: COLOUR, ...}}",
                    data->path, color.categories.size(), color.palette.size()));
  }
  return sentences;
}

bool shows_nothing(const Scene& scene, const CircleStream& circles) {
  const bool is_meant = circles.count() == 0 && no_circles(scene).empty();
  return !is_meant && !touch_picture(circles, scene.image);
}

std::string nothing_to_see(const Scene& scene, ImageFormat format, const CircleSample& sample,
                           std::int64_t frame, std::uint64_t overlaps) {
  constexpr std::size_t kOneOf = 100;  // so few are hardly any
  const std::uint64_t count = count_parts(scene);
  if (count == 0) return no_circles(scene);
  if (overlaps > 0 && too_faint(scene, format, sample, count))
    return "the circles are too faint or too small to see: together they paint less than half a "
           "level of one pixel; raise alpha or radius";
  if (overlaps > 0 && kOneOf * sample.touching >= sample.circles) return "";
  const std::string view = fmt::format("{} shows {}", scene.image.crop ? "--crop" : "the view",
                                       bounds_text(picture_bounds(scene)));
  try {
    const CirclePlaces places = circle_places(scene, frame);
    if (kOneOf * places.touching >= places.circles) return "";
    const std::string bounds = bounds_text(places.bounds);
    const std::string part = places.circles < count ? "in a sample " : "";
    const std::string remedy = view_for(scene, places.bounds);
    if (places.touching == 0)
      return fmt::format("{}no circle touches the picture: they lie in {}, {}{}", part, bounds,
                         view, remedy);
    return fmt::format("{}only {} of {} circles touch the picture: they lie in {}, {}{}", part,
                       with_commas(places.touching), with_commas(places.circles), bounds, view,
                       remedy);
  } catch (const Error&) {  // data that has changed since it was drawn; the picture is right
    return fmt::format("almost no circle touches the picture; {}", view);
  }
}

CircleSample sample_film(const Scene& scene, std::size_t frames) {
  constexpr std::size_t kManyFrames = 10;  // beside which one frame's circles take no time
  CircleSample sample;
  const bool is_cheap = makes_circles_on_the_way(scene) || frames >= kManyFrames;
  if (is_cheap && !CircleSource(scene).is_simulated()) sample = sample_circles(scene, 0);
  sample.ink = std::numeric_limits<double>::infinity();
  return sample;
}

std::vector<std::string> skipped_rows(const Scene& scene, RowsOf whose) {
  std::vector<std::string> sentences;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr) continue;
    const bool is_film = data->film && data->film->facts;
    const DataFacts* const facts = is_film ? &*data->film->facts : data->facts.get();
    const bool is_of_frame = data->film && !is_film;
    if (whose == RowsOf::kFilm && (is_of_frame || scene.film)) continue;
    if (facts == nullptr || facts->skipped == 0) continue;
    sentences.push_back(fmt::format(
        "{}{}: {} of {} cannot be drawn and {} skipped; write invalid: error to see the first",
        data->path, is_film ? " and the other frames' files" : "", with_commas(facts->skipped),
        counted(facts->rows, "row"), facts->skipped == 1 ? "is" : "are"));
  }
  return sentences;
}

}  // namespace roundel
