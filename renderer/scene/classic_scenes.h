#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// A classic scene of the Stanford CS149 / CMU 15-418 circle renderer.
struct ClassicScene {
  const char* name;
  std::uint64_t count;  ///< circles
  Shader shader;        ///< default
  bool is_simulated = false;
};

inline constexpr std::array<ClassicScene, 14> kClassicScenes = {{
    {"rgb", 3, Shader::kSolid},
    {"rgby", 4, Shader::kSolid},
    {"rand10k", 10'000, Shader::kSolid},
    {"rand100k", 100'000, Shader::kSolid},
    {"rand1M", 1'000'000, Shader::kSolid},
    {"micro2M", 2'000'000, Shader::kSolid},
    {"biglittle", 10'000, Shader::kSolid},
    {"littlebig", 10'000, Shader::kSolid},
    {"pattern", 1'217, Shader::kSolid},
    {"snow", 100'000, Shader::kSnow, true},
    {"snowsingle", 100'000, Shader::kSnow},
    {"bouncingballs", 10, Shader::kSolid, true},
    {"hypnosis", 25, Shader::kSolid, true},
    {"fireworks", 315, Shader::kSolid, true},
}};

/// Returns null for an unknown name.
constexpr const ClassicScene* find_classic(std::string_view name) {
  for (const ClassicScene& scene : kClassicScenes)
    if (name == scene.name) return &scene;
  return nullptr;
}
/// Compiles for known names only.
consteval std::uint64_t classic_count(std::string_view name) {
  return find_classic(name)->count;
}

/// Throws Error(kInvalidScene) for an unknown name.
const ClassicScene& classic_scene(std::string_view name);

/// Values of `generator:`.
std::vector<std::string> classic_names();

}  // namespace roundel
