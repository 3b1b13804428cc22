#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"

namespace roundel {

/// Flakes in paint order, one array a number (all [count]).
struct SnowFlakes {
  Buffer<float> x, y, velocity_x, velocity_y;  ///< change from step to step
  Buffer<float> z, radius;                     ///< do not

  std::size_t count() const { return x.size(); }
  void resize_discard(std::size_t count) {
    for (Buffer<float>* buffer : {&x, &y, &velocity_x, &velocity_y, &z, &radius})
      buffer->resize_discard(count);
  }
};

/// Moves all flakes from frame `from` to frame `to` >= `from` (step_snow), in parallel.
void move_snow(SnowFlakes& flakes, std::int64_t from, std::int64_t to);

}  // namespace roundel
