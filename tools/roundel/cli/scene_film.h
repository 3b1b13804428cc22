#pragma once
#include <string>
#include <vector>

#include "renderer/scene/scene.h"
#include "tools/roundel/cli/common_options.h"

namespace roundel {

/// load_scene(); but a path with a frame number as ####, %04d or {frame:04}, under which there is
/// no file, stands for a scene file a frame. What is returned is then that of the first of
/// `frames`. Throws what load_scene() does, and Error(kUsage) without a list of frames.
Scene load_film(const std::string& path, const SceneOverrides& overrides,
                const FramesOption& frames);

/// Loads the scenes of all these frames of a scene file a frame, in parallel, and returns the files
/// that they read. Throws Error(kInvalidScene) with what is wrong with any of them, one a line: a
/// file that is missing, what load_scene() throws, pictures that are not like those of `film`.
std::vector<std::string> check_scenes(const Scene& film, const FrameList& frames);

}  // namespace roundel
