#pragma once
#include <string>

namespace roundel {

/// The JSON Schema of what `roundel validate --json` prints. scenes/validation.schema.json is this
/// text.
std::string validation_json_schema();

}  // namespace roundel
