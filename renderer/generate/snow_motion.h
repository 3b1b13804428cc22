#pragma once
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "renderer/base/buffer.h"
#include "renderer/generate/circle.h"

namespace roundel {

/// That are worth a task: a multiple of SnowFlakes::kGroup.
constexpr std::size_t kFlakesOfTask = 2048;
/// Calls function(first, last) in parallel for runs that make up flakes 0 .. count − 1: each goes
/// from `first`, a multiple of kFlakesOfTask, to before `last`.
template <typename Function>
void for_each_run_of_flakes(std::size_t count, const Function& function) {
  tbb::parallel_for(std::size_t{0}, (count + kFlakesOfTask - 1) / kFlakesOfTask,
                    [&](std::size_t task) {
                      function(task * kFlakesOfTask, std::min(count, (task + 1) * kFlakesOfTask));
                    });
}

/// Flakes in paint order, one array a number. The arrays end with some that are no flakes, so that
/// whole groups can be moved.
struct SnowFlakes {
  static constexpr std::size_t kGroup = 16;

  std::size_t count = 0;
  Buffer<float> x, y, velocity_x, velocity_y;  ///< change from step to step
  Buffer<float> z, radius;                     ///< do not
  Buffer<float> force_scale;                   ///< follow from z
  Buffer<std::uint32_t> hash;

  /// All at 0, without speed. set_depth() has to be called for each.
  explicit SnowFlakes(std::size_t count = 0);
  /// Sets a flake's depth and what follows from it.
  void set_depth(std::size_t i, float depth);
};

/// Moves all flakes from frame `from` to frame `to` >= `from` (step_snow), in parallel.
void move_snow(SnowFlakes& flakes, std::int64_t from, std::int64_t to);

/// Where the flakes are: `shapes` is [flakes.count].
void write_snow(const SnowFlakes& flakes, std::span<Shape> shapes);

}  // namespace roundel
