#pragma once
#include <cmath>
#include <span>

#include "renderer/generate/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Moves a circle from scene space into the frame space of a width × height image, in binary64,
/// rounded once. For a square image and the default view that is the identity, bit for bit.
inline Shape to_frame_space(const Shape& shape, const View& view, int width, int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  if (view.zoom == 1) {
    // Exact for small coordinates too: nothing is added when the offset is zero.
    return {static_cast<float>(static_cast<double>(shape.x) + (half_width - view.center_x)),
            static_cast<float>(static_cast<double>(shape.y) + (0.5 - view.center_y)), shape.z,
            shape.radius};
  }
  // The difference first: at a deep zoom it keeps the digits that matter.
  return {
      static_cast<float>(
          std::fma(static_cast<double>(shape.x) - view.center_x, view.zoom, half_width)),
      static_cast<float>(std::fma(static_cast<double>(shape.y) - view.center_y, view.zoom, 0.5)),
      shape.z, static_cast<float>(static_cast<double>(shape.radius) * view.zoom)};
}

/// The same for a circle whose centre (x, y) is in binary64: that is rounded once, after the view,
/// so that neighbours far from the origin or in a deep zoom keep their places. `shape` has z and
/// the radius.
inline Shape to_frame_space(double x, double y, const Shape& shape, const View& view, int width,
                            int height) {
  const auto moved = [zoom = view.zoom](double value, double center, double middle) {
    if (zoom == 1 && center == middle) return static_cast<float>(value);
    return static_cast<float>(std::fma(value - center, zoom, middle));
  };
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  return {moved(x, view.center_x, half_width), moved(y, view.center_y, 0.5), shape.z,
          static_cast<float>(static_cast<double>(shape.radius) * view.zoom)};
}

/// Moves circles from scene space to the frame space of the scene's image.
inline void apply_view(const Scene& scene, std::span<Shape> shapes) {
  const int width = scene.image.width, height = scene.image.height;
  if (is_identity(scene.view, width, height)) return;
  for (Shape& shape : shapes) shape = to_frame_space(shape, scene.view, width, height);
}

/// A circle in scene space, for people to read.
struct SceneShape {
  double x, y, z, radius;
};

/// The way back; a circle's old numbers but for the rounding of frame space.
inline SceneShape to_scene_space(const Shape& shape, const View& view, int width, int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  return {(static_cast<double>(shape.x) - half_width) / view.zoom + view.center_x,
          (static_cast<double>(shape.y) - 0.5) / view.zoom + view.center_y,
          static_cast<double>(shape.z), static_cast<double>(shape.radius) / view.zoom};
}

}  // namespace roundel
