#include "renderer/scene/read_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "renderer/format/number_text.h"

namespace roundel {
namespace {

DisplayColor read_hex_color(std::string_view text) {
  std::array<float, 3> channels{};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    int value = 0;
    const char* digits = text.data() + 1 + 2 * i;
    std::from_chars(digits, digits + 2, value, 16);
    channels[i] = static_cast<float>(value) / 255.0f;
  }
  return {channels[0], channels[1], channels[2]};
}

}  // namespace

bool is_over_frame(const std::optional<ValidNode>& node) {
  return node && node->text() == "frame";
}

Length read_length(ValidNode node) {
  if (const std::optional<double> pixels = parse_with_unit(node.text(), "px"))
    return {*pixels, true};
  return {read_number(node), false};
}

DisplayColor read_color(ValidNode node) {
  if (node.is_list()) {
    const std::vector<ValidNode> channels = node.items();
    return {static_cast<float>(read_number(channels.at(0))),
            static_cast<float>(read_number(channels.at(1))),
            static_cast<float>(read_number(channels.at(2)))};
  }
  if (node.text()[0] == '#') return read_hex_color(node.text());
  const auto grey = static_cast<float>(read_number(node));
  return {grey, grey, grey};
}

std::array<double, 2> read_point(ValidNode node) {
  const std::vector<ValidNode> items = node.items();
  return {read_number(items.at(0)), read_number(items.at(1))};
}

NumberLaw read_number_law(ValidNode node) {
  if (!node.is_map()) return ConstantLaw{read_number(node)};
  if (const std::optional<ValidNode> uniform = node.find("uniform")) {
    const std::array<double, 2> bounds = read_point(*uniform);
    return UniformLaw{bounds[0], bounds[1]};
  }
  const ValidNode gaussian = node.find("gaussian").value();
  return GaussianLaw{read_number(gaussian.find("mean").value()),
                     read_number(gaussian.find("sigma").value())};
}

PositionLaw read_position_law(ValidNode node) {
  if (const std::optional<ValidNode> uniform = node.find("uniform")) {
    const std::vector<ValidNode> corners = uniform->items();
    return UniformPosition{read_point(corners.at(0)), read_point(corners.at(1))};
  }
  const auto point = [](ValidNode map, const char* key) {
    return read_point(map.find(key).value());
  };
  const auto number = [](ValidNode map, const char* key) {
    return read_number(map.find(key).value());
  };
  if (const std::optional<ValidNode> disc = node.find("disc"))
    return DiscPosition{point(*disc, "center"), number(*disc, "radius")};
  if (const std::optional<ValidNode> map = node.find("ring")) {
    RingPosition ring{point(*map, "center"), number(*map, "radius")};
    read_key(*map, "width", read_number, ring.width);
    return ring;
  }
  if (const std::optional<ValidNode> map = node.find("polyline")) {
    PolylinePosition line;
    for (const ValidNode& item : map->find("points").value().items())
      line.points.push_back(read_point(item));
    read_key(*map, "width", read_number, line.width);
    read_key(*map, "sigma", read_number, line.sigma);
    return line;
  }
  if (const std::optional<ValidNode> map = node.find("grid")) {
    GridPosition grid{};
    read_key(*map, "columns", read_integer, grid.columns);
    read_key(*map, "rows", read_integer, grid.rows);
    read_key(*map, "jitter", read_number, grid.jitter);
    grid.high = {1, 1};
    if (const std::optional<ValidNode> box = map->find("box")) {
      const std::vector<ValidNode> corners = box->items();
      grid.low = read_point(corners.at(0));
      grid.high = read_point(corners.at(1));
    }
    return grid;
  }
  const ValidNode gaussian = node.find("gaussian").value();
  return GaussianPosition{read_point(gaussian.find("mean").value()),
                          read_number(gaussian.find("sigma").value())};
}

ColorLaw read_color_law(ValidNode node, const std::string& path, FormatErrors& errors) {
  if (!node.is_map()) return ConstantColor{read_color(node)};
  if (const std::optional<ValidNode> gradient = node.find("gradient"))
    return GradientColor{read_gradient(*gradient, path + ".gradient", errors)};
  if (const std::optional<ValidNode> uniform = node.find("uniform")) {
    const std::vector<ValidNode> colors = uniform->items();
    return UniformColor{read_color(colors.at(0)), read_color(colors.at(1))};
  }
  ChoiceColor choice;
  for (const ValidNode& color : node.find("choice").value().items())
    choice.colors.push_back(read_color(color));
  choice.weights.assign(choice.colors.size(), 1);
  const std::optional<ValidNode> weights = node.find("weights");
  if (!weights) return choice;
  if (weights->count() != choice.colors.size()) {
    errors.add(weights->place(), path + ".weights",
               fmt::format("expected a number for each of {} colours, got {}", choice.colors.size(),
                           weights->count()));
    return choice;
  }
  double sum = 0;
  for (std::size_t i = 0; const ValidNode& weight : weights->items())
    sum += choice.weights[i++] = read_number(weight);
  if (!(sum > 0))
    errors.add(weights->place(), path + ".weights", "expected at least one number > 0");
  return choice;
}

Gradient read_gradient(ValidNode node, const std::string& path, FormatErrors& errors) {
  if (!node.is_list()) return named_gradient(node.text());
  Gradient gradient;
  const std::vector<ValidNode> stops = node.items();
  const auto has_place = [](ValidNode stop) { return stop.is_list(); };
  const bool has_places = has_place(stops.front());
  if (std::any_of(stops.begin(), stops.end(),
                  [&](ValidNode stop) { return has_place(stop) != has_places; })) {
    errors.add(node.place(), path, "expected a place with each colour, or with none");
    return named_gradient("gray");
  }
  for (std::size_t i = 0; i < stops.size(); ++i) {
    const std::string stop_path = fmt::format("{}[{}]", path, i);
    std::optional<ValidNode> color = stops[i];
    if (has_places) {
      const std::vector<ValidNode> parts = stops[i].items();
      color.reset();
      if (!is_plain_number(parts.at(0)) || is_plain_number(parts.at(1))) {
        errors.add(stops[i].place(), stop_path, "expected [place, \"#rrggbb\"]");
        gradient.places.push_back(gradient.places.empty() ? 0 : gradient.places.back());
      } else {
        color = parts[1];
        const double place = read_number(parts[0]);
        if (!gradient.places.empty() && place < gradient.places.back())
          errors.add(stops[i].place(), stop_path, "expected places in ascending order");
        gradient.places.push_back(place);
      }
    }
    const DisplayColor value = color ? read_color(*color) : DisplayColor{};
    gradient.colors.push_back({value.red, value.green, value.blue});
  }
  return gradient;
}

}  // namespace roundel
