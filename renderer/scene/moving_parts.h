#pragma once
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// The parts of a scene that depend on the frame, for people: "view: center and zoom", "layers[1]:
/// rotate", "layers[2]: simulated", "layers[3]: a file a frame, x and y of 40 circles".
std::vector<std::string> moving_parts(const Scene& scene);

}  // namespace roundel
