#include "renderer/generate/classic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/error.h"

namespace roundel {
namespace {

constexpr std::array<ClassicScene, 14> kScenes = {{
    {"rgb", 3, Shader::kSolid, make_rgb},
    {"rgby", 4, Shader::kSolid, make_rgby},
    {"rand10k", 10'000, Shader::kSolid, make_rand10k},
    {"rand100k", 100'000, Shader::kSolid, make_rand100k},
    {"rand1M", 1'000'000, Shader::kSolid, make_rand_1m},
    {"micro2M", 2'000'000, Shader::kSolid, make_micro_2m},
    {"biglittle", 10'000, Shader::kSolid, make_biglittle},
    {"littlebig", 10'000, Shader::kSolid, make_littlebig},
    {"pattern", 1'217, Shader::kSolid, make_pattern},
    {"snow", 100'000, Shader::kSnow, make_snow},
    {"snowsingle", 100'000, Shader::kSnow, make_snowsingle},
    {"bouncingballs", 10, Shader::kSolid, make_bouncingballs},
    {"hypnosis", 25, Shader::kSolid, make_hypnosis},
    {"fireworks", 315, Shader::kSolid, make_fireworks},
}};

}  // namespace

std::span<const ClassicScene> classic_scenes() {
  return kScenes;
}

const ClassicScene* find_classic(std::string_view name) {
  const auto* found = std::find_if(kScenes.begin(), kScenes.end(),
                                   [&](const ClassicScene& scene) { return name == scene.name; });
  return found == kScenes.end() ? nullptr : found;
}

const ClassicScene& classic_scene(std::string_view name) {
  const ClassicScene* scene = find_classic(name);
  if (scene == nullptr)
    throw Error(ExitCode::kInvalidScene,
                fmt::format("expected the name of a classic scene, got \"{}\"", name));
  return *scene;
}

}  // namespace roundel
