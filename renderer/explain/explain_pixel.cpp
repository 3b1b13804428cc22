#include "renderer/explain/explain_pixel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

#include "renderer/pixels/quantize_levels.h"
#include "renderer/raster/background.h"
#include "renderer/raster/pixel_walk.h"

namespace roundel {
namespace {

using CircleNumbers = std::vector<std::uint64_t>;
using CircleRange = tbb::blocked_range<std::size_t>;

constexpr std::size_t kCirclesPerPass = std::size_t{1} << 20;  // bounds memory

/// In paint order.
CircleNumbers covering_circles(const Circles& circles, std::size_t begin, std::size_t end,
                               const PixelWalk& walk) {
  return tbb::parallel_reduce(
      CircleRange(begin, end, kTaskCircles), CircleNumbers(),
      [&](const CircleRange& range, CircleNumbers found) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          if (walk.is_covered_by(circles.shapes[i], circles.paints[i])) found.push_back(i);
        return found;
      },
      [](CircleNumbers first, const CircleNumbers& second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
      });
}

BlendColor color_so_far(const PixelWalk::State& state) {
  return {state.red, state.green, state.blue};
}
BlendColor transmittance_of(const PixelWalk::State& state) {
  return {state.red_transmittance, state.green_transmittance, state.blue_transmittance};
}
PixelWalk::State over_black(const PixelWalk::State& state) {
  return {0, 0, 0, state.red_transmittance, state.green_transmittance, state.blue_transmittance};
}

PixelStep composite_step(const Circles& circles, std::uint64_t circle, const SnowRamp& ramp,
                         PixelWalk& walk) {
  const Shape& shape = circles.shapes[circle];
  const Paint& paint = circles.paints[circle];
  PixelStep step{};
  step.circle = circle;
  step.share = walk.share_of(shape, paint);
  const PixelWalk::PixelPaint painted = walk.pixel_paint(shape, paint, step.share, ramp);
  step.mode = painted.mode;
  step.color = painted.color;
  step.alpha = painted.alpha;
  step.transmittance_before = transmittance_of(walk.state);
  PixelWalk alone = walk;  // the same light on this circle, over black
  alone.state = over_black(walk.state);
  alone.blend(shape, paint, step.share, ramp);
  step.contribution = color_so_far(alone.state);
  walk.blend(shape, paint, step.share, ramp);
  step.transmittance_after = transmittance_of(walk.state);
  step.running = color_so_far(walk.state);
  return step;
}

/// Finishes the pixel over the background, as the backends do.
void finish_pixel(const PixelWalk& walk, const ImageSettings& image, int x, int row,
                  PixelExplanation& explanation) {
  explanation.has_stopped = walk.has_stopped();
  explanation.transmittance = transmittance_of(walk.state);
  if (!image.alpha) {
    explanation.background = BackgroundRows(image).row(row);
    PixelWalk::State alone = over_black(walk.state);
    scalar::add_background<ScalarLanes>(alone, explanation.background);
    explanation.background_contribution = color_so_far(alone);
  }
  explanation.value = walk.finish(image, explanation.background);
  quantize_pixel(explanation.value, SampleFormat(image), static_cast<std::uint32_t>(x),
                 static_cast<std::uint32_t>(image.height - 1 - row), explanation.samples.data());
}

}  // namespace

PixelExplanation explain_pixel(const Circles& circles, const ImageSettings& image, int x, int row,
                               std::size_t max_steps) {
  const SnowRamp ramp = snow_ramp(image.blend_space);
  PixelWalk walk = PixelWalk::at(x, row, image);
  PixelExplanation explanation;
  std::size_t end = circles.count();
  while (end > 0) {
    const std::size_t begin = end - std::min(end, kCirclesPerPass);
    const CircleNumbers covering = covering_circles(circles, begin, end, walk);
    for (std::size_t i = covering.size(); i-- > 0;) {
      if (walk.has_stopped()) {
        ++explanation.unseen;
        continue;
      }
      const PixelStep step = composite_step(circles, covering[i], ramp, walk);
      if (explanation.composited++ < max_steps) explanation.steps.push_back(step);
    }
    end = begin;
  }
  finish_pixel(walk, image, x, row, explanation);
  return explanation;
}

}  // namespace roundel
