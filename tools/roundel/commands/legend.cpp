#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/circles/circle_parts.h"
#include "renderer/data/table.h"
#include "renderer/explain/circle_numbering.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/pixels/quantize.h"
#include "renderer/scene/load_scene.h"
#include "renderer/warnings.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

struct LegendOptions {
  std::string scene_path;
  std::string output;
  SceneOptions scene;
};

bool parse(const Arguments& arguments, LegendOptions& options) {
  CommandLine line("legend", "SCENE -o FILE [OPTION...]",
                   "Draws the legend of a scene's data as an SVG picture of its own. It has the "
                   "colour bar or the categories of each layer with a map, and the scales of alpha "
                   "and of sizes, with the numbers that validate prints.");
  std::vector<std::string> scenes;
  line.add_arguments("SCENE", 1, 1, scenes, "scene file (YAML)");
  line.add_value("output,o", "FILE",
                 [&options](const std::string& value) {
                   if (value != "-" && !value.ends_with(".svg"))
                     throw Expected{"a file name ending in .svg"};
                   options.output = value;
                 },
                 {Group::kResults,
                  "picture to write (.svg), or - for standard output; an existing file is "
                  "replaced, unless the scene reads it. Missing folders are made"});
  add_size(line, options.scene);
  add_layers(line, options.scene);
  add_vars(line, options.scene);
  line.set_usual({"output", "size", "layers", "set"});
  line.set_examples({"roundel legend scenes/tissue.yaml -o legend.svg",
                     "roundel legend scenes/data/events.yaml --size 1920x1080 -o legend.svg",
                     "roundel legend scenes/data/particles.yaml -o - > legend.svg"});
  line.set_exit_codes(exit_codes(ExitCode::kOutputRefused));
  line.set_guide("docs/scenes.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.output.empty()) problems.emplace_back("--output: expected -o FILE.svg");
  });
  if (!line.parse(arguments)) return false;
  options.scene_path = scenes.front();
  return true;
}

// Sizes in pixels of the legend.
constexpr double kMargin = 12, kLine = 18, kBarWidth = 360, kBarHeight = 14, kSwatch = 12;
constexpr double kSwatchStroke = 3;        // for a layer's circles
constexpr double kLetter = 6.5;            // maximal width of a letter of 12 pixels
constexpr double kMaxRadius = 40;          // larger circles of sizes are drawn smaller
constexpr std::size_t kCategoryRows = 24;  // in a column
constexpr std::size_t kMaxTextBytes = 60;  // shown bytes of a category's name

/// Returns text fit for XML 1.0, which also forbids U+FFFE and U+FFFF.
std::string xml_text(std::string_view text) {
  std::string shown = printable(text);
  for (const char* const forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = shown.find(forbidden); at != std::string::npos;
         at = shown.find(forbidden))
      shown.replace(at, 3, "\xEF\xBF\xBD");
  return escaped(shown, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
}

/// Returns the beginning of a long text, cut after a whole letter.
std::string shortened(std::string_view text) {
  if (text.size() <= kMaxTextBytes) return std::string(text);
  std::size_t end = kMaxTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string hex_color(const DisplayColor& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", quantize(color.red), quantize(color.green),
                     quantize(color.blue));
}

/// Formats numbers as validate prints them.
std::string value_text(double number) {
  return fmt::format("{}", number);
}
double text_width(std::string_view text) {
  return kLetter * static_cast<double>(text.size());
}

double share_of(const Scale& scale, double value) {
  double t = 0;
  apply_scale(scale, {&value, 1}, {&t, 1});
  return t;
}

/// Returns some round numbers between two: powers of ten for a logarithm over several of them,
/// otherwise multiples of 1, 2 or 5 times a power of ten.
std::vector<double> round_numbers(ScaleKind kind, double low, double high) {
  std::vector<double> numbers;
  if (kind == ScaleKind::kLog && high / low >= 100) {
    const double last = std::floor(std::log10(high));
    const double step = std::max(1.0, std::ceil((last - std::log10(low)) / 6));
    for (double power = std::ceil(std::log10(low)); power <= last; power += step)
      numbers.push_back(power < 0 ? 1 / std::pow(10, -power) : std::pow(10, power));
    return numbers;
  }
  const double about = (high - low) / 4;
  if (!(about > 0 && about <= 1e300)) return numbers;
  const double power = std::floor(std::log10(about));
  const double of_power = about / std::pow(10, power);
  const double factor = of_power < 2 ? 1 : of_power < 5 ? 2 : 5;
  // Divided by a whole power of ten, which gives the number nearest to the decimal one.
  const double times = power < 0 ? factor : factor * std::pow(10, power);
  const double over = power < 0 ? std::pow(10, -power) : 1;
  if (!(over <= 1e300) || std::abs(low) * over / times > 1e15) return numbers;
  for (double k = std::ceil(low * over / times); k * times / over <= high; ++k)
    numbers.push_back(k * times / over + 0.0);  // removes the sign of −0
  return numbers;
}

/// A value of a column at its share of the scale.
struct Tick {
  double value, t;
};

/// Returns the two ends, then the others that fit. `is_near` returns true if two cannot both be
/// shown.
template <typename IsNear>
std::vector<Tick> ticks_of(const Scale& scale, const IsNear& is_near) {
  const double low = scale.ends.front(), high = scale.ends.back();
  if (low == high) return {{low, 0.5}};
  std::vector<Tick> ticks = {{low, 0}, {high, 1}};
  std::vector<double> values;
  if (scale.kind == ScaleKind::kRank)
    for (const std::size_t quarter : {2u, 1u, 3u}) values.push_back(scale.ends[quarter * 64]);
  else
    values = round_numbers(scale.kind, std::min(low, high), std::max(low, high));
  for (const double value : values) {
    const Tick tick{value, share_of(scale, value)};
    if (tick.t > 0 && tick.t < 1 && std::none_of(ticks.begin(), ticks.end(), [&](const Tick& t) {
          return t.value == value || is_near(t, tick);
        }))
      ticks.push_back(tick);
  }
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.t < b.t; });
  return ticks;
}

/// Returns the start of a tick's text: below the tick, within the bar.
double text_start(const Tick& tick) {
  const double width = text_width(value_text(tick.value));
  return kMargin +
         std::clamp(tick.t * kBarWidth - width / 2, 0.0, std::max(kBarWidth - width, 0.0));
}

struct Stop {
  double t;
  DisplayColor color;
  double alpha;
};

/// Style of a layer's circles, without the fill's colour.
struct CircleStyle {
  bool has_fill = true;
  double stroke_width = 0;                   ///< pixels of the scene's picture; 0: without a stroke
  std::optional<DisplayColor> stroke_color;  ///< absent: the fill's
};

/// Returns attributes of a shape in this colour; with a stroke of `width` pixels, or the edge that
/// bounds a pale shape.
std::string paint_attributes(const CircleStyle& style, const std::string& color, double width) {
  const std::string stroke = style.stroke_color ? hex_color(*style.stroke_color) : color;
  return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"{:.4g}\"",
                     style.has_fill ? color : "none", stroke, width);
}

/// An SVG picture that grows downwards.
class LegendPicture {
 public:
  void heading(const std::string& text) {
    if (y_ > kMargin) y_ += kLine / 2;
    add_text(kMargin, y_ + kSwatch, text, " font-weight=\"bold\"");
    y_ += kLine;
  }
  void line(const std::string& text) {
    add_text(kMargin, y_ + kSwatch, text);
    y_ += kLine;
  }

  void bar(const Scale& scale, const std::vector<Stop>& stops) {
    const std::string id = fmt::format("bar{}", ++bars_);
    elements_ += fmt::format("<linearGradient id=\"{}\">\n", id);
    for (const Stop& stop : stops)
      elements_ += fmt::format(
          "<stop offset=\"{}\" stop-color=\"{}\"{}/>\n", stop.t, hex_color(stop.color),
          stop.alpha < 1 ? fmt::format(" stop-opacity=\"{}\"", stop.alpha) : std::string());
    elements_ += fmt::format(
        "</linearGradient>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#{})\" "
        "stroke=\"#808080\"/>\n",
        kMargin, y_, kBarWidth, kBarHeight, id);
    const auto is_near = [](const Tick& a, const Tick& b) {
      const Tick& left = a.t < b.t ? a : b;
      const Tick& right = a.t < b.t ? b : a;
      return text_start(left) + text_width(value_text(left.value)) + kLetter > text_start(right);
    };
    for (const Tick& tick : ticks_of(scale, is_near)) {
      const std::string text = value_text(tick.value);
      const double x = kMargin + tick.t * kBarWidth;
      elements_ +=
          fmt::format("<path d=\"M{:.2f} {}v4\" stroke=\"#808080\"/>\n", x, y_ + kBarHeight);
      add_text(text_start(tick) + text_width(text) / 2, y_ + kBarHeight + kLine, text,
               " text-anchor=\"middle\"");
    }
    y_ += kBarHeight + kLine + kLine / 2;
    widen(kBarWidth);
  }

  void swatches(const std::vector<std::pair<DisplayColor, std::string>>& named,
                const CircleStyle& style) {
    double x = kMargin, widest = 0;
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (i > 0 && i % kCategoryRows == 0) {
        x += widest;
        widest = 0;
      }
      const double y = y_ + static_cast<double>(i % kCategoryRows) * kLine;
      const std::string color = hex_color(named[i].first);
      if (style.stroke_width > 0) {
        elements_ +=
            fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n",
                        x + kSwatchStroke / 2, y + kSwatchStroke / 2, kSwatch - kSwatchStroke,
                        kSwatch - kSwatchStroke, paint_attributes(style, color, kSwatchStroke));
      } else {
        elements_ += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#808080\"/>\n",
            x, y, kSwatch, kSwatch, color);
      }
      add_text(x + kSwatch + kLetter, y + kSwatch - 1, named[i].second);
      widest = std::max(widest, kSwatch + 3 * kLetter + text_width(named[i].second));
    }
    y_ += static_cast<double>(std::min(named.size(), kCategoryRows)) * kLine;
    widen(x + widest - kMargin);
  }

  /// Draws circles with their radii in the scene's picture and the column's values below.
  void circles(const std::vector<std::pair<double, double>>& values_and_radii,
               const CircleStyle& style) {
    double most = 0;
    for (const auto& [value, radius] : values_and_radii) most = std::max(most, radius);
    const double factor = most > kMaxRadius ? kMaxRadius / most : 1;
    const double bottom = y_ + 2 * most * factor + 2;
    double x = kMargin;
    for (const auto& [value, radius] : values_and_radii) {
      const std::string text = value_text(value);
      const double width = std::max(text_width(text), 2 * radius * factor);
      // A stroke is inside the rim, but in SVG on both sides of it.
      const double stroke = std::min(style.stroke_width, radius) * factor;
      const std::string paint =
          stroke > 0 ? paint_attributes(style, "#606060", stroke) : std::string("fill=\"#606060\"");
      elements_ +=
          fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.4g}\" {}/>\n", x + width / 2,
                      bottom - radius * factor, radius * factor - stroke / 2, paint);
      add_text(x + width / 2, bottom + kLine - 3, text, " text-anchor=\"middle\"");
      x += width + 2 * kLetter;
    }
    y_ = bottom + kLine;
    widen(x - kMargin);
    line(factor < 1 ? fmt::format("drawn {:.3g} times smaller than in the picture", 1 / factor)
                    : "as large as in the picture");
  }

  std::string text() const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 "
               "0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
               std::ceil(width_ + 2 * kMargin), std::ceil(y_ + kMargin)) +
           elements_ + "</svg>\n";
  }

 private:
  void add_text(double x, double y, const std::string& text, const char* attributes = "") {
    elements_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\"{}>{}</text>\n", x, y, attributes,
                             xml_text(text));
    if (*attributes == '\0') widen(x - kMargin + text_width(text));
  }
  void widen(double width) { width_ = std::max(width_, width); }

  std::string elements_;
  double y_ = kMargin, width_ = 0;
  int bars_ = 0;
};

class LayerLegend {
 public:
  LayerLegend(const Scene& scene, const Layer& layer, LegendPicture& picture)
      : scene_(scene),
        layer_(layer),
        source_(std::get<DataSource>(layer.source)),
        map_(source_.map),
        picture_(picture) {
    if (!layer.stroke) return;
    style_ = {layer.fill, stroke_width(scene, layer) * scene.image.frame_height(),
              layer.stroke->color};
  }

  void draw() {
    if (has_color()) draw_color(map_.color);
    if (has_alpha()) draw_alpha(*map_.alpha);
    if (map_.radius.slot) draw_radius(map_.radius);
  }

  bool is_empty() const { return !has_color() && !has_alpha() && !map_.radius.slot; }

 private:
  /// Hidden colours need no legend: snow has its own colours and alphas, and so may a stroke
  /// without a fill.
  bool has_color() const {
    const bool is_seen = layer_.shader != Shader::kSnow && (layer_.fill || !layer_.stroke->color);
    return is_seen && (map_.color.kind == ColorMap::Kind::kScale ||
                       map_.color.kind == ColorMap::Kind::kCategories);
  }
  bool has_alpha() const {
    const bool is_seen = layer_.shader != Shader::kSnow && (layer_.fill || !layer_.stroke->alpha);
    return is_seen && map_.alpha && map_.alpha->slot && map_.alpha->scale;
  }
  std::string name_of(Slot slot) const {
    return label_of(*source_.table, map_, slot,
                    [](const std::string& name) { return shortened(name); });
  }

  /// Writes the line above a scale. Returns false if the scale has no numbers to draw.
  bool introduce(const char* key, Slot slot, const Scale& scale) {
    picture_.line(fmt::format("{}: {}, {}", key, name_of(slot),
                              kScaleNames[static_cast<std::size_t>(scale.kind)]));
    if (scale.ends.empty()) picture_.line("no numbers");
    return !scale.ends.empty();
  }

  void draw_color(const ColorMap& color) {
    std::vector<std::pair<DisplayColor, std::string>> named;
    if (color.kind == ColorMap::Kind::kScale) {
      if (introduce("color", color.slot, color.scale)) picture_.bar(color.scale, stops_of(color));
    } else {
      picture_.line("color: " + name_of(color.slot));
      const bool holds_texts = source_.table->columns()[map_.columns[color.slot]].is_text;
      for (const Category& category : color.categories)
        named.emplace_back(category.color,
                           holds_texts ? shortened(category.text) : value_text(category.number));
    }
    if (color.missing) named.emplace_back(*color.missing, "missing");
    picture_.swatches(named, style_);
  }

  /// Returns the colour map's own stops, between which SVG mixes as the map does.
  static std::vector<Stop> stops_of(const ColorMap& color) {
    const std::size_t count = color.gradient.colors.size();
    std::vector<double> places = color.gradient.places;
    for (std::size_t i = 0; places.size() < count; ++i)
      places.push_back(count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1));
    std::vector<Stop> stops;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [red, green, blue] = color.gradient.colors[i];
      stops.push_back(
          {places[i],
           {static_cast<float>(red), static_cast<float>(green), static_cast<float>(blue)},
           1});
    }
    return stops;
  }

  void draw_alpha(const SizeMap& alpha) {
    if (!introduce("alpha", *alpha.slot, *alpha.scale)) return;
    picture_.bar(*alpha.scale, {{0, {0, 0, 0}, alpha.low.value * layer_.opacity},
                                {1, {0, 0, 0}, alpha.high.value * layer_.opacity}});
  }

  void draw_radius(SizeMap radius) {
    if (!radius.scale) {  // the numbers are radii
      radius.scale = Scale{};
      const auto [low, high] = range_of(*radius.slot);
      if (high > 0) radius.scale->ends = {std::max(low, 0.0), high};
      if (!radius.scale->ends.empty()) {
        radius.low = {radius.scale->ends[0], radius.constant.in_pixels};
        radius.high = {radius.scale->ends[1], radius.constant.in_pixels};
      }
    }
    if (!introduce("radius", *radius.slot, *radius.scale)) return;
    const auto is_near = [](const Tick& a, const Tick& b) { return std::abs(a.t - b.t) < 0.12; };
    std::vector<std::pair<double, double>> drawn;
    for (const Tick& tick : ticks_of(*radius.scale, is_near))
      drawn.emplace_back(tick.value, pixels_of(radius, tick.t));
    picture_.circles(drawn, style_);
  }

  /// Smallest and largest number of a slot, at all keys.
  std::array<double, 2> range_of(Slot slot) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::array<double, 2> range{kInfinity, -kInfinity};
    const auto add = [&range](double low, double high) {
      range = {std::min(range[0], low), std::max(range[1], high)};
    };
    for_each_column(map_, slot, 1, [&](Slot of_column, double /*one*/) {
      for (const ColumnRange& column : source_.facts->columns)
        if (column.slot == of_column && column.low <= column.high) add(column.low, column.high);
    });
    if (is_moving(slot))
      for (const NumberMap& key : moving_number(map_, slot).keys)
        if (!key.slot) add(key.constant, key.constant);
    return range;
  }

  /// Returns the radius in the picture of a value at t.
  double pixels_of(const SizeMap& radius, double t) const {
    const LengthUnits units{scene_.view.zoom * scene_.image.frame_height(), scene_.image.px};
    const LengthUnits in_layer{layer_.move.scale * units.scene_unit, units.pixel};
    const double low = in_layer.of(radius.low), high = in_layer.of(radius.high);
    const double pixels = low + (high - low) * t;
    if (!map_.radius_limits) return pixels;
    const auto& [least, most] = *map_.radius_limits;
    return std::min(std::max(pixels, units.of(least)), units.of(most));
  }

  const Scene& scene_;
  const Layer& layer_;
  const DataSource& source_;
  const DataMap& map_;
  LegendPicture& picture_;
  CircleStyle style_;
};

}  // namespace

int run_legend(const Arguments& arguments) {
  LegendOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit;
  const Scene scene = load_scene(options.scene_path, options.scene.overrides);
  const CircleNumbering places(scene);
  LegendPicture picture;
  bool is_empty = true;
  for (std::size_t i = 0; i < scene.layers.size(); ++i) {
    const auto* const source = std::get_if<DataSource>(&scene.layers[i].source);
    if (scene.layers[i].is_hidden || source == nullptr || source->map.is_plain) continue;
    LayerLegend legend(scene, scene.layers[i], picture);
    if (legend.is_empty()) continue;
    is_empty = false;
    picture.heading(places.text(i));
    legend.draw();
  }
  if (is_empty)
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: nothing for a legend: expected a layer whose map gives a column's "
                            "values radii, alphas by a scale, or colours by a scale or categories",
                            scene.path));
  NewFolders folders;
  if (options.output != "-") {
    check_writable(options.output, true);
    check_output_is_no_input(options.output, input_paths({scene}), ExitCode::kOutputRefused);
    folders = make_folders_of({options.output});
  }
  write_text(options.output, picture.text());
  print_warnings(with_path(scene, SceneWarnings().about_data(scene)));
  return 0;
}

}  // namespace roundel
