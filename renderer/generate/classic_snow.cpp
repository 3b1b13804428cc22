#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include "renderer/generate/classic.h"
#include "renderer/generate/depth_sort.h"
#include "renderer/generate/glibc_random.h"
#include "renderer/generate/simulated_layer.h"
#include "renderer/generate/snow_motion.h"
#include "renderer/scene/classic_scenes.h"

namespace roundel {
namespace {

constexpr std::size_t kFlakes = classic_count("snow");
static_assert(kFlakes == classic_count("snowsingle"));
constexpr std::int64_t kStillFrame = 751;  ///< of snowsingle

class Snow final : public SimulatedLayer {
 public:
  /// `still`: every frame is this one.
  Snow(std::uint32_t seed, float alpha, std::optional<std::int64_t> still)
      : stream_(seed), alpha_(alpha), still_(still) {}
  Motion motion() const override { return still_ ? Motion::kNone : Motion::kSnow; }

 private:
  void restart() override {
    if (still_ && flakes_.count > 0) return;  // it stands at its only frame already
    const Buffer<float> depths = draw_depths();
    flakes_ = SnowFlakes(kFlakes);
    for_each_run_of_flakes(kFlakes, [&](std::size_t first, std::size_t last) {
      std::array<float, 3 * kFlakesOfTask> draws;  // NOLINT: size, x, y, written before it is read
      draw(kFlakes + 3 * first, std::span(draws).first(3 * (last - first)));
      for (std::size_t i = first; i < last; ++i) {
        const float* const u = &draws[3 * (i - first)];
        const float z = depths[i];
        const float size = .08f - .0075f + (.015f * u[0]);
        float radius = (1.0f - z) * size + (z * size / 15.0f);
        radius = z < .02f ? radius * 3.0f : std::max(radius, .0075f);
        flakes_.x[i] = u[1];
        flakes_.y[i] = 1.0f + radius + 2.0f * u[2];
        flakes_.set_depth(i, z);
        flakes_.radius[i] = radius;
      }
    });
    if (still_) move_snow(flakes_, 0, *still_);
  }

  void advance(std::int64_t from, std::int64_t to) override {
    if (!still_) move_snow(flakes_, from, to);
  }

  void write_shapes(std::span<Shape> shapes) const override { write_snow(flakes_, shapes); }
  void write_paints(std::span<Paint> paints) const override {
    for_each_run_of_flakes(paints.size(), [&](std::size_t first, std::size_t last) {
      std::fill(paints.begin() + first, paints.begin() + last, Paint{1, 1, 1, alpha_});
    });
  }

  /// Draws of the stream from number `begin` on.
  void draw(std::size_t begin, std::span<float> draws) const {
    GlibcRandom stream = stream_;
    stream.skip(begin);
    stream.draw(draws.data(), draws.size());
  }

  /// More flakes are far away than near.
  Buffer<float> draw_depths() const {
    Buffer<float> depths(kFlakes);
    for_each_run_of_flakes(kFlakes, [&](std::size_t first, std::size_t last) {
      draw(first, depths.span().subspan(first, last - first));
      for (std::size_t i = first; i < last; ++i) {
        const float share = static_cast<float>(i) / static_cast<float>(kFlakes);
        const auto power =
            static_cast<float>(std::pow(static_cast<double>(share), static_cast<double>(.1f)));
        depths[i] = std::clamp(power + (-.05f + .1f * depths[i]), 0.0f, 1.0f);
      }
    });
    sort_descending(depths);
    return depths;
  }

  GlibcRandom stream_;  ///< at its start
  float alpha_;
  std::optional<std::int64_t> still_;
  SnowFlakes flakes_;
};

}  // namespace

std::unique_ptr<LayerSource> make_snow(std::uint32_t seed, float alpha) {
  return std::make_unique<Snow>(seed, alpha, std::nullopt);
}

std::unique_ptr<LayerSource> make_snowsingle(std::uint32_t seed, float alpha) {
  return std::make_unique<Snow>(seed, alpha, kStillFrame);
}

}  // namespace roundel
