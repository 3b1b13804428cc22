#pragma once
#include <string>
#include <string_view>

#include "renderer/format/yaml_tree.h"

namespace roundel {

/// Reads JSON into the tree that YAML is read into. Keys and texts are quoted scalars, numbers and
/// booleans plain ones. Throws InvalidScene "FILE:LINE:COLUMN: …" for what is not JSON, nested too
/// deeply, or larger than YamlTree::kMaxFileBytes. `kind` is what the file should be.
YamlTree json_tree(std::string_view text, const std::string& file, const char* kind);

}  // namespace roundel
