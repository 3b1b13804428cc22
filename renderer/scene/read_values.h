#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "renderer/scene/scene.h"
#include "renderer/scene/scene_errors.h"
#include "renderer/scene/valid_node.h"

namespace roundel {

// Values at nodes that validate() has accepted: read without further checks.
double read_number(ValidNode node);
bool read_boolean(ValidNode node);
/// Of a key "over", which may be absent.
bool is_over_frame(const std::optional<ValidNode>& node);
std::int64_t read_integer(ValidNode node);
Length read_length(ValidNode node);
DisplayColor read_color(ValidNode node);
std::array<double, 2> read_point(ValidNode node);
NumberLaw read_number_law(ValidNode node);
PositionLaw read_position_law(ValidNode node);
/// Of a random layer. What contradicts itself goes to `errors`, as of the key `path`.
ColorLaw read_color_law(ValidNode node, const std::string& path, SceneErrors& errors);
Gradient read_gradient(ValidNode node, const std::string& path, SceneErrors& errors);

/// True for a number that stands without quotes.
bool is_plain_number(ValidNode node);

/// Reads map[key] into `out`; leaves `out` as it is where the key is missing or its value not
/// valid. `map` is a ValidNode or a PartlyValidNode.
template <typename Map, typename Read, typename T>
void read_key(const Map& map, std::string_view key, Read read, T& out) {
  if (const std::optional<ValidNode> node = map.find(key)) out = static_cast<T>(read(*node));
}

}  // namespace roundel
