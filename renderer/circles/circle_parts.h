#pragma once
#include <cstddef>
#include <span>

#include "renderer/circles/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Of the layer's stroke, in frame space.
double stroke_width(const Scene& scene, const Layer& layer);

/// What is drawn of a layer's circles: the fill of each, then its stroke, a ring; or one of them.
/// Circles are in frame space, and their paints finished.
class CircleParts {
 public:
  CircleParts(const Scene& scene, const Layer& layer);

  /// Writes the parts from number `first` of the layer on, as many as there are shapes, whose
  /// circles lie at the spans' ends; those of circle i are parts_of(layer)·i and the next. Without
  /// paints these are left out.
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
