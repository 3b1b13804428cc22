#include "renderer/circles/snow_motion.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "renderer/circles/snow_step.h"

#define HWY_TARGET_INCLUDE "renderer/circles/snow_motion.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {

constexpr std::size_t kGroup = SnowFlakes::kGroup;  // the compiler makes them vectors

/// Flakes do not interact: a group takes all steps in registers.
void move_group(SnowFlakes& flakes, std::size_t first, std::uint32_t from, std::uint32_t to) {
  float x[kGroup], y[kGroup], velocity_x[kGroup], velocity_y[kGroup];
  std::copy_n(&flakes.x[first], kGroup, x);
  std::copy_n(&flakes.y[first], kGroup, y);
  std::copy_n(&flakes.velocity_x[first], kGroup, velocity_x);
  std::copy_n(&flakes.velocity_y[first], kGroup, velocity_y);
  const float* const radius = &flakes.radius[first];
  const float* const force_scale = &flakes.force_scale[first];
  const std::uint32_t* const hash = &flakes.hash[first];
  for (std::uint32_t step = from + 1; step <= to; ++step)
    for (std::size_t k = 0; k < kGroup; ++k) {
      SnowFlake flake = {x[k], y[k], velocity_x[k], velocity_y[k]};
      step_snow(flake, radius[k], force_scale[k], hash[k], step);
      x[k] = flake.x;
      y[k] = flake.y;
      velocity_x[k] = flake.velocity_x;
      velocity_y[k] = flake.velocity_y;
    }
  std::copy_n(x, kGroup, &flakes.x[first]);
  std::copy_n(y, kGroup, &flakes.y[first]);
  std::copy_n(velocity_x, kGroup, &flakes.velocity_x[first]);
  std::copy_n(velocity_y, kGroup, &flakes.velocity_y[first]);
}

/// `first` is a multiple of kGroup.
void move_range(SnowFlakes& flakes, std::size_t first, std::size_t last, std::int64_t from,
                std::int64_t to) {
  for (; first < last; first += kGroup)
    move_group(flakes, first, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
}

void write_range(const SnowFlakes& flakes, std::size_t first, std::span<Shape> shapes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<float, kGroup> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const float *const x = &flakes.x[first], *const y = &flakes.y[first];
  const float *const z = &flakes.z[first], *const radius = &flakes.radius[first];
  std::size_t i = 0;
  for (; i + lanes <= shapes.size(); i += lanes)
    hn::StoreInterleaved4(hn::LoadU(tag, x + i), hn::LoadU(tag, y + i), hn::LoadU(tag, z + i),
                          hn::LoadU(tag, radius + i), tag, &shapes[i].x);
  for (; i < shapes.size(); ++i) shapes[i] = {x[i], y[i], z[i], radius[i]};
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
namespace {
HWY_EXPORT(move_range);
HWY_EXPORT(write_range);
}  // namespace

SnowFlakes::SnowFlakes(std::size_t flakes) : count(flakes) {
  const std::size_t padded = (count + kGroup - 1) / kGroup * kGroup;
  for (Buffer<float>* buffer : {&x, &y, &velocity_x, &velocity_y, &z, &radius, &force_scale}) {
    *buffer = Buffer<float>(padded);
    std::fill(buffer->begin(), buffer->end(), 0.0f);
  }
  hash = Buffer<std::uint32_t>(padded);
  for (std::size_t i = count; i < padded; ++i) set_depth(i, 0);
}

void SnowFlakes::set_depth(std::size_t i, float depth) {
  z[i] = depth;
  force_scale[i] = snow_force_scale(depth);
  hash[i] = snow_flake_hash(static_cast<std::uint32_t>(i), depth);
}

void move_snow(SnowFlakes& flakes, std::int64_t from, std::int64_t to) {
  if (from == to) return;
  constexpr std::size_t kTask = 2048;  // flakes per task
  const auto move = HWY_DYNAMIC_DISPATCH(move_range);
  tbb::parallel_for(std::size_t{0}, (flakes.count + kTask - 1) / kTask, [&](std::size_t task) {
    move(flakes, task * kTask, std::min(flakes.count, (task + 1) * kTask), from, to);
  });
}

void write_snow(const SnowFlakes& flakes, std::size_t first, std::span<Shape> shapes) {
  HWY_DYNAMIC_DISPATCH(write_range)(flakes, first, shapes);
}

}  // namespace roundel
#endif
