#pragma once
#include <string>

#include "renderer/format/spec.h"

namespace roundel {

/// Returns the JSON Schema (draft 7) of a format that validate() checks, with a final line feed.
/// `has_vars`: a value may also be the name of a var, as "$speed".
std::string json_schema(const Spec& spec, const char* title, const char* description,
                        bool has_vars = false);

}  // namespace roundel
