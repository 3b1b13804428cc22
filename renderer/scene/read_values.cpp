#include "renderer/scene/read_values.h"

#include <charconv>

#include "renderer/scene/number_text.h"

namespace roundel {
namespace {

Color read_hex_color(std::string_view text) {
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

double read_number(YamlNode node) {
  return parse_number(node.text()).value.value();
}

std::int64_t read_integer(YamlNode node) {
  return parse_integer(node.text()).value.value();
}

Color read_color(YamlNode node) {
  if (node.is_list()) {
    const std::vector<YamlNode> channels = node.items();
    return {static_cast<float>(read_number(channels[0])),
            static_cast<float>(read_number(channels[1])),
            static_cast<float>(read_number(channels[2]))};
  }
  if (node.text()[0] == '#') return read_hex_color(node.text());
  const auto grey = static_cast<float>(read_number(node));
  return {grey, grey, grey};
}

std::array<double, 2> read_point(YamlNode node) {
  const std::vector<YamlNode> items = node.items();
  return {read_number(items[0]), read_number(items[1])};
}

NumberLaw read_number_law(YamlNode node) {
  if (!node.is_map()) return ConstantLaw{read_number(node)};
  if (const std::optional<YamlNode> uniform = node.find("uniform")) {
    const std::array<double, 2> bounds = read_point(*uniform);
    return UniformLaw{bounds[0], bounds[1]};
  }
  const YamlNode gaussian = node.find("gaussian").value();
  return GaussianLaw{read_number(gaussian.find("mean").value()),
                     read_number(gaussian.find("sigma").value())};
}

PositionLaw read_position_law(YamlNode node) {
  if (const std::optional<YamlNode> uniform = node.find("uniform")) {
    const std::vector<YamlNode> corners = uniform->items();
    return UniformPosition{read_point(corners[0]), read_point(corners[1])};
  }
  const YamlNode gaussian = node.find("gaussian").value();
  return GaussianPosition{read_point(gaussian.find("mean").value()),
                          read_number(gaussian.find("sigma").value())};
}

ColorLaw read_color_law(YamlNode node) {
  if (!node.is_map()) return ConstantColor{read_color(node)};
  const std::vector<YamlNode> colors = node.find("uniform").value().items();
  return UniformColor{read_color(colors[0]), read_color(colors[1])};
}

std::optional<YamlNode> find_valid(YamlNode map, std::string_view key) {
  const std::optional<YamlNode> node = map.find(key);
  return node && node->valid() ? node : std::nullopt;
}

}  // namespace roundel
