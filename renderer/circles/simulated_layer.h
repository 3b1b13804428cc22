#pragma once
#include <cstdint>

#include "renderer/base/checkpoint.h"
#include "renderer/circles/layer_source.h"

namespace roundel {

/// A layer whose frame f is its initial state after f steps. Keeps the state of the frame made
/// last: going forward steps on from there, going back starts over.
class SimulatedLayer : public LayerSource {
 public:
  void generate(std::int64_t frame, std::span<Shape> shapes, std::span<Paint> paints) final {
    if (frame_ < 0 || frame < frame_) {
      restart();
      frame_ = 0;
    }
    // Far frames are reached in pieces, so that Ctrl-C need not wait for them.
    constexpr std::int64_t kSteps = 10'000;
    for (; frame - frame_ > kSteps; frame_ += kSteps) {
      checkpoint();
      advance(frame_, frame_ + kSteps);
    }
    advance(frame_, frame);
    frame_ = frame;
    write_shapes(shapes);
    if (!paints.empty()) write_paints(paints);
  }

 protected:
  /// Makes the state of frame 0.
  virtual void restart() = 0;
  /// Steps the state from frame `from` to frame `to` >= `from`.
  virtual void advance(std::int64_t from, std::int64_t to) = 0;
  /// Writes the state's circles.
  virtual void write_shapes(std::span<Shape> shapes) const = 0;
  virtual void write_paints(std::span<Paint> paints) const = 0;

 private:
  std::int64_t frame_ = -1;  ///< of the state; -1: there is none yet
};

}  // namespace roundel
