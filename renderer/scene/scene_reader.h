#pragma once
#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// Turns what is valid of a tree into a Scene; opens data files. What is not is left at its
/// default, so that everything else is still checked: problems that the format's description cannot
/// express (keys that depend on each other, data files, totals) are added to `errors`. The scene is
/// of use only if there are no errors.
Scene read_scene(PartlyValidNode root, const std::string& path, const SceneOverrides& overrides,
                 FormatErrors& errors);

}  // namespace roundel
