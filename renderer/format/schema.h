#pragma once
#include <string>

#include "renderer/format/spec.h"

namespace roundel {

/// JSON Schema (draft 7) of a format; ends with a line feed. `has_vars`: values may be names of
/// vars, as "$speed".
std::string json_schema(const Spec& spec, const char* title, const char* description,
                        bool has_vars = false);

}  // namespace roundel
