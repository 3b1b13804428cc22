#pragma once
#include <string>
#include <vector>

#include "renderer/raster/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

struct NamedScene {
  std::string name;     ///< of letters, digits and '_'
  ImageSettings image;  ///< small
  Circles circles;      ///< in frame space
};

/// Scenes made to break renderers, hostile sizes, positions, radii and alphas, both shaders, every
/// kind of background and blend space; then every classic scene at 256×256, the animated ones some
/// way into their motion. About 130 MB.
std::vector<NamedScene> selftest_scenes();

}  // namespace roundel
