#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene_film.h"
#include "tools/roundel/cli/common_options.h"

namespace roundel {

struct FilmInput {
  const std::string& scene;                  ///< path
  const std::string& each;                   ///< path of a table; may be empty
  const std::optional<std::string>& output;  ///< pattern or folder; default: the scene's own
};

/// Returns load_scene(), restricted_to() for the frames. A path with a frame number, ####, %04d or
/// {frame:04}, that names no file stands for a scene file for each frame; with a table each row is
/// a frame; the returned scene is the first frame's. Throws what load_scene() and SceneTable throw,
/// for all frames if the first one is invalid, and Error(kUsage) if files come without a list of
/// frames.
Scene load_film(const FilmInput& input, const SceneOverrides& overrides,
                const FramesOption& frames);

/// Loads the scenes of all these frames in parallel, keeps them as far as they fit in memory, and
/// returns the files that they read. Throws Error(kInvalidScene) with all problems, one a line:
/// those of load_scene(), and pictures that do not match `film`.
std::vector<std::string> check_scenes(const Scene& film, const FrameList& frames);

}  // namespace roundel
