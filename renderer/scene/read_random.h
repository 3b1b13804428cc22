#pragma once
#include <string>

#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Reads what a random layer says of its circles. What contradicts itself goes to `errors`.
RandomSource read_random(PartlyValidNode node, const std::string& layer_path, FormatErrors& errors);

}  // namespace roundel
