#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/circles/layer_source.h"

namespace roundel {

/// Frame f is the initial state after f steps. Going forward steps on from the last frame, going
/// back restarts.
class SimulatedLayer : public LayerSource {
 public:
  void prepare(std::int64_t steps) final {
    if (steps_ < 0 || steps < steps_) {
      restart();
      steps_ = 0;
    }
    // Steps in pieces, so that Ctrl-C works meanwhile.
    constexpr std::int64_t kSteps = 10'000;
    for (; steps - steps_ > kSteps; steps_ += kSteps) {
      checkpoint();
      advance(steps_, steps_ + kSteps);
    }
    advance(steps_, steps);
    steps_ = steps;
  }

 protected:
  explicit SimulatedLayer(Motion motion) : LayerSource({.is_cheap = false, .motion = motion}) {}

  /// Makes frame 0.
  virtual void restart() = 0;
  /// `to` >= `from`.
  virtual void advance(std::int64_t from, std::int64_t to) = 0;

 private:
  std::int64_t steps_ = -1;  ///< frame of the state; -1: no state yet
};

/// A few circles, stepped one by one.
class SteppedLayer final : public SimulatedLayer {
 public:
  /// Circles in frame 0.
  struct Start {
    std::vector<Shape> shapes;
    std::vector<Paint> paints;              ///< [circles]
    std::vector<Velocity> velocities = {};  ///< [circles]; may be empty if unused
  };
  explicit SteppedLayer(Start start, Motion motion = Motion::kNone)
      : SimulatedLayer(motion), start_(std::move(start)) {
    start_.velocities.resize(start_.shapes.size());
  }

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    std::copy_n(shapes_.begin() + static_cast<std::ptrdiff_t>(first), shapes.size(),
                shapes.begin());
    std::copy_n(start_.paints.begin() + static_cast<std::ptrdiff_t>(first), paints.size(),
                paints.begin());
  }
  void write_velocities(std::span<Velocity> velocities) const override {
    std::copy(velocities_.begin(), velocities_.end(), velocities.begin());
  }

 private:
  void restart() override {
    shapes_ = start_.shapes;
    velocities_ = start_.velocities;
  }
  void advance(std::int64_t from, std::int64_t to) override {
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      step_circle(traits().motion, start_.shapes.data(), i, static_cast<std::uint32_t>(from),
                  static_cast<std::uint32_t>(to), shapes_[i], velocities_[i]);
  }

  Start start_;
  std::vector<Shape> shapes_;
  std::vector<Velocity> velocities_;
};

}  // namespace roundel
