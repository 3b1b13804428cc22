#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "renderer/base/buffer.h"
#include "renderer/circles/circle.h"

namespace roundel {

/// Flakes in paint order, in arrays padded to whole groups.
struct SnowFlakes {
  static constexpr std::size_t kGroup = 16;

  std::size_t count = 0;
  Buffer<float> x, y, velocity_x, velocity_y;  ///< change at each step
  Buffer<float> z, radius;                     ///< constant
  Buffer<float> force_scale;                   ///< computed from z
  Buffer<std::uint32_t> hash;

  /// All at 0, without speed; call set_depth() for each.
  explicit SnowFlakes(std::size_t count = 0);
  void set_depth(std::size_t i, float depth);
};

/// Moves all flakes from frame `from` to frame `to` >= `from`, on all threads.
void move_snow(SnowFlakes& flakes, std::int64_t from, std::int64_t to);

/// Writes flakes from `first` on. One thread.
void write_snow(const SnowFlakes& flakes, std::size_t first, std::span<Shape> shapes);

}  // namespace roundel
