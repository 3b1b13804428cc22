#include "renderer/scene/read_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "renderer/format/number_text.h"

namespace roundel {
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
  if (const auto color = parse_hex_color(node.text())) return *color;
  const auto grey = static_cast<float>(read_number(node));
  return {grey, grey, grey};
}

std::array<double, 2> read_point(ValidNode node) {
  const std::vector<ValidNode> items = node.items();
  return {read_number(items.at(0)), read_number(items.at(1))};
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
