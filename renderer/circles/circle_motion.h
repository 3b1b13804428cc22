#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/circles/animation_steps.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/snow_step.h"

namespace roundel {

enum class Motion : std::uint8_t { kNone, kBalls, kHypnosis, kFireworks, kSnow };

struct Velocity {
  float x, y;
};

inline constexpr std::size_t kFireworkCenters = 15;
inline constexpr std::size_t kSparksOfFirework = 20;

/// Moves circle `index` from frame `from` to frame `to` >= `from`, with the same bits as the
/// layer's own simulation. `start`: circles in frame 0.
ROUNDEL_HOST_DEVICE inline void step_circle(Motion motion, const Shape* start, std::size_t index,
                                            std::uint32_t from, std::uint32_t to, Shape& shape,
                                            Velocity& velocity) {
  switch (motion) {
    case Motion::kNone:
      break;
    case Motion::kBalls: {
      Ball ball{shape.y, velocity.y};
      for (std::uint32_t step = from; step < to; ++step) step_ball(ball);
      shape.y = ball.y;
      velocity.y = ball.velocity;
      break;
    }
    case Motion::kHypnosis:
      for (std::uint32_t step = from; step < to; ++step) shape.radius = step_hypnosis(shape.radius);
      break;
    case Motion::kFireworks: {
      // The centres come first, and stay.
      if (index < kFireworkCenters) break;
      const Shape& center = start[(index - kFireworkCenters) / kSparksOfFirework];
      Spark spark{shape.x,  shape.y,  start[index].x, start[index].y,
                  center.x, center.y, velocity.x,     velocity.y};
      for (std::uint32_t step = from; step < to; ++step) step_spark(spark);
      shape.x = spark.x;
      shape.y = spark.y;
      break;
    }
    case Motion::kSnow: {
      SnowFlake flake{shape.x, shape.y, velocity.x, velocity.y};
      const float force_scale = snow_force_scale(shape.z);
      const std::uint32_t hash = snow_flake_hash(static_cast<std::uint32_t>(index), shape.z);
      for (std::uint32_t step = from + 1; step <= to; ++step)
        step_snow(flake, shape.radius, force_scale, hash, step);
      shape.x = flake.x;
      shape.y = flake.y;
      velocity = {flake.velocity_x, flake.velocity_y};
      break;
    }
  }
}

}  // namespace roundel
