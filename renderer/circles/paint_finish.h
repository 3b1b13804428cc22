#pragma once
#include <span>

#include "renderer/base/host_device.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/random_circle.h"
#include "renderer/pixels/srgb.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Applies shader, opacity and blend space to paints as written and, for drawing, sets the signs
/// for styles.
class PaintFinish {
 public:
  PaintFinish() = default;
  PaintFinish(const Scene& scene, const Layer& layer, bool to_be_drawn)
      : is_snow_(layer.shader == Shader::kSnow),
        is_soft_(layer.shader == Shader::kSoft),
        is_linear_(scene.image.blend_space == BlendSpace::kLinear),
        has_styles_(to_be_drawn && scene.image.styles.any()),
        blend_(layer.blend),
        // Data layers apply the opacity to solid alphas themselves, which rounds once.
        opacity_(is_snow_ || !std::holds_alternative<DataSource>(layer.source) ? layer.opacity
                                                                               : 1) {}

  bool is_identity() const {
    return !is_snow_ && !is_soft_ && !is_linear_ && !has_styles_ && opacity_ == 1;
  }
  ROUNDEL_HOST_DEVICE void operator()(const Shape& shape, Paint& paint) const {
    if (is_snow_)  // see Paint::alpha
      paint.alpha = shape.radius > kEmptyRadius
                        ? -(.5f * clamp_to_unit(.6f + .4f * (1.0f - shape.z)))
                        : -0.0f;
    if (opacity_ != 1)
      paint.alpha = static_cast<float>(static_cast<double>(paint.alpha) * opacity_);
    if (is_linear_) {
      paint.red = srgb_to_linear(paint.red);
      paint.green = srgb_to_linear(paint.green);
      paint.blue = srgb_to_linear(paint.blue);
    }
    if (has_styles_) paint = with_style(paint, blend_, false);
    if (is_soft_) paint = soft_paint(paint);
    if (is_snow_) paint.blue = std::fabs(paint.blue);
  }
  void operator()(std::span<const Shape> shapes, std::span<Paint> paints) const {
    if (is_identity()) return;
    const PaintFinish finish = *this;  // in registers: writes cannot change it
    for (std::size_t i = 0; i < paints.size(); ++i) finish(shapes[i], paints[i]);
  }

 private:
  bool is_snow_ = false, is_soft_ = false, is_linear_ = false, has_styles_ = false;
  BlendMode blend_ = BlendMode::kOver;
  double opacity_ = 1;
};

}  // namespace roundel
