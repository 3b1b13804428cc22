// Draws circles with Cairo's image backend; see peer.h.
#include <cairo.h>

#include <memory>
#include <numbers>

#include "tools/lab/bench/peer.h"

int main(int argc, char** argv) {
  using roundel::peer::Circle;
  return roundel::peer::time_drawing(argc, argv, [](int side, bool antialias) {
    const std::shared_ptr<cairo_surface_t> surface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side), cairo_surface_destroy);
    return [surface, antialias](const std::vector<Circle>& circles) {
      const std::unique_ptr<cairo_t, void (*)(cairo_t*)> context(cairo_create(surface.get()),
                                                                 cairo_destroy);
      cairo_t* const cairo = context.get();
      cairo_set_antialias(cairo, antialias ? CAIRO_ANTIALIAS_DEFAULT : CAIRO_ANTIALIAS_NONE);
      cairo_set_source_rgb(cairo, 1, 1, 1);
      cairo_paint(cairo);
      for (const Circle& circle : circles) {
        cairo_set_source_rgba(cairo, circle.red, circle.green, circle.blue, roundel::peer::kAlpha);
        cairo_arc(cairo, circle.x, circle.y, circle.radius, 0, 2 * std::numbers::pi);
        cairo_fill(cairo);
      }
      cairo_surface_flush(surface.get());
    };
  });
}
