#pragma once
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// The parts of a scene that depend on the frame, for people: "view: center and zoom", "layers[1]:
/// rotate", "layers[2]: simulated", "layers[3]: a file a frame", "layers[4]: x, y of 40 circles",
/// "layers[5]: x and y of 1,000 rows".
std::vector<std::string> moving_parts(const Scene& scene);

}  // namespace roundel
