#pragma once
#include <string>
#include <string_view>

#include "renderer/format/yaml_tree.h"

namespace roundel {

/// Reads JSON into a YamlTree. Keys and texts become quoted scalars, numbers and booleans plain
/// ones. Throws InvalidScene "FILE:LINE:COLUMN: …" if the text is not JSON, is nested too deeply or
/// exceeds YamlTree::kMaxFileBytes. `kind` names the expected file.
YamlTree json_tree(std::string_view text, const std::string& file, const char* kind);

}  // namespace roundel
