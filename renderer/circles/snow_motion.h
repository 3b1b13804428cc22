#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "renderer/base/buffer.h"
#include "renderer/circles/circle.h"

namespace roundel {

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

/// Writes flakes `first` and following. One thread.
void write_snow(const SnowFlakes& flakes, std::size_t first, std::span<Shape> shapes);

}  // namespace roundel
