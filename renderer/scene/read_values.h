#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "renderer/scene/scene.h"
#include "renderer/scene/yaml_tree.h"

namespace roundel {

// Values at valid nodes: what validate() has accepted is read without further checks.
double read_number(YamlNode node);
std::int64_t read_integer(YamlNode node);
Color read_color(YamlNode node);
std::array<double, 2> read_point(YamlNode node);
NumberLaw read_number_law(YamlNode node);
PositionLaw read_position_law(YamlNode node);
ColorLaw read_color_law(YamlNode node);

/// The value of a key, if it is there and all of it is valid.
std::optional<YamlNode> find_valid(YamlNode map, std::string_view key);

/// Reads map[key] into `out`; leaves `out` as it is where the key is missing or its value not
/// valid.
template <typename T, typename Read>
void read_key(YamlNode map, std::string_view key, Read read, T& out) {
  if (const std::optional<YamlNode> node = find_valid(map, key)) out = static_cast<T>(read(*node));
}

}  // namespace roundel
