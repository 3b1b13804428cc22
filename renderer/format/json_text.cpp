#include "renderer/format/json_text.h"

#include <nlohmann/json.hpp>

#include "renderer/base/text.h"

namespace roundel {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return json_for_yaml(json.dump(indent, ' ', false, kReplace)) + "\n";
}

}  // namespace roundel
