#include "renderer/generate/snow_motion.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "renderer/base/highway_targets.h"
#include "renderer/generate/snow_step.h"

// Highway compiles this file once for every vector instruction set, as the target of the rest of
// it.
#define HWY_DISABLED_TARGETS ROUNDEL_DISABLED_TARGETS
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "renderer/generate/snow_motion.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {

constexpr std::size_t kGroup = 16;  // flakes stepped side by side: the compiler makes them vectors

/// Flakes first..first + kGroup: flakes do not meet, so each goes all the way while its state is at
/// hand. Past the end, the last flake is repeated and not written.
void move_group(SnowFlakes& flakes, std::size_t first, std::uint32_t from, std::uint32_t to) {
  float x[kGroup], y[kGroup], velocity_x[kGroup], velocity_y[kGroup], radius[kGroup];
  float force_scale[kGroup];
  std::uint32_t hash[kGroup];
  const std::size_t count = std::min(kGroup, flakes.count() - first);
  for (std::size_t k = 0; k < kGroup; ++k) {
    const std::size_t i = first + std::min(k, count - 1);
    x[k] = flakes.x[i];
    y[k] = flakes.y[i];
    velocity_x[k] = flakes.velocity_x[i];
    velocity_y[k] = flakes.velocity_y[i];
    radius[k] = flakes.radius[i];
    hash[k] = snow_flake_hash(static_cast<std::uint32_t>(i), flakes.z[i]);
    force_scale[k] = snow_force_scale(flakes.z[i]);
  }
  for (std::uint32_t step = from + 1; step <= to; ++step)
    for (std::size_t k = 0; k < kGroup; ++k) {
      SnowFlake flake = {x[k], y[k], velocity_x[k], velocity_y[k]};
      step_snow(flake, radius[k], force_scale[k], hash[k], step);
      x[k] = flake.x;
      y[k] = flake.y;
      velocity_x[k] = flake.velocity_x;
      velocity_y[k] = flake.velocity_y;
    }
  std::copy_n(x, count, &flakes.x[first]);
  std::copy_n(y, count, &flakes.y[first]);
  std::copy_n(velocity_x, count, &flakes.velocity_x[first]);
  std::copy_n(velocity_y, count, &flakes.velocity_y[first]);
}

/// Flakes first..last; `first` is a multiple of kGroup.
void move_range(SnowFlakes& flakes, std::size_t first, std::size_t last, std::int64_t from,
                std::int64_t to) {
  for (; first < last; first += kGroup)
    move_group(flakes, first, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
namespace {
HWY_EXPORT(move_range);
constexpr std::size_t kTask = 512;  // flakes of one task
}  // namespace

void move_snow(SnowFlakes& flakes, std::int64_t from, std::int64_t to) {
  if (from == to) return;
  const auto move = HWY_DYNAMIC_DISPATCH(move_range);
  tbb::parallel_for(std::size_t{0}, (flakes.count() + kTask - 1) / kTask, [&](std::size_t task) {
    move(flakes, task * kTask, std::min(flakes.count(), (task + 1) * kTask), from, to);
  });
}

}  // namespace roundel
#endif
