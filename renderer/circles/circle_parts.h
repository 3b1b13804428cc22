#pragma once
#include <cstddef>
#include <span>

#include "renderer/circles/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Width in frame space.
double stroke_width(const Scene& scene, const Layer& layer);

/// Fills and strokes of a layer's circles, in frame space, with finished paints. A circle has both
/// (the fill first, then its stroke, a ring) or one.
class CircleParts {
 public:
  CircleParts(const Scene& scene, const Layer& layer);

  /// Writes parts first .. first + shapes.size() − 1, from the circles at the ends of the spans.
  /// Circle i's first part is parts_of(layer)·i. `paints` may be empty.
  void spread(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;

 private:
  bool is_stroke(std::size_t part) const { return part % parts_ == parts_ - 1; }
  Shape shape_of(const Shape& circle, std::size_t part) const;
  Paint paint_of(const Shape& circle, const Paint& paint, std::size_t part) const;

  const Layer& layer_;
  std::size_t parts_;
  double width_;
  bool has_color_ = false, has_alpha_ = false;
  Paint stroke_{};
};

}  // namespace roundel
