#include <array>
#include <cmath>
#include <cstddef>

#include "renderer/circles/classic.h"
#include "renderer/circles/glibc_random.h"
#include "renderer/circles/simulated_layer.h"
#include "renderer/scene/classic_scenes.h"

namespace roundel {
namespace {

/// Red, green and blue in turn.
Paint primary_paint(std::size_t i, float alpha) {
  constexpr std::array<DisplayColor, 3> kPrimaries = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const DisplayColor& color = kPrimaries[i % 3];
  return {color.red, color.green, color.blue, alpha};
}

}  // namespace

std::unique_ptr<LayerSource> make_bouncingballs(const ClassicOptions& options) {
  SteppedLayer::Start start;
  GlibcRandom stream(options.seed);
  for (std::size_t i = 0; i < classic_count("bouncingballs"); ++i) {
    const float x = stream.uniform();
    const float y = stream.uniform();
    const float z = stream.uniform();
    start.shapes.push_back({x, y, z, .05f});
    start.velocities.push_back({0, stream.uniform()});
    start.paints.push_back(primary_paint(i, options.alpha));
  }
  return std::make_unique<SteppedLayer>(std::move(start), Motion::kBalls);
}

std::unique_ptr<LayerSource> make_hypnosis(const ClassicOptions& options) {
  SteppedLayer::Start start;
  GlibcRandom stream(options.seed);
  for (std::size_t i = 0; i < classic_count("hypnosis"); ++i) {
    start.shapes.push_back({.5f, .5f, 0.0f, .02f + (static_cast<float>(i) * .02f)});
    const float red = stream.uniform();
    const float green = stream.uniform();
    const float blue = stream.uniform();
    start.paints.push_back({red, green, blue, options.alpha});
  }
  return std::make_unique<SteppedLayer>(std::move(start), Motion::kHypnosis);
}

std::unique_ptr<LayerSource> make_fireworks(const ClassicOptions& options) {
  constexpr std::size_t kCenters = kFireworkCenters, kSparks = kSparksOfFirework;
  static_assert(kCenters + kCenters * kSparks == classic_count("fireworks"));
  SteppedLayer::Start start;
  GlibcRandom stream(options.seed);
  for (std::size_t i = 0; i < kCenters; ++i) {
    const float x = stream.uniform();
    const float y = stream.uniform();
    start.shapes.push_back({x, y, 0.0f, .005f});
    start.velocities.push_back({0, 0});
    start.paints.push_back({1, 1, 1, options.alpha});
  }
  for (std::size_t i = 0; i < kCenters; ++i) {
    const Shape center = start.shapes[i];
    for (std::size_t j = 0; j < kSparks; ++j) {
      const float angle = (static_cast<float>(2 * j) * 3.14159f) / static_cast<float>(kSparks);
      const auto cosine = static_cast<float>(std::cos(static_cast<double>(angle)));
      const auto sine = static_cast<float>(std::sin(static_cast<double>(angle)));
      start.shapes.push_back({center.x + cosine * .005f, center.y + sine * .005f, 0.0f, .01f});
      start.velocities.push_back({static_cast<float>(static_cast<double>(cosine) / 5.0),
                                  static_cast<float>(static_cast<double>(sine) / 5.0)});
      start.paints.push_back(primary_paint(i, options.alpha));
    }
  }
  return std::make_unique<SteppedLayer>(std::move(start), Motion::kFireworks);
}

}  // namespace roundel
