#pragma once
#include "renderer/generate/circle.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

/// One pixel on its way from the front circle to the back, by the frame contract and in its shared
/// arithmetic: what the backends do, one circle at a time.
struct PixelWalk {
  using State = scalar::PixelState<ScalarLanes>;

  float x, row, height;      ///< pixel x of row `row`, from the bottom, of the whole image
  bool antialias;            ///< coverage by area
  float center_x, center_y;  ///< in frame space
  State state{0, 0, 0, 1};

  static PixelWalk at(int x, int row, const ImageSettings& image) {
    const auto height = static_cast<float>(image.frame_height());
    const float s = 1.0f / height;
    const auto column = static_cast<float>(x + image.first_column());
    const auto line = static_cast<float>(row + image.first_row());
    return {column,
            line,
            height,
            image.antialias,
            scalar::pixel_center<ScalarLanes>(column, s),
            scalar::pixel_center<ScalarLanes>(line, s)};
  }

  float squared_distance(const Shape& shape) const {
    return scalar::squared_distance<ScalarLanes>(shape.x - center_x, shape.y - center_y);
  }
  /// How much of the pixel the circle covers: nothing or all without coverage by area.
  float share_of(const Shape& shape) const {
    if (!(shape.radius > 0)) return 0;
    const bool is_inside = squared_distance(shape) <= shape.radius * shape.radius;
    if (!antialias) return is_inside ? 1.0f : 0.0f;
    // Most circles are farther away than the pixel's corners and all rounding.
    const float reach = shape.radius * (1 + 0x1p-10f) + 1 / height;
    if (squared_distance(shape) > reach * reach) return 0;
    return scalar::pixel_share<ScalarLanes>(
        scalar::area_disc<ScalarLanes>(shape.x, shape.y, shape.radius, height), x, row, is_inside);
  }
  bool is_covered_by(const Shape& shape) const { return share_of(shape) > 0; }
  bool has_stopped() const { return state.transmittance <= scalar::kOpaqueTransmittance; }
  void blend(const Shape& shape, const Paint& paint, const SnowRamp& ramp) {
    const float dx = shape.x - center_x, dy = shape.y - center_y;
    if (antialias)
      scalar::blend_share<ScalarLanes>(state, share_of(shape), dx, dy, shape.radius, height, paint,
                                       ramp);
    else
      scalar::blend_circle<ScalarLanes>(state, dx, dy, shape.radius, paint, ramp);
  }

  /// Colour and alpha that a circle shows at this pixel, the share of it included.
  struct Look {
    BlendColor color;
    float alpha;
  };
  Look look_of(const Shape& shape, const Paint& paint, const SnowRamp& ramp) const {
    const float share = share_of(shape);
    if (!is_snow(paint)) return {{paint.red, paint.green, paint.blue}, paint.alpha * share};
    Look look{};
    const float dx = shape.x - center_x, dy = shape.y - center_y;
    const float inverse_r2 = scalar::inverse_square(shape.radius);
    look.color.blue = 1;
    if (antialias)
      scalar::shade_area_snow<ScalarLanes>(
          ramp, scalar::area_snow<ScalarLanes>(shape.radius * height, peak_alpha(paint)), dx * dx,
          dy * dy, inverse_r2, look.alpha, look.color.red, look.color.green);
    else
      scalar::shade_snow<ScalarLanes>(ramp, dx * dx, dy * dy, inverse_r2, peak_alpha(paint),
                                      look.alpha, look.color.red, look.color.green);
    look.alpha *= share;
    return look;
  }
};

}  // namespace roundel
