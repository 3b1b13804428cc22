#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/circles/paint_finish.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/view.h"

namespace roundel {

/// Circles of a random layer. The rasterizer makes each from its number.
struct RandomRun {
  std::uint64_t first, count;  ///< in the frame's circles
  RandomLaws laws;
  PaintFinish finish;
  CircleMove move;

  /// Circle k of the layer, ready to draw, in frame space.
  ROUNDEL_HOST_DEVICE void make(std::uint64_t k, Shape& shape, Paint& paint) const {
    random_circle(laws, k, shape, paint);
    finish(shape, paint);
    shape = move(shape);
  }
};

}  // namespace roundel
