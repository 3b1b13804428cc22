#pragma once
#include <filesystem>
#include <string>

#include "renderer/scene/load_scene.h"
#include "tests/testing.h"

namespace roundel {

inline const std::filesystem::path kSceneFolder =
    std::filesystem::path(ROUNDEL_SOURCE_DIR) / "scenes";

inline std::string parse_error(const std::string& text, const std::string& path = "s.yaml") {
  return message_of([&] { parse_scene(text, path); });
}

}  // namespace roundel
