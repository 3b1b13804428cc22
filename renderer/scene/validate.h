#pragma once
#include "renderer/scene/scene_errors.h"
#include "renderer/scene/spec.h"
#include "renderer/scene/yaml_tree.h"

namespace roundel {

/// Adds everything in which `node` differs from `spec` to `errors`, and marks the nodes concerned,
/// and those above them, as not valid.
void validate(YamlNode node, const Spec& spec, SceneErrors& errors);

/// What stands at a node, for "got …": nothing, 12, "text", a list of 3 items, a map.
std::string got(YamlNode node);

}  // namespace roundel
