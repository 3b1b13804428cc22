#pragma once
#include <cstddef>
#include <span>

#include "renderer/circles/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Width of the layer's stroke in frame space.
double stroke_width(const Scene& scene, const Layer& layer);

/// The drawn parts of a layer's circles: for each the fill, then its stroke, a ring; or one of
/// them. Circles are in frame space, and their paints finished.
class CircleParts {
 public:
  CircleParts(const Scene& scene, const Layer& layer);

  /// Writes shapes.size() parts from number `first` of the layer on. Their circles lie at the ends
  /// of the spans; circle i has the parts from parts_of(layer)·i on. `paints` may be empty.
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
