#pragma once
#include <cmath>

#include "renderer/base/host_device.h"

/// Steps of 1/60 s for bouncingballs, hypnosis and fireworks, whose circles do not interact.
/// Binary32 throughout, in the order written.
namespace roundel {

inline constexpr float kStepSeconds = 1.0f / 60.0f;

struct Ball {
  float y, velocity;  ///< vertical
};

/// Falls, and bounces at y = 0 with a fifth less speed, until it rests.
ROUNDEL_HOST_DEVICE inline void step_ball(Ball& ball) {
  constexpr float kGravity = -2.8f;
  constexpr float kBounce = -.8f;
  constexpr float kRest = .001f;
  if (ball.velocity == 0.0f && ball.y == 0.0f) return;
  const Ball old = ball;
  if (ball.y < 0.0f && old.velocity < 0.0f) ball.velocity = ball.velocity * kBounce;
  ball.velocity = ball.velocity + kGravity * kStepSeconds;
  ball.y = ball.y + ball.velocity * kStepSeconds;
  if (std::fabs(ball.velocity - old.velocity) < kRest && old.y < 0.0f &&
      std::fabs(ball.y - old.y) < kRest) {
    ball.velocity = 0.0f;
    ball.y = 0.0f;
  }
}

ROUNDEL_HOST_DEVICE inline float step_hypnosis(float radius) {
  return radius > .5f ? .02f : radius + .01f;
}

/// A spark of a firework, its start and the centre that it leaves.
struct Spark {
  float x, y;
  float start_x, start_y;
  float center_x, center_y;
  float velocity_x, velocity_y;  ///< constant
};

/// Flies straight; restarts beyond a quarter from the centre.
ROUNDEL_HOST_DEVICE inline void step_spark(Spark& spark) {
  constexpr float kReach = .25f;
  spark.x = spark.x + spark.velocity_x * kStepSeconds;
  spark.y = spark.y + spark.velocity_y * kStepSeconds;
  const float dx = spark.x - spark.center_x;
  const float dy = spark.y - spark.center_y;
  if (std::sqrt(dx * dx + dy * dy) > kReach) {
    spark.x = spark.start_x;
    spark.y = spark.start_y;
  }
}

}  // namespace roundel
