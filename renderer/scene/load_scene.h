#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/scene/scene.h"

namespace roundel {

/// What the command line says instead of the scene file.
struct SceneOverrides {
  std::optional<int> width, height;
  std::optional<std::uint32_t> seed;
};

/// Reads and checks a scene file and the headers of its data files.
/// Throws Error(kInvalidScene) with every problem found, one a line, each
/// "FILE:LINE:COLUMN: KEY.PATH: expected …, got …"; Error(kRuntimeFailure) if the file cannot be
/// read for another reason than not existing. Error(kUsage) for a size on the command line that is
/// out of range.
Scene load_scene(const std::string& path, const SceneOverrides& overrides = {});

/// The same for the text of a scene file; `path` is for messages and the place of data files.
Scene parse_scene(std::string_view text, const std::string& path,
                  const SceneOverrides& overrides = {});

}  // namespace roundel
