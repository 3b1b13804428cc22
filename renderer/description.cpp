#include "renderer/description.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/data/table.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/view_bounds.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

/// Limits of a column's entry in a picture's metadata; longer ones are left out.
constexpr std::size_t kMaxShortCategories = 32;
constexpr std::size_t kMaxShortCategoryBytes = 256;
constexpr std::size_t kMaxShortColors = 16;
constexpr std::size_t kMaxAxesBytes = std::size_t{16} << 10;

enum class Detail { kWhole, kShort };

Json color_json(const std::array<double, 3>& color) {
  std::string hex = "#";
  for (const double channel : color) {
    const double level = channel * 255;
    // The scene's colours are binary32.
    if (!(level >= 0 && level <= 255) || std::fabs(level - std::round(level)) > 1e-4) return color;
    hex += fmt::format("{:02x}", std::lround(level));
  }
  return hex;
}
Json color_json(const DisplayColor& color) {
  return color_json(std::array<double, 3>{color.red, color.green, color.blue});
}

Json length_json(const roundel::Length& length) {
  return length.in_pixels ? Json(fmt::format("{}px", length.value)) : Json(length.value);
}

class Columns {
 public:
  Columns(const DataSource& source, const DataMap& map) : source_(source), map_(map) {}

  std::string name(Slot slot) const {
    const std::string& name = source_.table->columns()[map_.columns[slot]].name;
    return name.empty() ? fmt::format("column {}", map_.columns[slot]) : name;
  }
  bool is_text(Slot slot) const { return source_.table->columns()[map_.columns[slot]].is_text; }
  Json number(const NumberMap& number) const {
    return number.slot ? Json{{"column", name(*number.slot)}} : Json{{"constant", number.constant}};
  }

 private:
  const DataSource& source_;
  const DataMap& map_;
};

void add_scale(const Scale& scale, Detail detail, Json& json) {
  json["scale"] = kScaleNames[static_cast<std::size_t>(scale.kind)];
  if (scale.kind == ScaleKind::kSymlog) json["threshold"] = scale.threshold;
  if (scale.ends.empty()) {
    json["domain"] = nullptr;  // without numbers
    return;
  }
  json["domain"] = {scale.ends.front(), scale.ends.back()};
  if (scale.kind == ScaleKind::kRank && detail == Detail::kWhole) json["quantiles"] = scale.ends;
  if (scale.is_over_frame) json["over"] = "frame";
}

/// The name of a gradient, or its colours.
Json colormap_json(const Gradient& gradient) {
  for (const std::string& name : gradient_names()) {
    const Gradient named = named_gradient(name);
    if (named.colors == gradient.colors && named.places == gradient.places) return name;
  }
  Json colors = Json::array();
  for (std::size_t i = 0; i < gradient.colors.size(); ++i) {
    const Json color = color_json(gradient.colors[i]);
    colors.push_back(gradient.places.empty() ? color : Json{gradient.places[i], color});
  }
  return colors;
}

Json palette_json(const std::vector<DisplayColor>& palette) {
  for (const std::string& name : palette_names())
    if (named_palette(name) == palette) return name;
  Json colors = Json::array();
  for (const DisplayColor& color : palette) colors.push_back(color_json(color));
  return colors;
}

Json color_json(const ColorMap& color, const Columns& columns, Detail detail) {
  using Kind = ColorMap::Kind;
  if (color.kind == Kind::kConstant) return {{"constant", color_json(color.constant)}};
  if (color.kind == Kind::kChannels)
    return {{"channels",
             {columns.number(color.channels[0]), columns.number(color.channels[1]),
              columns.number(color.channels[2])}}};
  Json json = {{"column", columns.name(color.slot)}};
  if (color.kind == Kind::kScale) {
    add_scale(color.scale, detail, json);
    json["colormap"] = colormap_json(color.gradient);
    if (detail == Detail::kShort && json["colormap"].size() > kMaxShortColors)
      json.erase("colormap");
  }
  if (color.kind == Kind::kCategories) {
    if (!color.palette.empty()) json["palette"] = palette_json(color.palette);
    if (color.is_over_frame) json["over"] = "frame";
    Json categories = Json::array();
    for (const Category& category : color.categories) {
      if (detail == Detail::kShort && (categories.size() == kMaxShortCategories ||
                                       category.text.size() > kMaxShortCategoryBytes))
        break;
      const Json value =
          columns.is_text(color.slot) ? Json(std::string(category.text)) : Json(category.number);
      categories.push_back({{"value", value}, {"color", color_json(category.color)}});
    }
    if (categories.size() < color.categories.size())
      json["more_categories"] = color.categories.size() - categories.size();
    json["categories"] = std::move(categories);
  }
  if (color.missing) json["missing"] = color_json(*color.missing);
  return json;
}

Json size_json(const SizeMap& size, const Columns& columns, Detail detail) {
  if (!size.slot) return {{"constant", length_json(size.constant)}};
  Json json = {{"column", columns.name(*size.slot)}};
  if (!size.scale) return json;
  add_scale(*size.scale, detail, json);
  json["range"] = {length_json(size.low), length_json(size.high)};
  if (size.missing) json["missing"] = length_json(*size.missing);
  return json;
}

Json rows_json(const DataSource& source, const DataFacts& facts) {
  const bool is_film = source.film && source.film->facts;
  Json json = {{"path", source.path}};
  if (!source.dataset.empty()) json["dataset"] = source.dataset;
  json["rows"] = source.rows;
  if (is_film) {
    json["files"] = source.film->frames;
    json["rows_of_all_files"] = facts.rows;
  }
  json["left_out"] = facts.dropped;
  json["skipped"] = facts.skipped;
  json["columns"] = Json::array();
  for (const ColumnRange& column : facts.columns) {
    const bool has_numbers = column.low <= column.high;
    json["columns"].push_back({{"name", column.name},
                               {"low", has_numbers ? Json(column.low) : Json()},
                               {"high", has_numbers ? Json(column.high) : Json()},
                               {"missing", column.missing}});
  }
  return json;
}

void add_data(const DataSource& source, Json& json) {
  DataMap map = source.map;
  const bool is_film = source.film && source.film->facts;
  const DataFacts facts = is_film        ? *source.film->facts
                          : source.facts ? *source.facts
                                         : survey_rows(*source.table, map);
  const Columns columns(source, map);
  json["data"] = rows_json(source, facts);
  json["x"] = columns.number(map.x);
  json["y"] = columns.number(map.y);
  json["radius"] = size_json(map.radius, columns, Detail::kWhole);
  if (map.alpha) json["alpha"] = size_json(*map.alpha, columns, Detail::kWhole);
  json["color"] = color_json(map.color, columns, Detail::kWhole);
  const std::pair<const char*, std::uint64_t> missing[] = {{"radius", facts.missing.radius},
                                                           {"alpha", facts.missing.alpha},
                                                           {"color", facts.missing.color}};
  for (const auto& [key, rows] : missing)
    if (json.contains(key) && json[key].contains("missing")) json[key]["missing_rows"] = rows;
}

struct KindName {
  const char* operator()(const GeneratorSource& /*source*/) const { return "generator"; }
  const char* operator()(const RandomSource& /*source*/) const { return "random"; }
  const char* operator()(const InlineSource& /*source*/) const { return "circles"; }
  const char* operator()(const DataSource& /*source*/) const { return "data"; }
};

Json layer_json(const Layer& layer) {
  Json json = {{"name", layer.name},
               {"kind", std::visit(KindName{}, layer.source)},
               {"circles", count_circles(layer)},
               {"hidden", layer.is_hidden}};
  if (const auto* const generator = std::get_if<GeneratorSource>(&layer.source))
    json["generator"] = generator->name;
  const auto* const data = std::get_if<DataSource>(&layer.source);
  if (data != nullptr && !layer.is_hidden) add_data(*data, json);
  return json;
}

Json short_layer_json(const DataSource& source) {
  Json json = Json::object();
  const DataMap& map = source.map;
  const Columns columns(source, map);
  if (map.radius.slot && map.radius.scale)
    json["radius"] = size_json(map.radius, columns, Detail::kShort);
  if (map.alpha && map.alpha->slot && map.alpha->scale)
    json["alpha"] = size_json(*map.alpha, columns, Detail::kShort);
  if (map.color.kind == ColorMap::Kind::kScale || map.color.kind == ColorMap::Kind::kCategories)
    json["color"] = color_json(map.color, columns, Detail::kShort);
  return json;
}

/// Prints ASCII, with U+FFFD for invalid UTF-8.
std::string ascii_text(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

std::array<std::array<double, 2>, 2> picture_window(const Scene& scene) {
  const SceneBounds bounds = picture_bounds(scene);
  if (scene.view.flip_y) return {{{bounds.left, bounds.right}, {bounds.top, bounds.bottom}}};
  return {{{bounds.left, bounds.right}, {bounds.bottom, bounds.top}}};
}

Json description_json(const Scene& scene) {
  Json layers = Json::array();
  for (const Layer& layer : scene.layers) layers.push_back(layer_json(layer));
  Json json = {{"width", scene.image.width},
               {"height", scene.image.height},
               {"channels", scene.image.channels()},
               {"circles", count_circles(scene)},
               {"start", scene.default_frame()},
               {"frames", scene.animation ? scene.animation->frames : 1},
               {"fps", scene.animation ? Json(scene.animation->fps) : Json()},
               {"fingerprint", fingerprint(scene)},
               {"window", picture_window(scene)},
               {"layers", std::move(layers)}};
  if (scene.view.rotate != 0) json["rotate"] = scene.view.rotate;
  return json;
}

std::string axes_text(const Scene& scene) {
  Json window = {{"window", picture_window(scene)}};
  if (scene.view.rotate != 0) window["rotate"] = scene.view.rotate;
  Json json = window;
  for (std::size_t i = 0; i < scene.layers.size(); ++i) {
    const Layer& layer = scene.layers[i];
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr || layer.is_hidden) continue;
    Json shown = short_layer_json(*data);
    if (shown.empty()) continue;
    Json named = {{"layer", i}};
    if (!layer.name.empty()) named["name"] = layer.name;
    named.update(shown);
    json["layers"].push_back(std::move(named));
  }
  std::string text = ascii_text(json);
  return text.size() <= kMaxAxesBytes ? text : ascii_text(window);
}

}  // namespace roundel
