#pragma once
#include <string>

#include "renderer/scene/scene.h"
#include "renderer/scene/scene_errors.h"
#include "renderer/scene/valid_node.h"

namespace roundel {

/// Reads what a random layer says of its circles. What contradicts itself goes to `errors`.
RandomSource read_random(PartlyValidNode node, const std::string& layer_path, SceneErrors& errors);

}  // namespace roundel
