#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

struct NamedScene {
  std::string name;  ///< of letters, digits and '_'
  Scene scene;
  std::int64_t frame = 0;
};

/// Scenes made to break renderers: hostile sizes, positions, radii and alphas, both shaders, every
/// kind of background and blend space; a few thousand circles each at most but for one. Small
/// images.
std::vector<NamedScene> hostile_scenes();

/// Every classic scene at 256×256, the animated ones some way into their motion.
std::vector<NamedScene> classic_scenes();

/// All of the above.
std::vector<NamedScene> selftest_scenes();

}  // namespace roundel
