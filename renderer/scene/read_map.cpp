#include "renderer/scene/read_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "renderer/base/text.h"
#include "renderer/format/form.h"
#include "renderer/format/key_hints.h"
#include "renderer/format/number_text.h"
#include "renderer/scene/read_keys.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/scene_spec.h"

namespace roundel {
namespace {

enum class AllowedKind { kNumbers, kAnything };

DomainEnd read_domain_end(ValidNode node) {
  if (const std::optional<double> percent = parse_with_unit(node.text(), "%"))
    return {*percent, true};
  return {read_number(node), false};
}

class MapReader {
 public:
  MapReader(const Table& table, std::string layer_path, Ratio fps, FormatErrors& errors)
      : table_(table), layer_path_(std::move(layer_path)), fps_(fps), errors_(errors) {}

  DataMap read(PartlyValidNode layer) {
    if (const auto map = layer.find_part("map")) {
      read_number_map(*map, "x", map_.x);
      read_number_map(*map, "y", map_.y);
      read_number_map(*map, "z", map_.z);
      if (const auto radius = map->find("radius"))
        map_.radius = read_size(*radius, "map.radius", true);
      if (const auto alpha = map->find("alpha")) map_.alpha = read_size(*alpha, "map.alpha", false);
      if (const auto color = map->find("color")) read_color_map(*color);
      if (const auto start = map->find("start")) read_start(*start);
    }
    if (const auto where = layer.find("where")) {
      // Conditions by name: their order in the file must not change slots and fingerprint.
      std::vector<std::pair<std::string_view, ValidNode>> conditions;
      where->for_each_entry([&conditions](std::string_view name, ValidNode node) {
        conditions.emplace_back(name, node);
      });
      std::sort(conditions.begin(), conditions.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [name, node] : conditions) read_condition(name, node);
    }
    if (const auto order = layer.find("order")) read_order(*order);
    if (const auto invalid = layer.find("invalid")) map_.skips_invalid = invalid->text() == "skip";
    if (const auto limits = layer.find("radius_limits")) {
      map_.radius_limits = scene_forms().radius_limits.read(*limits);
      check_limits(*limits);
    }
    return std::move(map_);
  }

 private:
  void add_error(ValidNode node, const std::string& key, const std::string& problem) {
    errors_.add(node.place(), layer_path_ + "." + key, problem);
  }

  /// Returns nothing if the column does not exist.
  std::optional<Slot> read_column(ValidNode node, const std::string& key,
                                  AllowedKind allowed = AllowedKind::kNumbers) {
    if (!node.is_map()) {
      const std::optional<std::size_t> column = find_named(node, node.text(), key);
      return column ? check_kind(node, *column, key, allowed) : std::nullopt;
    }
    const ValidNode column = node.find("column").value();
    if (!column.is_map()) return read_column_name(column, key, allowed);
    const Slot slot = read_keys(column, key, [&](ValidNode value) {
      return NumberMap{read_column_name(value, key, AllowedKind::kNumbers), 0};
    });
    check_spline(column, moving_number(map_, slot).times, layer_path_ + "." + key, errors_);
    return slot;
  }

  /// A name, or a number from 0.
  std::optional<Slot> read_column_name(ValidNode name, const std::string& key,
                                       AllowedKind allowed) {
    std::optional<std::size_t> column;
    if (looks_like_number(name.text()) && name.is_plain()) {
      const auto number = static_cast<std::uint64_t>(read_integer(name));
      if (number < table_.columns().size()) {
        column = number;
      } else {
        add_error(name, key,
                  fmt::format("expected a column from 0 to {} of {}, got {}",
                              table_.columns().size() - 1, table_.path(), number));
      }
    } else {
      column = find_named(name, name.text(), key);
    }
    return column ? check_kind(name, *column, key, allowed) : std::nullopt;
  }

  /// Reads keys; `read_value` returns the number at one of them.
  template <typename ReadValue>
  Slot read_keys(ValidNode node, const std::string& key, const ReadValue& read_value) {
    const std::string path = layer_path_ + "." + key;
    const KeyNodes nodes = read_key_nodes(node, fps_, path, errors_);
    MovingNumber number{nodes.times, {}, std::vector<double>(nodes.values.size(), 1)};
    for (std::size_t k = 0; k < nodes.values.size(); ++k) {
      const NumberMap value = read_value(nodes.values[k]);
      if (is_plain_number(nodes.values[k]))
        check_exponential(nodes.places[k], nodes.times, std::array{value.constant}, path, errors_);
      number.keys.push_back(value);
    }
    if (!map_.motion) map_.motion.emplace();
    map_.motion->fps = fps_;
    map_.motion->numbers.push_back(std::move(number));
    return kFirstMovingSlot + map_.motion->numbers.size() - 1;
  }

  std::optional<std::size_t> find_named(ValidNode node, std::string_view name,
                                        const std::string& key) {
    const std::optional<std::size_t> column = find_column(table_, name);
    if (!column) add_error(node, key, missing_column_text(table_, name));
    return column;
  }

  std::optional<Slot> check_kind(ValidNode node, std::size_t column, const std::string& key,
                                 AllowedKind allowed) {
    if (allowed == AllowedKind::kNumbers && table_.columns()[column].is_text) {
      add_error(node, key,
                fmt::format("expected a column of numbers, but {} of {} {}", column_text(column),
                            table_.path(), describe_texts(table_, column)));
      return std::nullopt;
    }
    return slot_of(map_, column);
  }

  std::string column_text(std::size_t column) const {
    const std::string& name = table_.columns()[column].name;
    return name.empty() ? fmt::format("column {}", column) : roundel::quoted(name);
  }
  bool is_text(Slot slot) const {
    return !is_moving(slot) && table_.columns()[map_.columns[slot]].is_text;
  }

  /// Notes a rounded number.
  double compared(ValidNode node, const std::string& key, std::string_view digits, double number) {
    if (is_rounded(digits, number))
      map_.rounded.push_back(fmt::format("{}: {}.{}: {}", errors_.line_text(node.place()),
                                         layer_path_, key, rounding_text(digits, number)));
    return number;
  }

  NumberMap read_number_or_column(ValidNode node, const std::string& key) {
    if (is_plain_number(node)) return {{}, read_number(node)};
    if (node.is_map() && node.has("keys"))
      return {
          read_keys(node, key, [&](ValidNode value) { return read_number_or_column(value, key); }),
          0};
    return {read_column(node, key), 0};
  }
  void read_number_map(PartlyValidNode map, const char* name, NumberMap& out) {
    if (const auto node = map.find(name))
      out = read_number_or_column(*node, fmt::format("map.{}", name));
  }

  /// Keys of a radius, all in pixels or none, or of an alpha.
  SizeMap read_moving_size(ValidNode node, const std::string& key, bool is_length) {
    SizeMap size;
    std::size_t in_pixels = 0;
    size.slot = read_keys(node, key, [&](ValidNode value) {
      const auto pixels =
          value.is_map() || !is_length ? std::nullopt : parse_with_unit(value.text(), "px");
      if (!pixels) return read_number_or_column(value, key);
      ++in_pixels;
      return NumberMap{{}, *pixels};
    });
    MovingNumber& number = map_.motion->numbers.back();
    if (in_pixels > 0 && in_pixels < number.keys.size())
      add_error(node, key, "expected px at all keys, or scene units (columns, numbers) at all");
    size.constant.in_pixels = in_pixels > 0;
    for (std::size_t k = 0; !is_length && k < number.keys.size(); ++k)
      if (const auto slot = number.keys[k].slot)
        number.ones[k] = table_.columns()[map_.columns[*slot]].one;
    check_spline(node, number.times, layer_path_ + "." + key, errors_);
    return size;
  }

  /// Frames, seconds, or a column of them.
  void read_start(ValidNode node) {
    if (!map_.motion)
      return add_error(node, "map.start",
                       "needs a value with keys, as x: {keys: {0: COLUMN, 60: COLUMN}}");
    RowMotion& motion = *map_.motion;
    if (!node.is_map() && parse_with_unit(node.text(), "s"))
      motion.start.constant = *parse_key_time(node.text(), fps_);
    else if (is_plain_number(node))
      motion.start.constant = read_number(node);
    else
      motion.start.slot = read_column(node, "map.start", AllowedKind::kAnything);
    motion.starts = {motion.start.constant, motion.start.constant};
  }

  SizeMap read_size(ValidNode node, const std::string& key, bool is_length) {
    if (node.is_map() && node.has("keys")) return read_moving_size(node, key, is_length);
    SizeMap size;
    if (is_plain_number(node)) {
      size.constant.value = read_number(node);
      return size;
    }
    if (const auto pixels =
            node.is_map() || !is_length ? std::nullopt : parse_with_unit(node.text(), "px")) {
      size.constant = {*pixels, true};
      return size;
    }
    size.slot = read_column(node, key);
    if (!node.is_map() ||
        !has_any(node, {"scale", "threshold", "domain", "over", "range", "missing"})) {
      if (size.slot && !is_length && !is_moving(*size.slot))
        size.one = table_.columns()[map_.columns[*size.slot]].one;
      return size;
    }
    size.scale = read_scale(node, key);
    size.low = {0, false};
    size.high = {1, false};
    if (const auto range = node.find("range")) {
      size.low = read_length(range->items().at(0));
      size.high = read_length(range->items().at(1));
    } else if (is_length) {
      add_error(node, key, "missing key \"range\": the radii at the two ends of the domain");
    }
    if (const auto missing = node.find("missing")) size.missing = read_length(*missing);
    return size;
  }

  static bool has_any(ValidNode node, std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const char* key) { return node.find(key).has_value(); });
  }

  Scale read_scale(ValidNode node, const std::string& key) {
    Scale scale;
    read_key(node, "scale", one_of<ScaleKind>(kScaleNames).read, scale.kind);
    if (const auto threshold = node.find("threshold")) {
      scale.threshold = read_number(*threshold);
      if (scale.kind != ScaleKind::kSymlog)
        add_error(*threshold, key + ".threshold", "needs scale: symlog");
    }
    scale.is_over_frame = is_over_frame(node.find("over"));
    const auto domain = node.find("domain");
    if (!domain) return scale;
    if (scale.kind == ScaleKind::kRank)
      add_error(*domain, key + ".domain", "remove it: scale: rank uses all percentiles");
    if (!domain->is_map()) {
      read_domain(*domain, key + ".domain", scale);
    } else {
      scale.has_keys = true;
      if (scale.is_over_frame)
        add_error(*domain, key + ".domain", "over: frame has no keys; write over: film");
      domain->find("keys").value().for_each_entry([&](std::string_view time, ValidNode value) {
        read_domain(value_at_key(value), fmt::format("{}.domain.keys.{}", key, time), scale);
      });
    }
    return scale;
  }

  void read_domain(ValidNode list, const std::string& key, Scale& scale) {
    const std::vector<ValidNode> ends = list.items();
    scale.domain = {read_domain_end(ends.at(0)), read_domain_end(ends.at(1))};
    for (std::size_t i = 0; i < 2; ++i) {
      const DomainEnd& end = (*scale.domain)[i];
      if (!end.is_percentile && !accepts(scale.kind, end.value))
        add_error(
            ends[i], fmt::format("{}[{}]", key, i),
            fmt::format("expected {}, which scale: {} needs, got {}", accepted_values(scale.kind),
                        kScaleNames[static_cast<std::size_t>(scale.kind)], end.value));
    }
  }

  void read_color_map(ValidNode node) {
    ColorMap& color = map_.color;
    const std::string key = "map.color";
    if (node.is_list()) return read_channels(node, key);
    if (is_plain_number(node) || (!node.is_map() && parse_hex_color(node.text()))) {
      color.constant = read_color(node);
      return;
    }
    if (const std::string hint = node.is_map() ? "" : color_hint(node.text());
        !hint.empty() && !find_column(table_, node.text())) {
      add_error(node, key,
                fmt::format("expected a colour \"#rrggbb\" or a column's name, got {} ({})",
                            roundel::quoted(node.text()), hint));
      return;
    }
    const std::optional<Slot> slot = read_column(node, key, AllowedKind::kAnything);
    if (slot) color.slot = *slot;
    color.kind = slot && is_text(*slot) ? ColorMap::Kind::kText : ColorMap::Kind::kScale;
    color.gradient = named_gradient("viridis");
    if (node.is_map()) {
      if (const auto missing = node.find("missing")) color.missing = read_color(*missing);
      if (const auto categories = node.find("categories")) {
        color.kind = ColorMap::Kind::kCategories;
        if (has_any(node, {"colormap", "scale", "threshold", "domain"}))
          add_error(*categories, key, "expected categories or a colormap with its scale, got both");
        color.is_over_frame = is_over_frame(node.find("over"));
        if (slot && is_moving(*slot))
          add_error(*categories, key, "a column with keys has a scale, not categories");
        else if (slot)
          read_categories(*categories, key + ".categories");
      } else if (color.kind == ColorMap::Kind::kText &&
                 has_any(node, {"colormap", "scale", "threshold", "domain"})) {
        add_error(
            node, key,
            fmt::format(
                "expected a column of numbers, but {} of {} {}; for kinds write categories: tab10 "
                "in place of domain, scale and colormap",
                column_text(map_.columns[*slot]), table_.path(),
                describe_texts(table_, map_.columns[*slot])));
      } else {
        color.scale = read_scale(node, key);
        if (const auto colormap = node.find("colormap"))
          map_.color.gradient =
              read_gradient(*colormap, layer_path_ + "." + key + ".colormap", errors_);
      }
    }
    // An error was added.
    if (!slot) color.kind = ColorMap::Kind::kConstant;
  }

  void read_channels(ValidNode node, const std::string& key) {
    ColorMap& color = map_.color;
    const std::vector<ValidNode> items = node.items();
    if (std::all_of(items.begin(), items.end(), is_plain_number)) {
      color.constant = read_color(node);
      return;
    }
    color.kind = ColorMap::Kind::kChannels;
    for (std::size_t c = 0; c < 3; ++c) {
      color.channels[c] = read_number_or_column(items[c], fmt::format("{}[{}]", key, c));
      if (const auto slot = color.channels[c].slot)
        color.ones[c] = table_.columns()[map_.columns[*slot]].one;
    }
  }

  void read_categories(ValidNode node, const std::string& key) {
    ColorMap& color = map_.color;
    if (!node.is_map()) {
      color.palette = named_palette(node.text());
      return;
    }
    const bool holds_texts = is_text(color.slot);
    node.for_each_entry([&](std::string_view name, ValidNode value) {
      Category category = Category::of_text(std::string(name), read_color(value));
      if (!holds_texts) {
        const std::optional<double> number = parse_number(name).value;
        if (!number)
          return add_error(value, fmt::format("{}.{}", key, name),
                           fmt::format("expected a number, as in {} of {}, got {}",
                                       column_text(map_.columns[color.slot]), table_.path(),
                                       roundel::quoted(name)));
        category = {{}, compared(value, key, name, *number) + 0.0, category.color};
      }
      color.categories.push_back(std::move(category));
    });
    const auto less = [](const Category& a, const Category& b) {
      return a.text != b.text ? a.text < b.text : a.number < b.number;
    };
    std::sort(color.categories.begin(), color.categories.end(), less);
    for (std::size_t i = 1; i < color.categories.size(); ++i)
      if (!less(color.categories[i - 1], color.categories[i]))
        add_error(node, key, fmt::format("{} occurs twice", color.categories[i].number));
  }

  void read_condition(std::string_view name, ValidNode node) {
    const std::string key = fmt::format("where.{}", name);
    std::optional<std::size_t> column = find_column(table_, name);
    if (!column && !looks_like_number(name)) column = find_named(node, name, key);
    if (!column && looks_like_number(name)) {  // arrays without names
      const std::optional<std::int64_t> number = parse_integer(name).value;
      if (number && *number >= 0 && static_cast<std::uint64_t>(*number) < table_.columns().size() &&
          table_.columns()[static_cast<std::size_t>(*number)].name.empty())
        column = static_cast<std::size_t>(*number);
      else
        add_error(node, key, missing_column_text(table_, name));
    }
    if (!column) return;
    Condition condition;
    condition.slot = slot_of(map_, *column);
    const bool holds_texts = table_.columns()[*column].is_text;
    node.for_each_entry([&](std::string_view test, ValidNode value) {
      const std::string value_key = fmt::format("{}.{}", key, test);
      if (test == "min" || test == "max") {
        if (holds_texts)
          add_error(
              value, value_key,
              fmt::format("expected \"in\" or \"not\", because {} of {} {}", column_text(*column),
                          table_.path(), describe_texts(table_, *column)));
        (test == "min" ? condition.min : condition.max) =
            compared(value, value_key, value.text(), read_number(value));
        return;
      }
      if (test == "in") condition.has_in = true;
      for (const ValidNode& item : value.is_list() ? value.items() : std::vector{value}) {
        if (holds_texts) {
          (test == "in" ? condition.in_texts : condition.not_texts).emplace_back(item.text());
        } else if (is_plain_number(item)) {
          (test == "in" ? condition.in_numbers : condition.not_numbers)
              .push_back(compared(item, value_key, item.text(), read_number(item)));
        } else {
          add_error(item, value_key,
                    fmt::format("expected a number, as in {} of {}, got {}", column_text(*column),
                                table_.path(), roundel::quoted(item.text())));
        }
      }
    });
    map_.where.push_back(std::move(condition));
  }

  void read_order(ValidNode node) {
    const std::optional<Slot> slot = read_column(node, "order", AllowedKind::kAnything);
    if (!slot) return;
    map_.order = Order{*slot, false};
    if (node.is_map()) read_key(node, "descending", read_boolean, map_.order->descending);
  }

  void check_limits(ValidNode node) {
    const auto& [low, high] = *map_.radius_limits;
    if (low.in_pixels == high.in_pixels && low.value > high.value)
      add_error(node, "radius_limits", "expected the smallest radius first, then the largest");
  }

  const Table& table_;
  std::string layer_path_;
  Ratio fps_;
  FormatErrors& errors_;
  DataMap map_;
};

}  // namespace

DataMap read_data_map(PartlyValidNode layer, const Table& table, const std::string& layer_path,
                      Ratio fps, FormatErrors& errors) {
  return MapReader(table, layer_path, fps, errors).read(layer);
}

}  // namespace roundel
