#pragma once
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/lines.h"
#include "renderer/circles/circle.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

struct NamedScene {
  std::string name;  ///< letters, digits and '_'
  ImageSettings image;
  Circles circles;  ///< in frame space
};

/// Returns scenes that are hard to render: extreme sizes, positions, radii and alphas, both
/// shaders, all kinds of background and blend space; then all classic scenes at 256×256, the
/// animated ones in mid-motion. About 130 MB.
std::vector<NamedScene> selftest_scenes();

/// One way to draw a picture; all must give the same bits.
struct Variant {
  std::string name;  ///< "cpu, tiles of 64 pixels"
  RasterOptions options;
  std::unique_ptr<Rasterizer> rasterizer;
  std::string vectors = {};  ///< the CPU's instruction set; "": the best, without a PNG file
};

struct Drawing {
  Framebuffer framebuffer;
  Image image;
  std::vector<std::uint8_t> png = {};  ///< the image's file; empty without Variant::vectors
};
/// Leaves the variant's instruction set selected.
Drawing draw(Variant& variant, const NamedScene& scene);

/// Returns no lines if the circles of a scene that was made with the instruction set `vectors` are
/// the expected ones, bit for bit; else a line with the first that differs.
Lines circle_difference_text(const NamedScene& expected, const NamedScene& actual,
                             const std::string& vectors);

/// Returns no lines if `variant` draws the scene bit for bit as `reference` did; else lines with
/// the first differing pixel, its values, and the fewest circles that show a difference.
Lines difference_text(const NamedScene& scene, const Drawing& expected, Variant& reference,
                      Variant& variant);

/// Returns the smallest number of circles, from the first in paint order, that shows a difference
/// between the float pictures, if all circles do. Bisects: if differences come and go, it finds one
/// of the steps at which they appear.
std::size_t fewest_that_differ(const NamedScene& scene, Variant& reference, Variant& variant);

}  // namespace roundel
