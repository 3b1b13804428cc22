#include "renderer/circles/circle_parts.h"

#include <algorithm>

#include "renderer/pixels/srgb.h"

namespace roundel {

double stroke_width(const Scene& scene, const Layer& layer) {
  const LengthUnits units{layer.move.scale * scene.view.zoom,
                          scene.image.px / static_cast<double>(scene.image.frame_height())};
  return units.of(layer.stroke->width);
}

CircleParts::CircleParts(const Scene& scene, const Layer& layer)
    : layer_(layer), parts_(parts_of(layer)), width_(stroke_width(scene, layer)) {
  const Stroke& stroke = *layer.stroke;
  if (stroke.color) {
    const bool is_linear = scene.image.blend_space == BlendSpace::kLinear;
    const auto channel = [&](float c) { return is_linear ? srgb_to_linear(c) : c; };
    stroke_ = {channel(stroke.color->red), channel(stroke.color->green),
               channel(stroke.color->blue), 0};
    has_color_ = true;
  }
  if (stroke.alpha) {
    stroke_.alpha = static_cast<float>(*stroke.alpha * layer.opacity);
    has_alpha_ = true;
  }
}

Shape CircleParts::shape_of(const Shape& circle, std::size_t part) const {
  if (!is_stroke(part)) return circle;
  const double inner = std::max(static_cast<double>(circle.radius) - width_, 0.0);
  return {circle.x, circle.y, static_cast<float>(inner), circle.radius};
}

Paint CircleParts::paint_of(const Shape& circle, const Paint& paint, std::size_t part) const {
  if (!is_stroke(part)) return paint;
  Paint stroke = has_color_ ? stroke_ : paint;
  stroke.alpha = has_alpha_ ? stroke_.alpha : paint.alpha;
  // Circles that must cover nothing.
  if (!(circle.radius * circle.radius > 0)) stroke.alpha = 0;
  return with_style(stroke, layer_.blend, true);
}

void CircleParts::spread(std::size_t first, std::span<Shape> shapes,
                         std::span<Paint> paints) const {
  const std::size_t first_circle = first / parts_;
  const std::size_t circles = (first + shapes.size() + parts_ - 1) / parts_ - first_circle;
  const std::size_t offset = shapes.size() - circles;
  // A circle is overwritten only by its own last part.
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t circle = offset + (first + i) / parts_ - first_circle;
    const Shape shape = shapes[circle];
    shapes[i] = shape_of(shape, first + i);
    if (!paints.empty()) paints[i] = paint_of(shape, Paint(paints[circle]), first + i);
  }
}

}  // namespace roundel
