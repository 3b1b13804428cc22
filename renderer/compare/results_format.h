#pragma once
#include <string>

#include "renderer/compare/comparison_run.h"
#include "renderer/format/form.h"

namespace roundel {

/// Paths as in the file, without masks.
const ObjectForm<ComparisonRun>& results_form();
/// Its JSON Schema. scenes/results.schema.json is this text.
std::string results_json_schema();

}  // namespace roundel
