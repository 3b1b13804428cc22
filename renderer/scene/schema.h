#pragma once
#include <string>

namespace roundel {

/// The JSON Schema (draft 7) of scene files, made from the description that the loader checks by;
/// ends with a line feed. scenes/scene.schema.json is this text.
std::string scene_json_schema();

}  // namespace roundel
