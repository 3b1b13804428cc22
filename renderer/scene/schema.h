#pragma once
#include <string>

#include "renderer/scene/spec.h"

namespace roundel {

/// The JSON Schema (draft 7) of scene files, made from the description that the loader checks by;
/// ends with a line feed. scenes/scene.schema.json is this text.
std::string scene_json_schema();

/// That of another format that validate() checks, without vars.
std::string json_schema(const Spec& spec, const char* title, const char* description);

}  // namespace roundel
