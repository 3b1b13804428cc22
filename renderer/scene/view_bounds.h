#pragma once
#include "renderer/scene/resolve_scene.h"

namespace roundel {

/// The part of scene space that the whole image shows.
SceneBounds view_bounds(const Scene& scene);
/// The part of scene space that is drawn: the whole image, or the crop.
SceneBounds picture_bounds(const Scene& scene);

}  // namespace roundel
