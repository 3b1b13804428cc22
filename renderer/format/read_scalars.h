#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/format/valid_node.h"

namespace roundel {

// Nodes are valid: no further checks.
double read_number(ValidNode node);
bool read_boolean(ValidNode node);
std::int64_t read_integer(ValidNode node);
std::string read_text(ValidNode node);

bool is_plain_number(ValidNode node);

/// Leaves `out` unchanged if the key is missing or its value invalid. `map` is a ValidNode or a
/// PartlyValidNode.
template <typename Map, typename Read, typename T>
void read_key(const Map& map, std::string_view key, Read read, T& out) {
  if (const std::optional<ValidNode> node = map.find(key)) out = static_cast<T>(read(*node));
}

}  // namespace roundel
