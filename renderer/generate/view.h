#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "renderer/generate/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Moves a circle from scene space into the frame space of a width × height image, in binary64,
/// rounded once. For a square image and the default view that is the identity, bit for bit.
inline Shape to_frame_space(const Shape& shape, const View& view, int width, int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  if (view.flip_y)
    return {
        static_cast<float>(
            std::fma(static_cast<double>(shape.x) - view.center_x, view.zoom, half_width)),
        static_cast<float>(std::fma(view.center_y - static_cast<double>(shape.y), view.zoom, 0.5)),
        shape.z, static_cast<float>(static_cast<double>(shape.radius) * view.zoom)};
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

/// The same for centres in binary64: they are rounded once, after the view, so that neighbours far
/// from the origin or in a deep zoom keep their places.
class FrameMove {
 public:
  /// Nowhere: numbers are rounded.
  FrameMove() = default;
  FrameMove(const View& view, int width, int height)
      : x_(move_of(view.center_x, 0.5 * static_cast<double>(width) / static_cast<double>(height),
                   view.zoom, 1)),
        y_(move_of(view.center_y, 0.5, view.zoom, view.flip_y ? -1 : 1)) {}

  float x(double value) const { return x_(value); }
  float y(double value) const { return y_(value); }

 private:
  struct Axis {
    bool moves = false;
    double center = 0, middle = 0, zoom = 1;
    float operator()(double value) const {
      return static_cast<float>(moves ? std::fma(value - center, zoom, middle) : value);
    }
  };
  // A mirrored axis has a negative zoom: that changes signs, no digits.
  static Axis move_of(double center, double middle, double zoom, double sign) {
    return {zoom * sign != 1 || center != middle, center, middle, zoom * sign};
  }
  Axis x_, y_;
};

/// As large as radii in frame space can be without layers that scale: their squares are finite.
inline constexpr double kMaxFrameRadius = kMaxCoordinate * kMaxZoom;

/// Moves a layer's circles from its own space to scene space or, with `by_view`, to the frame space
/// of the scene's image.
inline void move_circles(const Scene& scene, const Layer& layer, bool by_view,
                         std::span<Shape> shapes) {
  const int width = scene.image.frame_width(), height = scene.image.frame_height();
  by_view &= !is_identity(scene.view, width, height);
  if (layer.move.is_identity()) {
    if (!by_view) return;
    for (Shape& shape : shapes) shape = to_frame_space(shape, scene.view, width, height);
    return;
  }
  const PointMove in_scene(layer.move);
  const FrameMove in_frame = by_view ? FrameMove(scene.view, width, height) : FrameMove();
  const double growth = layer.move.scale * (by_view ? scene.view.zoom : 1);
  for (Shape& shape : shapes) {
    const auto [x, y] = in_scene(static_cast<double>(shape.x), static_cast<double>(shape.y));
    const double radius = std::min(static_cast<double>(shape.radius) * growth, kMaxFrameRadius);
    shape = {in_frame.x(x), in_frame.y(y), shape.z, static_cast<float>(radius)};
  }
}

/// A circle in scene space, for people to read.
struct SceneShape {
  double x, y, z, radius;
};

/// The way back; a circle's old numbers but for the rounding of frame space.
inline SceneShape to_scene_space(const Shape& shape, const View& view, int width, int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  return {
      (static_cast<double>(shape.x) - half_width) / view.zoom + view.center_x,
      (static_cast<double>(shape.y) - 0.5) / (view.flip_y ? -view.zoom : view.zoom) + view.center_y,
      static_cast<double>(shape.z), static_cast<double>(shape.radius) / view.zoom};
}

}  // namespace roundel
