#include "tools/roundel/commands/selftest_compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/image/compare.h"

namespace roundel {
namespace {

NamedScene with_first_circles(const NamedScene& scene, std::size_t count) {
  NamedScene prefix{scene.name, scene.image, {}};
  prefix.circles.shapes.resize_discard(count);
  prefix.circles.paints.resize_discard(count);
  std::copy_n(scene.circles.shapes.data(), count, prefix.circles.shapes.data());
  std::copy_n(scene.circles.paints.data(), count, prefix.circles.paints.data());
  return prefix;
}

Framebuffer draw_float(Variant& variant, const NamedScene& scene) {
  Framebuffer framebuffer;
  StageStats stats;
  variant.rasterizer->draw(scene.circles, scene.image, framebuffer, stats);
  return framebuffer;
}

std::string pixel_text(const Framebuffer& framebuffer, int x, int y) {
  const Pixel& p =
      framebuffer.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(framebuffer.width) +
                         static_cast<std::size_t>(x)];
  return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}  ({:a} {:a} {:a} {:a})", p.red, p.green, p.blue,
                     p.alpha, p.red, p.green, p.blue, p.alpha);
}

}  // namespace

Drawing draw(Variant& variant, const NamedScene& scene) {
  Drawing drawing{draw_float(variant, scene), {}};
  StageStats stats;
  variant.rasterizer->draw(scene.circles, scene.image, drawing.image, stats);
  return drawing;
}

std::size_t fewest_that_differ(const NamedScene& scene, Variant& reference, Variant& variant) {
  const auto differs = [&](std::size_t count) {
    const NamedScene prefix = with_first_circles(scene, count);
    return !compare(draw_float(reference, prefix), draw_float(variant, prefix)).same();
  };
  if (differs(0)) return 0;
  std::size_t equal = 0, different = scene.circles.count();
  while (different - equal > 1) {
    const std::size_t middle = equal + (different - equal) / 2;
    (differs(middle) ? different : equal) = middle;
  }
  return different;
}

std::string difference_text(const NamedScene& scene, const Drawing& expected, Variant& reference,
                            Variant& variant) {
  const Drawing actual = draw(variant, scene);
  const Difference difference = compare(expected.framebuffer, actual.framebuffer);
  if (difference.pixels > 0) {
    const int x = difference.x, y = difference.y;
    return fmt::format(
        "{}: {} pixels differ between \"{}\" and \"{}\", the first in column {} of row {} from the "
        "bottom (red green blue alpha):\n  {}\n  {}\n  the first {} of {} circles show it\n",
        scene.name, difference.pixels, reference.name, variant.name, x, y,
        pixel_text(expected.framebuffer, x, y), pixel_text(actual.framebuffer, x, y),
        fewest_that_differ(scene, reference, variant), scene.circles.count());
  }
  if (!compare(expected.image, actual.image).same()) {
    return fmt::format(
        "{}: the 8-bit pictures of \"{}\" and \"{}\" differ, the float ones do not\n", scene.name,
        reference.name, variant.name);
  }
  return "";
}

}  // namespace roundel
