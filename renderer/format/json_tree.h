#pragma once
#include <string>
#include <string_view>

#include "renderer/format/yaml_tree.h"

namespace roundel {

/// Reads JSON: keys and texts become quoted scalars, numbers and booleans plain ones. Throws
/// InvalidScene "FILE:LINE:COLUMN: …" for other texts, too deep nesting or more than
/// YamlTree::kMaxFileBytes. `kind` names the expected file.
YamlTree json_tree(std::string_view text, const std::string& file, const char* kind);

}  // namespace roundel
