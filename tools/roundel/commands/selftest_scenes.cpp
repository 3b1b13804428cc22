#include "tools/roundel/commands/selftest.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/render.h"
#include "renderer/scene/classic_scenes.h"

namespace roundel {
namespace {

/// A scene and the frame of it to draw.
struct Recipe {
  std::string name;
  Scene scene;
  std::int64_t frame = 0;
};

Scene scene_of_size(int width, int height) {
  Scene scene;
  scene.path = "selftest";
  scene.image.width = width;
  scene.image.height = height;
  return scene;
}

Layer inline_layer(std::vector<InlineCircle> circles) {
  Layer layer;
  layer.source = InlineSource{std::move(circles)};
  return layer;
}

Layer random_layer(std::uint64_t count, double smallest, double largest) {
  RandomSource random;
  random.count = count;
  random.position = UniformPosition{{-0.1, -0.1}, {1.1, 1.1}};
  random.radius = UniformLaw{smallest, largest};
  random.color = UniformColor{{0, 0, 0}, {1.5f, 1.5f, 1.5f}};
  random.alpha = UniformLaw{0, 1};
  random.depth = UniformLaw{0, 1};
  Layer layer;
  layer.source = random;
  return layer;
}

/// Gives a layer a blend mode, with colours that the mode accepts.
Layer mode_layer(BlendMode mode, Layer layer) {
  std::get<RandomSource>(layer.source).color = UniformColor{{0, 0, 0}, {1, 1, 1}};
  layer.blend = mode;
  return layer;
}

Layer stroke_layer(const Stroke& stroke, Layer layer) {
  layer.stroke = stroke;
  return layer;
}

Layer falloff_layer(Shader shader, std::uint64_t count) {
  Layer layer = random_layer(count, 0.001, 0.2);
  layer.shader = shader;
  return layer;
}
Layer snow_layer(std::uint64_t count) {
  return falloff_layer(Shader::kSnow, count);
}
Layer soft_layer(std::uint64_t count) {
  return falloff_layer(Shader::kSoft, count);
}

Recipe recipe(std::string name, Scene scene, std::vector<Layer> layers) {
  scene.layers = std::move(layers);
  scene.image.styles = styles_of(scene);
  return {std::move(name), std::move(scene), 0};
}

DisplayColor nth_color(int i) {
  return {static_cast<float>(i % 3) / 2, static_cast<float>(i % 5) / 4,
          static_cast<float>(i % 7) / 6};
}

/// Returns circles for a 256×256 image whose edges touch the borders of cells of 16 pixels,
/// exactly, from inside, outside and through pixel centres.
std::vector<InlineCircle> tangent_circles() {
  constexpr double kPixel = 1.0 / 256;
  std::vector<InlineCircle> circles;
  for (int i = 0; i < 16; ++i) {
    const double x = (16 * i + 8) * kPixel;
    for (const double radius : {8.0, 7.5, 8.5, 24.0, 23.5}) {
      circles.push_back({x, x, 0, radius * kPixel, nth_color(i), 0.3});
      circles.push_back({x, 1 - x + 0.5 * kPixel, 0, radius * kPixel, nth_color(i + 1), 0.7});
      circles.push_back({16 * i * kPixel, 0.25, 0, radius * kPixel, nth_color(i + 2), {}});
    }
  }
  return circles;
}

/// Returns circles beside, below and above the unit square, touching it, far away, and around it.
std::vector<InlineCircle> off_screen_circles() {
  std::vector<InlineCircle> circles;
  int i = 0;
  for (const double distance : {0.0, 0.1, 0.1000001, 0.11, 3.0, 1e6}) {
    for (const double radius : {0.1, 0.5, 1e6}) {
      for (const auto& [x, y] :
           {std::pair{-distance, 0.5}, std::pair{1 + distance, 0.5}, std::pair{0.5, -distance},
            std::pair{0.5, 1 + distance}, std::pair{-distance, 1 + distance}}) {
        circles.push_back({x, y, 0, radius, nth_color(i++), 0.05});
      }
    }
  }
  return circles;
}

/// Returns radii 1e-7 on pixel centres of a 64×64 image (one pixel), beside them (none), and 1e4
/// (all).
std::vector<InlineCircle> extreme_radii() {
  std::vector<InlineCircle> circles;
  for (int i = 0; i < 64; ++i) {
    const double center = (i + 0.5) / 64;
    circles.push_back({center, center, 0, 1e-7, nth_color(i), 1.0});
    circles.push_back({center + 1e-3, 1 - center, 0, 1e-7, nth_color(i + 1), 1.0});
    circles.push_back({center, 0.5, 0, 1e4, nth_color(i + 2), 0.02});
    // An edge through the image: the centre's distance equals the radius.
    circles.push_back({center + 1e4, 0.5, 0, 1e4, nth_color(i + 3), 0.1});
  }
  return circles;
}

/// So far from 0 that binary32 is coarser than a pixel.
constexpr double kFar = 1e6 - 1;

/// Returns neighbours half a pixel of a 300×200 image apart.
std::vector<InlineCircle> far_circles() {
  constexpr int kCount = 400;
  std::vector<InlineCircle> circles;
  circles.reserve(kCount);
  for (int i = 0; i < kCount; ++i)
    circles.push_back({kFar + i / 400.0, kFar + 0.3 + i / 800.0, 0, 0.02, nth_color(i), 0.6});
  return circles;
}

Layer moved_far(Layer layer) {
  std::get<RandomSource>(layer.source).position = GaussianPosition{{kFar + .5, kFar + .5}, .25};
  return layer;
}

/// Returns `count` circles of one alpha on top of each other; `last` on top.
std::vector<InlineCircle> alpha_stack(int count, double alpha, double last) {
  std::vector<InlineCircle> circles;
  circles.reserve(static_cast<std::size_t>(count) + 1);
  for (int i = 0; i < count; ++i) {
    circles.push_back({0.3 + 0.004 * (i % 100), 0.5, 0, 0.3, nth_color(i), alpha});
  }
  circles.push_back({0.5, 0.6, 0, 0.2, {1, 0.5f, 0.25f}, last});
  return circles;
}

std::vector<Recipe> scenes_of_hostile_sizes() {
  std::vector<Recipe> scenes;
  for (const auto& [width, height] :
       {std::pair{1, 1}, std::pair{17, 3}, std::pair{3, 17}, std::pair{15, 16}, std::pair{63, 63},
        std::pair{64, 64}, std::pair{65, 65}, std::pair{63, 129}, std::pair{4096, 1},
        std::pair{1, 4096}, std::pair{331, 257}}) {
    scenes.push_back(recipe(fmt::format("size_{}x{}", width, height), scene_of_size(width, height),
                            {random_layer(400, 1e-3, 0.3), snow_layer(100)}));
  }
  return scenes;
}

std::vector<Recipe> hostile_scenes() {
  std::vector<Recipe> scenes = scenes_of_hostile_sizes();
  const Scene small = scene_of_size(64, 64), wide = scene_of_size(300, 200);
  const Scene square = scene_of_size(256, 256);
  scenes.push_back(recipe("no_circles", small, {}));
  scenes.push_back(recipe("tangent_to_tiles", square, {inline_layer(tangent_circles())}));
  scenes.push_back(recipe("off_screen", wide, {inline_layer(off_screen_circles())}));
  scenes.push_back(recipe("extreme_radii", small, {inline_layer(extreme_radii())}));
  scenes.push_back(recipe("alpha_0", small, {inline_layer(alpha_stack(100, 0, 0.5))}));
  scenes.push_back(recipe("alpha_tiny", small, {inline_layer(alpha_stack(3000, 1e-6, 1e-6))}));
  scenes.push_back(recipe("alpha_1", small, {inline_layer(alpha_stack(100, 1, 0.5))}));
  scenes.push_back(recipe("alpha_near_1", small, {inline_layer(alpha_stack(100, 0.9999999, 0))}));
  scenes.push_back(recipe("deep_stack", small, {inline_layer(alpha_stack(3000, 0.5, 0.5))}));
  scenes.push_back(recipe("many_small", square, {random_layer(50'000, 1e-4, 0.01)}));
  scenes.push_back(recipe("many_large", wide, {random_layer(3000, 0.1, 1)}));
  scenes.push_back(
      recipe("layers_of_all_shaders", wide,
             {random_layer(500, 0.01, 0.1), snow_layer(2000), random_layer(50, 0.1, 0.2),
              soft_layer(200), snow_layer(20), soft_layer(2000)}));
  scenes.push_back(recipe("soft", square, {soft_layer(3000)}));

  scenes.push_back(recipe(
      "blend_modes", wide,
      {random_layer(100, 0.01, 0.3), mode_layer(BlendMode::kMultiply, random_layer(100, 0.01, 0.3)),
       mode_layer(BlendMode::kScreen, random_layer(100, 0.01, 0.3)),
       mode_layer(BlendMode::kAdd, snow_layer(200)), mode_layer(BlendMode::kAdd, soft_layer(200)),
       mode_layer(BlendMode::kMultiply, soft_layer(20)),
       mode_layer(BlendMode::kScreen, soft_layer(200)), random_layer(500, 0.002, 0.02)}));

  Layer rings = stroke_layer({{0.01, false}, {}, {}}, random_layer(100, 0.005, 0.3));
  rings.fill = false;
  scenes.push_back(recipe(
      "strokes", wide,
      {rings,
       stroke_layer({{1.5, true}, DisplayColor{1, 0, 0}, 0.9}, random_layer(300, 1e-3, 0.05)),
       snow_layer(50), soft_layer(50), random_layer(50, 0.01, 0.1)}));

  Scene gradient = wide;
  gradient.image.background = {{0.85f, 0.85f, 0.85f}, {0.4f, 0.2f, 0.0f}};
  scenes.push_back(recipe("gradient", gradient, {random_layer(200, 0.01, 0.1)}));
  Scene transparent = wide;
  transparent.image.alpha = true;
  scenes.push_back(
      recipe("transparent", transparent, {random_layer(200, 0.01, 0.1), snow_layer(200)}));
  transparent.image.bits = 16;
  scenes.push_back(
      recipe("sixteen_bits", transparent, {random_layer(200, 0.01, 0.1), snow_layer(200)}));
  Scene dithered = gradient;
  dithered.image.dither = true;
  scenes.push_back(recipe("dithered", dithered, {random_layer(200, 0.01, 0.1)}));
  Scene linear = gradient;
  linear.image.blend_space = BlendSpace::kLinear;
  scenes.push_back(
      recipe("linear_light", linear, {random_layer(1000, 0.01, 0.1), snow_layer(200)}));
  Scene zoomed = wide;
  zoomed.view = {0.3, 0.7, 1000};
  scenes.push_back(recipe("deep_zoom", zoomed,
                          {random_layer(2000, 0.01, 0.5), inline_layer(tangent_circles())}));
  Scene far_away = wide;
  far_away.view = {kFar + 0.5, kFar + 0.5, 1};
  scenes.push_back(recipe("far_away", far_away,
                          {moved_far(random_layer(2000, 0.01, 0.1)), inline_layer(far_circles()),
                           moved_far(snow_layer(200))}));
  return scenes;
}

std::vector<Recipe> classic_scenes() {
  std::vector<Recipe> scenes;
  for (const std::string& name : classic_names()) {
    Scene scene = scene_of_size(256, 256);
    Layer layer;
    layer.source = GeneratorSource{name, {}};
    layer.shader = classic_scene(name).shader;
    if (layer.shader == Shader::kSnow) {
      scene.image.background = {{0.85f, 0.85f, 0.85f}, {0.4f, 0.4f, 0.4f}};
    }
    scene.layers = {layer};
    const bool is_animated =
        name == "snow" || name == "bouncingballs" || name == "hypnosis" || name == "fireworks";
    scenes.push_back({name, std::move(scene), is_animated ? 45 : 0});
  }
  return scenes;
}

}  // namespace

std::vector<NamedScene> selftest_scenes() {
  std::vector<Recipe> recipes = hostile_scenes();
  for (Recipe& classic : classic_scenes()) recipes.push_back(std::move(classic));
  for (std::size_t i = 0, count = recipes.size(); i < count; ++i) {
    Recipe smooth = recipes[i];
    smooth.name += "_antialiased";
    smooth.scene.image.antialias = true;
    recipes.push_back(std::move(smooth));
  }
  std::vector<NamedScene> scenes;
  for (const Recipe& recipe : recipes) {
    NamedScene& scene = scenes.emplace_back(NamedScene{recipe.name, recipe.scene.image, {}});
    CircleSource source(recipe.scene);
    source.generate(recipe.frame, scene.circles);
  }
  return scenes;
}

}  // namespace roundel
