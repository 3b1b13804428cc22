#pragma once
#include <string>

namespace roundel {

/// Returns the JSON Schema of the output of `roundel validate --json`;
/// scenes/validation.schema.json is this text.
std::string validation_json_schema();

}  // namespace roundel
