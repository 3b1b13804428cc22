#pragma once
#include <string>

#include "renderer/format/spec.h"

namespace roundel {

/// Returns the format of scene files.
const Spec& scene_spec();

/// Returns its JSON Schema (draft 7); scenes/scene.schema.json is this text.
std::string scene_json_schema();

}  // namespace roundel
