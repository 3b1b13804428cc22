#pragma once
#include "renderer/generate/circle.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

/// One pixel on its way from the front circle to the back, by the frame contract and in its shared
/// arithmetic: what the backends do, one circle at a time.
struct PixelWalk {
  using State = scalar::PixelState<ScalarLanes>;

  float center_x, center_y;  ///< in frame space
  State state{0, 0, 0, 1};

  /// Pixel x of row `row`, counted from the bottom, of an image `height` pixels high.
  static PixelWalk at(int x, int row, int height) {
    const float s = 1.0f / static_cast<float>(height);
    return {scalar::pixel_center<ScalarLanes>(static_cast<float>(x), s),
            scalar::pixel_center<ScalarLanes>(static_cast<float>(row), s)};
  }

  float squared_distance(const Shape& shape) const {
    return scalar::squared_distance<ScalarLanes>(shape.x - center_x, shape.y - center_y);
  }
  bool is_covered_by(const Shape& shape) const {
    return shape.radius > 0 && squared_distance(shape) <= shape.radius * shape.radius;
  }
  bool has_stopped() const { return state.transmittance <= scalar::kOpaqueTransmittance; }
  void blend(const Shape& shape, const Paint& paint, const SnowRamp& ramp) {
    scalar::blend_circle<ScalarLanes>(state, shape.x - center_x, shape.y - center_y, shape.radius,
                                      paint, ramp);
  }

  /// Colour and alpha that a circle shows at this pixel.
  struct Look {
    BlendColor color;
    float alpha;
  };
  Look look_of(const Shape& shape, const Paint& paint, const SnowRamp& ramp) const {
    if (!is_snow(paint)) return {{paint.red, paint.green, paint.blue}, paint.alpha};
    Look look{};
    const float dx = shape.x - center_x, dy = shape.y - center_y;
    scalar::shade_snow<ScalarLanes>(ramp, dx * dx, dy * dy, scalar::inverse_square(shape.radius),
                                    peak_alpha(paint), look.alpha, look.color.red,
                                    look.color.green);
    look.color.blue = 1;
    return look;
  }
};

}  // namespace roundel
