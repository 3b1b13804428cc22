// Draws circles with Anti-Grain Geometry; see peer.h.
#include <agg_ellipse.h>
#include <agg_gamma_functions.h>
#include <agg_pixfmt_rgba.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_rendering_buffer.h>
#include <agg_scanline_u.h>

#include <cstdint>

#include "tools/lab/bench/peer.h"

int main(int argc, char** argv) {
  using roundel::peer::Circle;
  return roundel::peer::time_drawing(argc, argv, [](int side, bool antialias) {
    const auto size = static_cast<unsigned>(side);
    return [size, antialias, bytes = std::vector<std::uint8_t>(std::size_t{4} * size * size)](
               const std::vector<Circle>& circles) mutable {
      agg::rendering_buffer buffer(bytes.data(), size, size, static_cast<int>(4 * size));
      agg::pixfmt_rgba32_pre pixels(buffer);
      agg::renderer_base<agg::pixfmt_rgba32_pre> base(pixels);
      base.clear(agg::rgba8(255, 255, 255));
      agg::rasterizer_scanline_aa<> rasterizer;
      if (!antialias) rasterizer.gamma(agg::gamma_threshold(0.5));
      agg::scanline_u8 scanline;
      for (const Circle& circle : circles) {
        agg::ellipse ellipse(circle.x, circle.y, circle.radius, circle.radius);
        rasterizer.reset();
        rasterizer.add_path(ellipse);
        agg::rgba8 color(agg::rgba(circle.red, circle.green, circle.blue, roundel::peer::kAlpha));
        agg::render_scanlines_aa_solid(rasterizer, scanline, base, color.premultiply());
      }
    };
  });
}
