#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene_film.h"
#include "tools/roundel/cli/common_options.h"

namespace roundel {

/// What a film is made of.
struct FilmInput {
  const std::string& scene;                  ///< path
  const std::string& each;                   ///< path of a table; may be empty
  const std::optional<std::string>& output;  ///< pattern or folder; else the scene's own
};

/// load_scene(), settled() for the frames; but a path with a frame number as ####, %04d or
/// {frame:04}, under which there is no file, stands for a scene file a frame, and with a table each
/// row is a frame. What is returned is then that of the first of the frames. Throws what
/// load_scene() and SceneTable do, the former for all frames where the first one's is not sound,
/// and Error(kUsage) without a list of frames for files.
Scene load_film(const FilmInput& input, const SceneOverrides& overrides,
                const FramesOption& frames);

/// Loads the scenes of all these frames, of files or of rows, in parallel, keeps them as long as
/// there is room, and returns the files that they read. Throws Error(kInvalidScene) with what is
/// wrong with any of them, one a line: what load_scene() throws, pictures that are not like those
/// of `film`.
std::vector<std::string> check_scenes(const Scene& film, const FrameList& frames);

}  // namespace roundel
