#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace roundel {

/// Writes on one line or indented by `indent` spaces a level; ends with a line feed. Replaces
/// invalid UTF-8.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace roundel
