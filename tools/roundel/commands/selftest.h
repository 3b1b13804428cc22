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
  std::string name;     ///< of letters, digits and '_'
  ImageSettings image;  ///< small
  Circles circles;      ///< in frame space
};

/// Scenes made to break renderers, hostile sizes, positions, radii and alphas, both shaders, every
/// kind of background and blend space; then every classic scene at 256×256, the animated ones some
/// way into their motion. About 130 MB.
std::vector<NamedScene> selftest_scenes();

/// One way to draw a picture; all must give the same bits.
struct Variant {
  std::string name;  ///< "cpu, tiles of 64 pixels"
  RasterOptions options;
  std::unique_ptr<Rasterizer> rasterizer;
};

/// What a variant makes of a scene.
struct Drawing {
  Framebuffer framebuffer;
  Image image;
};
Drawing draw(Variant& variant, const NamedScene& scene);

/// Nothing if `variant` draws the scene as `reference` did, bit for bit; else lines that say which
/// pixel differs first, its values, and the fewest circles that show a difference.
Lines difference_text(const NamedScene& scene, const Drawing& expected, Variant& reference,
                      Variant& variant);

/// The fewest of the first circles, in paint order, that show a difference between the float
/// pictures when all of them do. By bisection: if differences come and go with the number of
/// circles, it is one where they come.
std::size_t fewest_that_differ(const NamedScene& scene, Variant& reference, Variant& variant);

}  // namespace roundel
