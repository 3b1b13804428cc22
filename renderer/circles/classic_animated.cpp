#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "renderer/circles/animation_steps.h"
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

class BouncingBalls final : public SimulatedLayer {
 public:
  BouncingBalls(std::uint32_t seed, float alpha) : seed_(seed), alpha_(alpha) {}
  Motion motion() const override { return Motion::kBalls; }
  void write_velocities(std::span<Velocity> velocities) const override {
    for (std::size_t i = 0; i < kCount; ++i) velocities[i].y = balls_[i].velocity;
  }

 private:
  void restart() override {
    GlibcRandom stream(seed_);
    for (std::size_t i = 0; i < kCount; ++i) {
      x_[i] = stream.uniform();
      balls_[i].y = stream.uniform();
      z_[i] = stream.uniform();
      balls_[i].velocity = stream.uniform();
    }
  }
  void advance(std::int64_t from, std::int64_t to) override {
    for (Ball& ball : balls_)
      for (std::int64_t step = from; step < to; ++step) step_ball(ball);
  }
  void write_shapes(std::span<Shape> shapes) const override {
    for (std::size_t i = 0; i < kCount; ++i) shapes[i] = {x_[i], balls_[i].y, z_[i], .05f};
  }
  void write_paints(std::span<Paint> paints) const override {
    for (std::size_t i = 0; i < kCount; ++i) paints[i] = primary_paint(i, alpha_);
  }

  static constexpr std::size_t kCount = classic_count("bouncingballs");
  std::uint32_t seed_;
  float alpha_;
  std::array<float, kCount> x_{}, z_{};
  std::array<Ball, kCount> balls_{};
};

class Hypnosis final : public SimulatedLayer {
 public:
  Hypnosis(std::uint32_t seed, float alpha) : seed_(seed), alpha_(alpha) {}
  Motion motion() const override { return Motion::kHypnosis; }

 private:
  void restart() override {
    GlibcRandom stream(seed_);
    for (std::size_t i = 0; i < kCount; ++i) {
      radii_[i] = .02f + (static_cast<float>(i) * .02f);
      paints_[i].red = stream.uniform();
      paints_[i].green = stream.uniform();
      paints_[i].blue = stream.uniform();
      paints_[i].alpha = alpha_;
    }
  }
  void advance(std::int64_t from, std::int64_t to) override {
    for (float& radius : radii_)
      for (std::int64_t step = from; step < to; ++step) radius = step_hypnosis(radius);
  }
  void write_shapes(std::span<Shape> shapes) const override {
    for (std::size_t i = 0; i < kCount; ++i) shapes[i] = {.5f, .5f, 0.0f, radii_[i]};
  }
  void write_paints(std::span<Paint> paints) const override {
    std::copy(paints_.begin(), paints_.end(), paints.begin());
  }

  static constexpr std::size_t kCount = classic_count("hypnosis");
  std::uint32_t seed_;
  float alpha_;
  std::array<float, kCount> radii_{};
  std::array<Paint, kCount> paints_{};
};

class Fireworks final : public SimulatedLayer {
 public:
  Fireworks(std::uint32_t seed, float alpha) : seed_(seed), alpha_(alpha) {}
  Motion motion() const override { return Motion::kFireworks; }
  void write_velocities(std::span<Velocity> velocities) const override {
    for (std::size_t s = 0; s < sparks_.size(); ++s)
      velocities[kCenters + s] = {sparks_[s].velocity_x, sparks_[s].velocity_y};
  }

 private:
  void restart() override {
    GlibcRandom stream(seed_);
    for (std::size_t i = 0; i < kCenters; ++i) {
      const float center_x = stream.uniform();
      const float center_y = stream.uniform();
      for (std::size_t j = 0; j < kSparks; ++j) {
        const float angle = (static_cast<float>(2 * j) * 3.14159f) / static_cast<float>(kSparks);
        const auto cosine = static_cast<float>(std::cos(static_cast<double>(angle)));
        const auto sine = static_cast<float>(std::sin(static_cast<double>(angle)));
        Spark& spark = sparks_[i * kSparks + j];
        spark.center_x = center_x;
        spark.center_y = center_y;
        spark.x = spark.start_x = center_x + cosine * .005f;
        spark.y = spark.start_y = center_y + sine * .005f;
        spark.velocity_x = static_cast<float>(static_cast<double>(cosine) / 5.0);
        spark.velocity_y = static_cast<float>(static_cast<double>(sine) / 5.0);
      }
    }
  }
  void advance(std::int64_t from, std::int64_t to) override {
    for (Spark& spark : sparks_)
      for (std::int64_t step = from; step < to; ++step) step_spark(spark);
  }
  void write_shapes(std::span<Shape> shapes) const override {
    for (std::size_t i = 0; i < kCenters; ++i)
      shapes[i] = {sparks_[i * kSparks].center_x, sparks_[i * kSparks].center_y, 0.0f, .005f};
    for (std::size_t s = 0; s < sparks_.size(); ++s)
      shapes[kCenters + s] = {sparks_[s].x, sparks_[s].y, 0.0f, .01f};
  }
  void write_paints(std::span<Paint> paints) const override {
    for (std::size_t i = 0; i < kCenters; ++i) paints[i] = {1, 1, 1, alpha_};
    for (std::size_t s = 0; s < sparks_.size(); ++s)
      paints[kCenters + s] = primary_paint(s / kSparks, alpha_);
  }

  static constexpr std::size_t kCenters = kFireworkCenters;
  static constexpr std::size_t kSparks = kSparksOfFirework;
  static_assert(kCenters + kCenters * kSparks == classic_count("fireworks"));
  std::uint32_t seed_;
  float alpha_;
  std::array<Spark, kCenters * kSparks> sparks_{};
};

}  // namespace

std::unique_ptr<LayerSource> make_bouncingballs(std::uint32_t seed, float alpha) {
  return std::make_unique<BouncingBalls>(seed, alpha);
}

std::unique_ptr<LayerSource> make_hypnosis(std::uint32_t seed, float alpha) {
  return std::make_unique<Hypnosis>(seed, alpha);
}

std::unique_ptr<LayerSource> make_fireworks(std::uint32_t seed, float alpha) {
  return std::make_unique<Fireworks>(seed, alpha);
}

}  // namespace roundel
