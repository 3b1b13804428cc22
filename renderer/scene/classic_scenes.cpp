#include "renderer/scene/classic_scenes.h"

#include <fmt/format.h>

#include "renderer/base/error.h"

namespace roundel {

const ClassicScene& classic_scene(std::string_view name) {
  const ClassicScene* scene = find_classic(name);
  if (scene == nullptr)
    throw Error(ExitCode::kInvalidScene,
                fmt::format("expected the name of a classic scene, got \"{}\"", name));
  return *scene;
}

std::vector<std::string> classic_names() {
  std::vector<std::string> names;
  names.reserve(kClassicScenes.size());
  for (const ClassicScene& scene : kClassicScenes) names.emplace_back(scene.name);
  return names;
}

}  // namespace roundel
