#pragma once
#include "renderer/scene/scene.h"

namespace roundel {

/// Goes through the data of layers with a map, which completes their maps and counts their
/// circles, then turns the view's window into its centre and zoom. Throws Error(kInvalidScene)
/// with the problems of all layers' data, one a line.
void resolve_scene(Scene& scene);

}  // namespace roundel
