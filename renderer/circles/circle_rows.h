#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "renderer/circles/generate.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Number of columns: x, y, z, radius; red, green and blue unless all layers are snow. `all`:
/// always colours and alpha, and with strokes the inner radius.
std::size_t circle_columns(const Scene& scene, bool all);

/// Bytes per circle in circle_rows().
std::size_t circle_row_bytes(const Scene& scene, bool all);

/// [count][columns].
using CircleRows = std::variant<std::vector<float>, std::vector<double>>;

/// A frame's circles in scene space. Colours are the scene file's if the blend space is kDisplay.
/// Values are float; double with `all` if the view moves circles in binary64: in layers with a
/// move, a map, wider data or has_double_centers(). Drawing the rows under the same view gives the
/// same picture. `buffer` keeps circles that are made.
CircleRows circle_rows(const Scene& scene, CircleSource& source, std::int64_t frame, bool all,
                       Circles& buffer);

}  // namespace roundel
