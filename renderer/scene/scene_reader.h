#pragma once
#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// Turns the valid part of a tree into a Scene; opens data files. Invalid parts get defaults, so
/// that all others are still checked. Adds problems beyond the format's description (dependent
/// keys, data files, totals) to `errors`. The scene is usable only without errors.
Scene read_scene(PartlyValidNode root, const std::string& path, const SceneOverrides& overrides,
                 FormatErrors& errors);

}  // namespace roundel
