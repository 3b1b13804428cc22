#include "renderer/scene/read_values.h"

#include <charconv>

#include "renderer/scene/number_text.h"

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

double read_number(ValidNode node) {
  return parse_number(node.text()).value.value();
}

bool is_over_frame(const std::optional<ValidNode>& node) {
  return node && node->text() == "frame";
}

std::int64_t read_integer(ValidNode node) {
  return parse_integer(node.text()).value.value();
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
  const ValidNode gaussian = node.find("gaussian").value();
  return GaussianPosition{read_point(gaussian.find("mean").value()),
                          read_number(gaussian.find("sigma").value())};
}

ColorLaw read_color_law(ValidNode node) {
  if (!node.is_map()) return ConstantColor{read_color(node)};
  const std::vector<ValidNode> colors = node.find("uniform").value().items();
  return UniformColor{read_color(colors.at(0)), read_color(colors.at(1))};
}

}  // namespace roundel
