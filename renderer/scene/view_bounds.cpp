#include "renderer/scene/view_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace roundel {

SceneBounds view_bounds(const Scene& scene) {
  const double half_height = 0.5 / scene.view.zoom;
  const double half_width = half_height * scene.image.frame_width() / scene.image.frame_height();
  SceneBounds bounds{scene.view.center_x - half_width, scene.view.center_x + half_width,
                     scene.view.center_y - half_height, scene.view.center_y + half_height};
  const std::optional<SceneBounds> requested = requested_window(scene);
  if (!requested) return bounds;
  // Replaces an edge that equals the window's number up to rounding by that number.
  const auto take = [&](double& edge, double number) {
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
    const double magnitude = std::max({std::fabs(number), half_width, half_height});
    if (std::fabs(edge - number) <= kRounding * magnitude) edge = number;
  };
  take(bounds.left, requested->left);
  take(bounds.right, requested->right);
  take(bounds.bottom, requested->bottom);
  take(bounds.top, requested->top);
  return bounds;
}

SceneBounds picture_bounds(const Scene& scene) {
  const SceneBounds view = view_bounds(scene);
  const ImageSettings& image = scene.image;
  // Position of a line between pixels; exact for the first and last.
  const auto place = [](double low, double high, int line, int lines) {
    return line == lines ? high : low + (high - low) * line / lines;
  };
  const auto x = [&](int column) {
    return place(view.left, view.right, column, image.frame_width());
  };
  const auto y = [&](int row) {
    return scene.view.flip_y ? place(view.top, view.bottom, row, image.frame_height())
                             : place(view.bottom, view.top, row, image.frame_height());
  };
  const double below = y(image.first_row()), above = y(image.first_row() + image.height);
  return {x(image.first_column()), x(image.first_column() + image.width), std::min(below, above),
          std::max(below, above)};
}

}  // namespace roundel
