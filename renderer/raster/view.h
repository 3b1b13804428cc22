#pragma once
#include <cmath>

#include "renderer/raster/circle.h"
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

/// The way back, for people to read: rounded again, so that a circle need not have its old bits.
inline Shape to_scene_space(const Shape& shape, const View& view, int width, int height) {
  const double half_width = 0.5 * static_cast<double>(width) / static_cast<double>(height);
  return {
      static_cast<float>((static_cast<double>(shape.x) - half_width) / view.zoom + view.center_x),
      static_cast<float>((static_cast<double>(shape.y) - 0.5) / view.zoom + view.center_y), shape.z,
      static_cast<float>(static_cast<double>(shape.radius) / view.zoom)};
}

/// True when to_frame_space changes nothing.
inline bool is_identity(const View& view, int width, int height) {
  return view.zoom == 1 && view.center_y == 0.5 &&
         view.center_x == 0.5 * static_cast<double>(width) / static_cast<double>(height);
}

}  // namespace roundel
