#include "renderer/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "renderer/base/error.h"
#include "renderer/base/frame_name.h"
#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/pixels/srgb.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_film.h"
#include "renderer/scene/view_bounds.h"

// To add a warning, write a function that returns its text, or nothing, and list it in
// kPictureWarnings, kMapWarnings or kDataWarnings.

namespace roundel {
namespace {

constexpr double kMajority = 0.6;  ///< share of a sample that counts as most circles

bool has_data(const Scene& scene) {
  return std::any_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
    return std::holds_alternative<DataSource>(layer.source);
  });
}

float brightest_of(const DisplayColor& color) {
  return std::max({color.red, color.green, color.blue});
}

/// Returns the largest channel of the background and of inline circles.
float brightest_written(const Scene& scene) {
  float brightest = std::max(brightest_of(scene.image.background.bottom),
                             brightest_of(scene.image.background.top));
  for (const Layer& layer : scene.layers) {
    const auto* const circles = std::get_if<InlineSource>(&layer.source);
    if (layer.is_hidden || layer.shader == Shader::kSnow || circles == nullptr) continue;
    for (const InlineCircle& circle : circles->circles)
      brightest = std::max(brightest, brightest_of(circle.color));
  }
  return brightest;
}

/// Prints enough digits to tell the ends apart.
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

// Warnings about invisible circles.

/// Nothing if a scene is meant to have no circles, as a film's frame or a random layer with count
/// 0.
Lines no_circles(const Scene& scene) {
  if (scene.layers.empty() && !scene.film)
    return "the picture has no circles: \"layers\" is empty; add a layer, as {circles: [{x: 0.5, "
           "y: 0.5, radius: 0.3}]}";
  bool is_empty = false;
  std::uint64_t rows = 0, comments = 0;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr) continue;
    is_empty = true;
    rows += data->facts ? data->facts->rows : data->rows;
    if (data->table) comments += data->table->comments();
  }
  if (!is_empty) return {};
  if (rows > 0)
    return fmt::format(
        "the picture has no circles: \"where\" and \"invalid: skip\" keep none of the {} of its "
        "data; remove them, and \"roundel validate\" prints the ranges of the columns",
        counted(rows, "row"));
  if (comments == 0) return "the picture has no circles: its data have no rows";
  return fmt::format(
      "the picture has no circles: its data have no rows, and {} that {} with # are comments; "
      "quote a field that begins with #",
      counted(comments, "line"), comments == 1 ? "begins" : "begin");
}

/// Option or key that shows circles in these bounds.
std::string view_for(const Scene& scene, const SceneBounds& bounds) {
  if (scene.image.crop) return "remove --crop to see more";
  const bool fits = scene.window && scene.window->kind == ViewWindow::Kind::kData;
  if (has_data(scene) && !fits)
    return "write view: {fit: data}, and flip: y if y points down, as in images";
  return fmt::format("write view: {{x: [{}], y: [{}]}}",
                     range_text(bounds.left, bounds.right, ", "),
                     range_text(bounds.bottom, bounds.top, ", "));
}

/// Warns if less than one percent of the circles touch the picture.
Lines circles_outside(const Scene& scene, const CircleStatistics& statistics) {
  const std::uint64_t count = count_parts(scene);
  if (100 * statistics.touching >= count) return {};
  const std::string touching =
      statistics.touching == 0 ? "no circle touches the picture"
                               : fmt::format("only {} of {} circles touch the picture",
                                             with_commas(statistics.touching), with_commas(count));
  return fmt::format("{}: they lie in {}, {} shows {}; {}", touching,
                     bounds_text(statistics.bounds), scene.image.crop ? "--crop" : "the view",
                     bounds_text(picture_bounds(scene)), view_for(scene, statistics.bounds));
}

/// True if all circles together change no pixel. Without smooth edges a circle below a pixel may
/// paint all of it, and a film's circles may fade in.
bool are_too_faint(const Drawn& drawn) {
  const Scene& scene = drawn.scene;
  const CircleSample& sample = drawn.sample;
  if (drawn.frames > 0 || sample.circles == 0) return false;
  const double half_level =
      drawn.format == ImageFormat::kPng ? 0.5 / (scene.image.bits == 16 ? 65535 : 255) : 0;
  // A pixel changes by alpha times the difference to the colour below; dark levels of linear light
  // are closer by this factor.
  constexpr double kDarkSlope = 12.92;
  const float written = std::max(1.0f, brightest_written(scene));
  const double brightest = scene.image.blend_space == BlendSpace::kLinear
                               ? kDarkSlope * std::max(sample.brightest, srgb_to_linear(written))
                               : std::max(sample.brightest, written);
  const double ink = brightest * sample.ink * static_cast<double>(count_parts(scene)) /
                     static_cast<double>(sample.circles);
  return ink == 0 || (scene.image.antialias && ink < half_level);
}

Lines invisible_circles(const Drawn& drawn) {
  if (count_parts(drawn.scene) == 0) return no_circles(drawn.scene);
  if (drawn.overlaps > 0 && are_too_faint(drawn))
    return "the circles are too faint or too small to see: together they paint less than half a "
           "level of one pixel; raise alpha or radius";
  if (drawn.overlaps > 0 && 100 * drawn.sample.touching >= drawn.sample.circles) return {};
  return circles_outside(drawn.scene, circle_statistics(drawn.scene, drawn.frame));
}

// Warnings about a picture's look.

Lines still_film(const Drawn& drawn) {
  if (drawn.frames < 2 || FilmSource(drawn.scene).varies()) return {};
  const std::int64_t start = drawn.scene.default_frame();
  return fmt::format(
      "nothing in this scene depends on the frame: the {} pictures are the same; values with keys "
      "move, as opacity: {{keys: {{{}: 0, {}: 1}}}}",
      drawn.frames, start, start + static_cast<std::int64_t>(drawn.frames) - 1);
}

Lines small_circles(const Drawn& drawn) {
  const double share = static_cast<double>(drawn.sample.under_a_pixel) /
                       static_cast<double>(std::max<std::size_t>(1, drawn.sample.circles));
  if (drawn.scene.image.antialias || share < kMajority) return {};
  return fmt::format(
      "about {:.0f} % of the circles are narrower than a pixel and paint one pixel or none; write "
      "image: {{antialias: true}}",
      100 * share);
}

/// Warns if every circle covers the picture, which then has one colour.
Lines large_circles(const Drawn& drawn) {
  const Scene& scene = drawn.scene;
  const CircleSample& sample = drawn.sample;
  const double height = scene.image.frame_height();
  const double aspect = scene.image.frame_width() / height;
  // Circles around the picture may be a horizon.
  const bool are_centered =
      static_cast<double>(sample.centered) >= kMajority * static_cast<double>(sample.circles);
  if (sample.circles == 0 || !are_centered || sample.min_radius <= std::max(1.0, aspect)) return {};
  const std::vector<KeyedValue>& keyed = keyed_values(scene);
  const bool change_size = std::any_of(keyed.begin(), keyed.end(), [](const KeyedValue& value) {
    return value.is_of_view() || value.target == KeyedValue::Target::kScale ||
           value.target == KeyedValue::Target::kRadius;
  });
  const auto is_intended = [](const Layer& layer) {
    return layer.stroke || std::holds_alternative<GeneratorSource>(layer.source);
  };
  if (change_size || std::any_of(scene.layers.begin(), scene.layers.end(), is_intended)) return {};
  const std::string remedy =
      has_data(scene)
          ? "write radius: 5px, or for a column radius: {column: NAME, range: [1px, "
            "5px]}"
          : fmt::format("write radius: {:.2g} for 5 pixels",
                        5 / (height * scene.view.zoom * scene.layers.front().move.scale));
  return fmt::format(
      "every circle's radius is larger than the picture ({:.3g} times its height), so it shows one "
      "colour: radii are in scene units; {}",
      sample.min_radius, remedy);
}

Lines bright_colors(const Drawn& drawn) {
  constexpr float kFarAboveOne = 16;  // brighter than any lamp in a scene
  const float of_sample = drawn.scene.image.blend_space == BlendSpace::kLinear
                              ? srgb_to_linear(kFarAboveOne)
                              : kFarAboveOne;
  if (drawn.format != ImageFormat::kPng ||
      (brightest_written(drawn.scene) <= kFarAboveOne && drawn.sample.brightest <= of_sample))
    return {};
  return "colours go far above 1, the brightest that 8 bits show: write numbers from 0 to 1, not 0 "
         "to 255, or \"#rrggbb\"; -o FILE.exr keeps brighter light";
}

Lines lost_alpha(const Drawn& drawn) {
  if (drawn.format != ImageFormat::kPfm || !drawn.scene.image.alpha) return {};
  return "PFM has no alpha: its colours are premultiplied; write .exr to keep alpha";
}

/// Warns if data fill less than a fiftieth of a side of their fitted window.
Lines flat_data(const Drawn& drawn) {
  constexpr double kMinShare = 0.02, kMaxShare = 0.5;
  const Scene& scene = drawn.scene;
  if (!scene.window || scene.window->kind != ViewWindow::Kind::kData || scene.window->covers)
    return {};
  const std::optional<SceneBounds> data = data_bounds(scene);
  if (!data) return {};
  const double width = data->right - data->left, height = data->top - data->bottom;
  const SceneBounds view = view_bounds(scene);
  const double across = width / (view.right - view.left), up = height / (view.top - view.bottom);
  if (!(width > 0 && height > 0) || std::min(across, up) >= kMinShare ||
      std::max(across, up) < kMaxShare)
    return {};
  const bool is_low = up < across;
  return fmt::format(
      "the data are {:.3g} wide and {:.3g} high, and fill {:.2g} % of the picture's {}, because x "
      "and y have one scale: multiply {} by {:.2g}, or divide {} by it, in the data",
      width, height, 100 * std::min(across, up), is_low ? "height" : "width", is_low ? "y" : "x",
      is_low ? across / up : up / across, is_low ? "x" : "y");
}

Lines other_aspect(const Drawn& drawn) {
  constexpr double kRounding = 0.02;  // whole pixels of a small picture
  const Scene& scene = drawn.scene;
  const int width = scene.image.frame_width(), height = scene.image.frame_height();
  const double aspect = static_cast<double>(width) / height;
  const double aspect_in_file = static_cast<double>(scene.width_in_file) / scene.height_in_file;
  if (scene.width_in_file == 0 || std::abs(aspect / aspect_in_file - 1) <= kRounding) return {};
  const bool is_wider = aspect > aspect_in_file;
  const char* const effect = scene.window.has_value()
                                 ? (scene.window->covers ? "the view's window is cut off elsewhere"
                                                         : "there is more around the view's window")
                             : is_wider ? "the picture shows more at the left and right"
                                        : "the picture is cut off at the left and right";
  return fmt::format("--size {}x{} is {} than the scene's {}x{}: {}; --scale keeps its shape",
                     width, height, is_wider ? "wider" : "narrower", scene.width_in_file,
                     scene.height_in_file, effect);
}

constexpr Lines (*kPictureWarnings[])(const Drawn&) = {
    still_film, small_circles, large_circles, bright_colors, lost_alpha, flat_data, other_aspect};

// Warnings about a layer's map.

struct Mapped {
  const Layer& layer;
  const DataSource& data;
  const DataMap& map;

  std::string name(Slot slot) const {
    return label_of(*data.table, map, slot, [](const std::string& name) { return quoted(name); });
  }
  /// For values with a scale: visit(key, slot, scale, rows that get "missing").
  template <typename Visit>
  void for_each_scale(const Visit& visit) const {
    const MissingRows missing = data.facts ? data.facts->missing : MissingRows{};
    if (map.radius.scale) visit("radius", *map.radius.slot, *map.radius.scale, missing.radius);
    if (map.alpha && map.alpha->scale)
      visit("alpha", *map.alpha->slot, *map.alpha->scale, missing.alpha);
    if (map.color.kind == ColorMap::Kind::kScale)
      visit("color", map.color.slot, map.color.scale, missing.color);
  }
};

/// True if most of a text file's first 100 rows have numbers in this column of texts.
bool holds_mostly_numbers(const Table& table, std::size_t column) {
  if (!table.columns()[column].is_text || !table.columns()[column].first_text) return false;
  constexpr std::uint64_t kMaxSampledRows = 100,
                          kRowsPerRead = 4;  // rows; texts may have megabytes each
  const std::uint64_t sampled = std::min(kMaxSampledRows, table.rows());
  const std::size_t columns[] = {column};
  std::uint64_t numbers = 0;
  TableRows rows;
  for (std::uint64_t row = 0; row < sampled; row += kRowsPerRead) {
    table.read(columns, row, std::min(kRowsPerRead, sampled - row), rows);
    for (const std::string_view text : rows.texts(0))
      numbers += static_cast<std::uint64_t>(to_number<double>(text).has_value());
  }
  return 2 * numbers > sampled;
}

/// Warns about a column of numbers that is a text column because of one value.
Lines numbers_as_texts(const Mapped& mapped) {
  const auto& [layer, data, map] = mapped;
  std::vector<std::pair<const char*, Slot>> compared;
  if (map.order) compared.emplace_back("order", map.order->slot);
  for (const Condition& condition : map.where) compared.emplace_back("where", condition.slot);
  if (map.color.kind == ColorMap::Kind::kCategories) compared.emplace_back("color", map.color.slot);
  Lines lines;
  for (const auto& [key, slot] : compared) {
    const std::size_t column = map.columns[slot];
    if (!holds_mostly_numbers(*data.table, column)) continue;
    lines += fmt::format("{}: {}: {} is compared as texts, because it {}", data.path, key,
                         mapped.name(slot), describe_texts(*data.table, column));
  }
  return lines;
}

Lines all_missing(const Mapped& mapped) {
  const auto& [layer, data, map] = mapped;
  const std::uint64_t kept = data.facts ? data.facts->kept : 0;
  if (kept == 0) return {};
  const auto line = [&](const char* key, Slot slot, const std::string& why) {
    return fmt::format("{}: {}: all {} get \"missing\": {} {}", mapped.data.path, key,
                       counted(kept, "row"), mapped.name(slot), why);
  };
  Lines lines;
  mapped.for_each_scale([&](const char* key, Slot slot, const Scale& scale, std::uint64_t missing) {
    if (missing == kept)
      lines += line(
          key, slot,
          fmt::format("has no value that is {}, which scale: {} needs", accepted_values(scale.kind),
                      kScaleNames[static_cast<std::size_t>(scale.kind)]));
  });
  if (data.facts->missing.color != kept || map.color.kind == ColorMap::Kind::kScale) return lines;
  if (map.color.kind == ColorMap::Kind::kText || !map.color.palette.empty())
    return lines + line("color", map.color.slot, "is empty");
  return lines + line("color", map.color.slot,
                      "has none of the values of \"categories\"; write categories: tab10 to colour "
                      "the values that it has");
}

/// Warns if a whole-number alpha would be right without division.
Lines divided_alpha(const Mapped& mapped) {
  const auto& [layer, data, map] = mapped;
  if (!map.alpha || map.alpha->one == 1 || !map.alpha->slot || !data.facts) return {};
  for (const ColumnRange& column : data.facts->columns) {
    if (column.slot != *map.alpha->slot || column.high != 1) continue;
    return fmt::format(
        "{}: alpha: {} has only 0 and 1, but is divided by {}, because its type is uint{}; write "
        "alpha: {{column: {}, domain: [0, 1]}}",
        data.path, mapped.name(*map.alpha->slot), map.alpha->one, map.alpha->one == 255 ? 8 : 16,
        column.name);
  }
  return {};
}

Lines empty_domains(const Mapped& mapped) {
  Lines lines;
  mapped.for_each_scale([&](const char* key, Slot, const Scale& scale, std::uint64_t) {
    if (scale.domain && scale.ends.size() == 2 && scale.ends[0] == scale.ends[1])
      lines += fmt::format(
          "{}: both ends of the domain of {} are {}: all rows get the middle of the range; write "
          "domain: [LOW, HIGH]",
          mapped.data.path, key, scale.ends[0]);
  });
  return lines;
}

Lines snow_with_colors(const Mapped& mapped) {
  const bool has_own = mapped.map.alpha || mapped.map.color.kind != ColorMap::Kind::kConstant;
  if (mapped.layer.shader != Shader::kSnow || !has_own) return {};
  return mapped.data.path +
         ": the shader snow ignores color and alpha of the map; write shader: solid, or opacity "
         "for snow";
}

Lines shared_colors(const Mapped& mapped) {
  const ColorMap& color = mapped.map.color;
  if (color.palette.empty() || color.categories.size() <= color.palette.size()) return {};
  return fmt::format(
      "{} has {} categories for {} colours, so some share one; write categories: {{VALUE: COLOUR, "
      "...}}",
      mapped.data.path, color.categories.size(), color.palette.size());
}

constexpr Lines (*kMapWarnings[])(const Mapped&) = {
    numbers_as_texts, all_missing, divided_alpha, empty_domains, snow_with_colors, shared_colors};

// Warnings about a layer's data, with or without a map.

Lines comments_like_rows(const DataSource& data) {
  return data.table ? data.table->comments_like_rows() : "";
}

Lines skipped_rows(const DataSource& data) {
  const bool is_film = data.film && data.film->facts;
  const DataFacts* const facts = is_film ? &*data.film->facts : data.facts.get();
  if (facts == nullptr || facts->skipped == 0) return {};
  return fmt::format(
      "{}{}: {} of {} cannot be drawn and {} skipped; write invalid: error to see the first",
      data.path, is_film ? " and the other frames' files" : "", with_commas(facts->skipped),
      counted(facts->rows, "row"), facts->skipped == 1 ? "is" : "are");
}

Lines rounded_numbers(const DataSource& data) {
  Lines lines;
  lines += data.map.rounded;
  if (data.film && data.film->facts) lines += data.film->facts->rounded;
  if (data.facts) lines += data.facts->rounded;
  return lines;
}

constexpr Lines (*kDataWarnings[])(const DataSource&) = {comments_like_rows, skipped_rows,
                                                         rounded_numbers};

/// Calls visit(layer, data) for visible layers with data.
template <typename Visit>
void for_each_data(const Scene& scene, const Visit& visit) {
  for (const Layer& layer : scene.layers)
    if (const auto* const data = std::get_if<DataSource>(&layer.source); data && !layer.is_hidden)
      visit(layer, *data);
}

/// Returns nothing if the data have changed after drawing: the picture is right.
template <typename Warning, typename Subject>
Lines call(const Warning& warning, const Subject& subject) {
  try {
    return warning(subject);
  } catch (const Error&) {
    return {};
  }
}

Lines look_warnings(const Drawn& drawn) {
  Lines lines;
  for (const auto& warning : kPictureWarnings) lines += call(warning, drawn);
  for_each_data(drawn.scene, [&](const Layer& layer, const DataSource& data) {
    if (data.map.is_plain || !data.table) return;
    for (const auto& warning : kMapWarnings) lines += call(warning, Mapped{layer, data, data.map});
  });
  return lines;
}

Lines data_warnings(const Scene& scene) {
  Lines lines;
  for_each_data(scene, [&](const Layer&, const DataSource& data) {
    for (const auto& warning : kDataWarnings) lines += call(warning, data);
  });
  return lines;
}

/// A film's frames are rows of a table, or frames.
const char* noun_of(const Scene& scene) {
  return scene.film && scene.film->rows > 0 ? "row" : "frame";
}

/// Nothing if a circle touches the picture.
Lines unseen_frame(const Scene& scene, const CircleStream& circles) {
  if (circles.count() == 0) return no_circles(scene);
  if (sample_circles(circles, scene.image).touching > 0) return {};
  const CircleStatistics statistics = circle_statistics(circles, scene);
  return statistics.touching > 0 ? Lines() : circles_outside(scene, statistics);
}

}  // namespace

Lines SceneWarnings::unreported(const Lines& lines) {
  Lines added;
  for (const std::string& line : lines)
    if (reported_.insert(line).second) added += line;
  return added;
}

Lines SceneWarnings::about_data(const Scene& scene) {
  return unreported(data_warnings(scene));
}

Lines SceneWarnings::about_frame(std::int64_t frame, const Scene& scene,
                                 const CircleStream& circles) {
  Lines lines;
  for (const std::string& line : unseen_frame(scene, circles))
    if (unseen_.insert(frame).second && unseen_.size() == 1)
      lines += fmt::format("{} {}: {}", noun_of(scene), frame, line);
  return lines;
}

Lines SceneWarnings::about(const Drawn& drawn) {
  Lines lines = look_warnings(drawn);
  if (unseen_.empty()) lines += call(invisible_circles, drawn);
  return unreported(lines + data_warnings(drawn.scene));
}

Lines SceneWarnings::about_unseen_frames(const Scene& film) const {
  if (unseen_.size() < 2) return {};
  return fmt::format("no circle in {}: {}", counted(unseen_.size(), noun_of(film)),
                     frames_text({unseen_.begin(), unseen_.end()}));
}

}  // namespace roundel
