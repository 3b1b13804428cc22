#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "renderer/format/format_errors.h"
#include "renderer/format/yaml_tree.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// Puts the values of a scene's `vars`, or those set instead, where $name stands, and into ${name}
/// in the texts of `data`, `dataset` and `output`; $$ becomes a dollar. What is replaced keeps the
/// place of the value in the file, or of $name where the command line has the value. Adds unknown
/// and unused vars to `errors`; nodes with an unknown one become kUnknown. Throws Error(kUsage) for
/// settings of `file` that name no var or, where they have no place, are no value.
void replace_vars(YamlTree& tree, const std::string& file, const std::vector<VarSetting>& settings,
                  FormatErrors& errors);

/// The names of the vars that a scene file declares. Throws Error(kInvalidScene) for a text that is
/// no YAML.
std::vector<std::string> var_names(std::string_view text, const std::string& file);

}  // namespace roundel
