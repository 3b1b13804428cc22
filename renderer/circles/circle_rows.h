#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "renderer/circles/generate.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// How many columns the array of a scene's circles has: x, y, z, radius; red, green, blue, unless
/// all layers are snow; with `all` always these and alpha, and where there are strokes the inner
/// radius of each circle's.
std::size_t circle_columns(const Scene& scene, bool all);

/// Memory of a circle while circle_rows() makes them, in bytes.
std::size_t circle_row_bytes(const Scene& scene, bool all);

/// Rows [count][columns].
using CircleRows = std::variant<std::vector<float>, std::vector<double>>;

/// A frame's circles in scene space. Colours are the scene file's where the scene's blend space is
/// kDisplay. In binary32, but with `all` in binary64 where the view moves circles that are not
/// binary32 before: those of layers with a move, a map, wider data or has_double_centers(). What is
/// then drawn from the rows under the same view is the same.
CircleRows circle_rows(const Scene& scene, CircleSource& source, std::int64_t frame, bool all,
                       Circles& memory);

}  // namespace roundel
