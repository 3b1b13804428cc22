#pragma once
#include "renderer/circles/circle.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

/// One pixel, composited front to back by the frame contract in the backends' arithmetic, circle by
/// circle.
struct PixelWalk {
  using L = ScalarLanes;
  using State = scalar::ChannelState<L>;

  float x, row, height;      ///< pixel (x, row) of the whole image; rows count from the bottom
  bool antialias;            ///< coverage by area
  bool has_styles;           ///< CircleStyles::any()
  float center_x, center_y;  ///< in frame space
  State state{0, 0, 0, 1, 1, 1};

  static PixelWalk at(int x, int row, const ImageSettings& image) {
    const auto height = static_cast<float>(image.frame_height());
    const float s = 1.0f / height;
    const auto column = static_cast<float>(x + image.first_column());
    const auto line = static_cast<float>(row + image.first_row());
    return {column,
            line,
            height,
            image.antialias,
            image.styles.any(),
            scalar::pixel_center<L>(column, s),
            scalar::pixel_center<L>(line, s)};
  }

  /// Share of the pixel that the circle covers; 0 or 1 without coverage by area.
  float share_of(const Shape& shape, const Paint& paint) const {
    const float disc = share_of_disc(shape, shape.radius);
    if (!has_styles || !is_ring(paint) || disc == 0) return disc;
    return scalar::ring_share<L>(disc, share_of_disc(shape, shape.z));
  }
  bool is_covered_by(const Shape& shape, const Paint& paint) const {
    return share_of(shape, paint) > 0;
  }
  bool has_stopped() const {
    return scalar::max_transmittance<L>(state) <= scalar::kOpaqueTransmittance;
  }

  /// Paint of a circle at this pixel; alpha includes the share.
  struct PixelPaint {
    BlendMode mode;
    BlendColor color;
    float alpha;
  };
  PixelPaint pixel_paint(const Shape& shape, const Paint& paint, float share,
                         const SnowRamp& ramp) const {
    PixelPaint source{has_styles ? blend_mode(paint) : BlendMode::kOver, paint_color(paint),
                      paint.alpha * share};
    if (!has_falloff(paint)) return source;
    const float dx2 = (shape.x - center_x) * (shape.x - center_x);
    const float dy2 = (shape.y - center_y) * (shape.y - center_y);
    const float inverse_r2 = scalar::inverse_square(shape.radius);
    float red = 0, green = 0;
    if (antialias) {
      const auto of_circle =
          scalar::area_falloff<L>(shape.radius * height, peak_alpha(paint), is_soft(paint));
      source.alpha = scalar::area_alpha<L>(of_circle, dx2, dy2, inverse_r2);
      scalar::area_snow_color<L>(ramp, of_circle, dx2, dy2, inverse_r2, red, green);
    } else {
      source.alpha =
          scalar::falloff_alpha<L>(dx2, dy2, inverse_r2, peak_alpha(paint), is_soft(paint));
      scalar::snow_color<L>(ramp, (dx2 + dy2) * inverse_r2, red, green);
    }
    if (is_snow(paint)) source.color = {red, green, 1};
    source.alpha *= share;
    return source;
  }

  void blend(const Shape& shape, const Paint& paint, float share, const SnowRamp& ramp) {
    if (!(share > 0) || has_stopped()) return;
    const PixelPaint source = pixel_paint(shape, paint, share, ramp);
    scalar::composite<L>(state,
                         {source.mode, source.color.red, source.color.green, source.color.blue},
                         source.alpha);
  }

  /// Returns the pixel of a framebuffer; `background` is its row's colour.
  Pixel finish(const ImageSettings& image, const BlendColor& background) const {
    State over = state;
    if (!image.alpha) scalar::add_background<L>(over, background);
    return {over.red, over.green, over.blue, image.alpha ? 1.0f - over.red_transmittance : 1.0f};
  }

 private:
  float share_of_disc(const Shape& shape, float radius) const {
    if (!(radius > 0)) return 0;
    const float d2 = scalar::squared_distance<L>(shape.x - center_x, shape.y - center_y);
    const bool is_inside = d2 <= radius * radius;
    if (!antialias) return is_inside ? 1.0f : 0.0f;
    // Skips most circles: those farther away than the pixel's corners and all rounding.
    const float reach = radius * (1 + 0x1p-10f) + 1 / height;
    if (d2 > reach * reach) return 0;
    return scalar::pixel_share<L>(scalar::area_disc<L>(shape.x, shape.y, radius, height), x, row,
                                  is_inside);
  }
};

}  // namespace roundel
