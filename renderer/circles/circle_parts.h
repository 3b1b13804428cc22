#pragma once
#include <cstddef>
#include <span>

#include "renderer/circles/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Width in frame space.
double stroke_width(const Scene& scene, const Layer& layer);

/// Drawn parts of a layer's circles in frame space, with finished paints: for each the fill, then
/// its stroke, a ring; or one of them.
class CircleParts {
 public:
  CircleParts(const Scene& scene, const Layer& layer);

  /// Writes shapes.size() parts from number `first` on, from circles at the ends of the spans.
  /// Circle i has parts parts_of(layer)·i and following. `paints` may be empty.
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
