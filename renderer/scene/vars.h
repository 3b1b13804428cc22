#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/format/format_errors.h"
#include "renderer/format/yaml_tree.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// Replaces $name by the values of `vars` or `settings`, also ${name} inside the texts of `data`,
/// `dataset` and `output`; $$ becomes a dollar. A value keeps its place in the file; a setting gets
/// the place of $name. Adds unknown and unused vars to `errors`; nodes with an unknown one become
/// kUnknown. Throws Error(kUsage) for settings of `file` with an unknown var, and for invalid
/// values without VarSetting::place.
///
/// $frame, unless declared, is the frame's number: `frame`, or the animation's start. Returns true
/// if a value is $frame.
bool replace_vars(YamlTree& tree, const std::string& file, const std::vector<VarSetting>& settings,
                  std::optional<std::int64_t> frame, FormatErrors& errors);

/// Declared vars. Throws Error(kInvalidScene) for invalid YAML.
std::vector<std::string> var_names(std::string_view text, const std::string& file);

}  // namespace roundel
