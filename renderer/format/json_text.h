#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace roundel {

/// Returns JSON with a line feed at its end, on one line or indented by `indent` spaces a level.
/// Bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace roundel
