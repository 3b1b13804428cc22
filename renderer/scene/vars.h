#pragma once
#include <string>
#include <vector>

#include "renderer/scene/load_scene.h"
#include "renderer/scene/scene_errors.h"
#include "renderer/scene/yaml_tree.h"

namespace roundel {

/// Puts the values of a scene's `vars`, or those set instead, where $name stands, and into ${name}
/// in the texts of `data`, `dataset` and `output`; $$ becomes a dollar. What is replaced keeps the
/// place of the value in the file, or of $name where the command line has the value. Adds unknown
/// and unused vars to `errors`; nodes with an unknown one become kUnknown. Throws Error(kUsage) for
/// settings of `file` that are no value or name no var.
void replace_vars(YamlTree& tree, const std::string& file, const std::vector<VarSetting>& settings,
                  SceneErrors& errors);

}  // namespace roundel
