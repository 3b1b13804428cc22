#pragma once
#include <cstddef>
#include <vector>

#include "renderer/generate/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// How many columns the array of a scene's circles has: x, y, z, radius; red, green, blue, unless
/// all layers are snow; with `all` always these and alpha, and where there are strokes the inner
/// radius of each circle's.
std::size_t circle_columns(const Scene& scene, bool all);

/// Rows [count][columns] of circles in scene space. Colours are the scene file's where the scene's
/// blend space is kDisplay.
std::vector<float> circle_rows(const Scene& scene, const Circles& circles, std::size_t columns);

}  // namespace roundel
