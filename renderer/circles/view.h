#pragma once
#include <cmath>
#include <span>

#include "renderer/base/host_device.h"
#include "renderer/circles/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Moves from scene space to the frame space of a width × height image, in binary64, rounded once.
/// The identity, bit for bit, for a square image and the default view.
ROUNDEL_HOST_DEVICE inline Shape to_frame_space(const Shape& shape, const View& view, int width,
                                                int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  if (view.flip_y)
    return {
        static_cast<float>(
            std::fma(static_cast<double>(shape.x) - view.center_x, view.zoom, half_width)),
        static_cast<float>(std::fma(view.center_y - static_cast<double>(shape.y), view.zoom, 0.5)),
        shape.z, static_cast<float>(static_cast<double>(shape.radius) * view.zoom)};
  if (view.zoom == 1) {
    // A zero offset adds nothing: exact for small coordinates, too.
    return {static_cast<float>(static_cast<double>(shape.x) + (half_width - view.center_x)),
            static_cast<float>(static_cast<double>(shape.y) + (0.5 - view.center_y)), shape.z,
            shape.radius};
  }
  // Subtracting first keeps the digits that matter at a deep zoom.
  return {
      static_cast<float>(
          std::fma(static_cast<double>(shape.x) - view.center_x, view.zoom, half_width)),
      static_cast<float>(std::fma(static_cast<double>(shape.y) - view.center_y, view.zoom, 0.5)),
      shape.z, static_cast<float>(static_cast<double>(shape.radius) * view.zoom)};
}

/// Moves a layer's points to scene space, and turns them as the view does.
inline PointMove turned_move(const LayerMove& move, const View& view) {
  return {move, view.scene_rotate(), {view.center_x, view.center_y}};
}

/// Moves binary64 centres, rounded once, after the view: neighbours far from the origin or at a
/// deep zoom stay apart.
class FrameMove {
 public:
  /// The identity, with rounding.
  FrameMove() = default;
  FrameMove(const View& view, int width, int height)
      : x_(move_of(view.center_x, 0.5 * static_cast<double>(width) / static_cast<double>(height),
                   view.zoom, 1)),
        y_(move_of(view.center_y, 0.5, view.zoom, view.flip_y ? -1 : 1)) {}

  ROUNDEL_HOST_DEVICE float x(double value) const { return x_(value); }
  ROUNDEL_HOST_DEVICE float y(double value) const { return y_(value); }

  bool operator==(const FrameMove&) const = default;

 private:
  struct Axis {
    bool moves = false;
    double center = 0, middle = 0, zoom = 1;
    bool operator==(const Axis&) const = default;
    ROUNDEL_HOST_DEVICE float operator()(double value) const {
      return static_cast<float>(moves ? std::fma(value - center, zoom, middle) : value);
    }
  };
  // A mirrored axis has a negative zoom, which changes only signs.
  static Axis move_of(double center, double middle, double zoom, double sign) {
    return {zoom * sign != 1 || center != middle, center, middle, zoom * sign};
  }
  Axis x_, y_;
};

/// Maximum without layers that scale; its square is finite.
inline constexpr double kMaxFrameRadius = kMaxCoordinate * kMaxZoom;

/// Moves a layer's circles to scene space or, `by_view`, to the frame space of the scene's image.
class CircleMove {
 public:
  /// The identity.
  CircleMove() = default;
  CircleMove(const Scene& scene, const LayerMove& move, bool by_view)
      : view_(scene.view),
        width_(scene.image.frame_width()),
        height_(scene.image.frame_height()),
        in_scene_(by_view ? turned_move(move, scene.view) : PointMove(move)),
        moves_in_scene_(!in_scene_.is_identity()),
        moves_in_frame_(by_view && !roundel::is_identity(view_, width_, height_)) {
    if (moves_in_frame_) in_frame_ = FrameMove(view_, width_, height_);
    growth_ = move.scale * (moves_in_frame_ ? view_.zoom : 1);
  }
  /// From pixels of the scene's image to its frame space, without the view.
  static CircleMove on_screen(const ImageSettings& image) {
    CircleMove move;
    move.growth_ = image.px / static_cast<double>(image.frame_height());
    move.in_scene_ = PointMove({.scale = move.growth_});
    move.moves_in_scene_ = !move.in_scene_.is_identity();
    return move;
  }

  bool is_identity() const { return !moves_in_scene_ && !moves_in_frame_; }
  ROUNDEL_HOST_DEVICE Shape operator()(const Shape& shape) const {
    if (!moves_in_scene_)
      return moves_in_frame_ ? to_frame_space(shape, view_, width_, height_) : shape;
    return at(static_cast<double>(shape.x), static_cast<double>(shape.y), shape);
  }
  /// Moves with this centre instead of the shape's; rounds once.
  ROUNDEL_HOST_DEVICE Shape at(double center_x, double center_y, const Shape& shape) const {
    const auto [x, y] = in_scene_(center_x, center_y);
    const double grown = static_cast<double>(shape.radius) * growth_;
    const double radius = grown > kMaxFrameRadius ? kMaxFrameRadius : grown;
    return {in_frame_.x(x), in_frame_.y(y), shape.z, static_cast<float>(radius)};
  }
  bool operator==(const CircleMove&) const = default;

 private:
  View view_;
  int width_ = 1, height_ = 1;
  PointMove in_scene_{LayerMove()};
  FrameMove in_frame_;
  double growth_ = 1;
  bool moves_in_scene_ = false, moves_in_frame_ = false;
};

inline void move_circles(const CircleMove& move, std::span<Shape> shapes) {
  if (move.is_identity()) return;
  for (Shape& shape : shapes) shape = move(shape);
}

/// An unrounded centre.
struct ScenePoint {
  double x, y;
};

/// A circle for people to read.
struct SceneShape {
  double x, y, z, radius;
};

/// Inverse of the view, except for its rounding.
inline SceneShape to_scene_space(const SceneShape& shape, const View& view, int width, int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  const double x = (shape.x - half_width) / view.zoom + view.center_x;
  const double y = (shape.y - 0.5) / (view.flip_y ? -view.zoom : view.zoom) + view.center_y;
  const PointMove back({}, -view.scene_rotate(), {view.center_x, view.center_y});
  const auto [scene_x, scene_y] = back(x, y);
  return {scene_x, scene_y, shape.z, shape.radius / view.zoom};
}
inline SceneShape to_scene_space(const Shape& shape, const View& view, int width, int height) {
  return to_scene_space(SceneShape{static_cast<double>(shape.x), static_cast<double>(shape.y),
                                   static_cast<double>(shape.z), static_cast<double>(shape.radius)},
                        view, width, height);
}

}  // namespace roundel
