#pragma once
#include <string>

#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Adds contradictions to `errors`.
RandomSource read_random(PartlyValidNode node, const std::string& layer_path, FormatErrors& errors);

}  // namespace roundel
