#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "renderer/circles/classic.h"
#include "renderer/circles/depth_sort.h"
#include "renderer/circles/glibc_random.h"
#include "renderer/circles/simulated_layer.h"
#include "renderer/circles/snow_motion.h"
#include "renderer/scene/classic_scenes.h"

namespace roundel {
namespace {

constexpr std::size_t kFlakes = classic_count("snow");
static_assert(kFlakes == classic_count("snowsingle"));
constexpr std::int64_t kStillFrame = 751;  ///< frame of snowsingle

/// Calls function(i) in parallel.
template <typename Function>
void for_each_flake(const Function& function) {
  constexpr std::size_t kTask = 4096;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, kFlakes, kTask), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) function(i);
  });
}

class Snow final : public SimulatedLayer {
 public:
  /// `still`: every frame is this one.
  Snow(const ClassicOptions& options, std::optional<std::int64_t> still)
      : SimulatedLayer(still ? Motion::kNone : Motion::kSnow),
        seed_(options.seed),
        alpha_(options.alpha),
        still_(still) {}

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    write_snow(flakes_, first, shapes);
    std::fill(paints.begin(), paints.end(), Paint{1, 1, 1, alpha_});
  }

 private:
  void restart() override {
    if (still_ && flakes_.count > 0) return;  // already at its only frame
    GlibcRandom stream(seed_);
    draw_depths(stream);
    flakes_ = SnowFlakes(kFlakes);
    Buffer<float> draws(3 * kFlakes);  // size, x, y
    stream.draw(draws.data(), draws.size());
    for_each_flake([&](std::size_t i) {
      const float* const u = &draws[3 * i];
      const float z = depths_[i];
      const float size = .08f - .0075f + (.015f * u[0]);
      float radius = (1.0f - z) * size + (z * size / 15.0f);
      radius = z < .02f ? radius * 3.0f : std::max(radius, .0075f);
      flakes_.x[i] = u[1];
      flakes_.y[i] = 1.0f + radius + 2.0f * u[2];
      flakes_.set_depth(i, z);
      flakes_.radius[i] = radius;
    });
    if (still_) move_snow(flakes_, 0, *still_);
  }

  void advance(std::int64_t from, std::int64_t to) override {
    if (!still_) move_snow(flakes_, from, to);
  }

  /// More flakes are far away than near.
  void draw_depths(GlibcRandom& stream) {
    depths_.resize_discard(kFlakes);
    stream.draw(depths_.data(), kFlakes);
    for_each_flake([&](std::size_t i) {
      const float share = static_cast<float>(i) / static_cast<float>(kFlakes);
      const auto power =
          static_cast<float>(std::pow(static_cast<double>(share), static_cast<double>(.1f)));
      depths_[i] = std::clamp(power + (-.05f + .1f * depths_[i]), 0.0f, 1.0f);
    });
    sort_descending(depths_);
  }

  std::uint32_t seed_;
  float alpha_;
  std::optional<std::int64_t> still_;
  Buffer<float> depths_;
  SnowFlakes flakes_;
};

}  // namespace

std::unique_ptr<LayerSource> make_snow(const ClassicOptions& options) {
  return std::make_unique<Snow>(options, std::nullopt);
}

std::unique_ptr<LayerSource> make_snowsingle(const ClassicOptions& options) {
  return std::make_unique<Snow>(options, kStillFrame);
}

}  // namespace roundel
