#include <algorithm>

#include "renderer/film/export_pipeline.h"
#include "renderer/frame_memory.h"

namespace roundel {

bool all_make_circles(const ExportJob& job) {
  return std::all_of(job.rasterizers.begin(), job.rasterizers.end(),
                     [&](const auto& one) { return one->makes_circles(count_parts(job.scene)); });
}

ExportLimits export_limits(const ExportJob& job, std::size_t encoders, std::uint64_t budget,
                           bool have_recipes) {
  // Writers mostly wait for disks, but take a core each to write into memory.
  constexpr std::size_t kMinWriters = 4, kMaxWriters = 16;
  ExportLimits limits;
  limits.draw = job.rasterizers.size();
  limits.encode = encoders;
  if (!job.sink.in_order()) limits.write = std::clamp(encoders / 2, kMinWriters, kMaxWriters);
  // Four for the six rasterizers of a device: enough for a RAM disk with huge pages.
  limits.write_first = std::min(std::max(kMinWriters, limits.draw * 2 / 3), limits.write);
  // Each encoder has a next picture while rasterizers help. Devices need no encoders, and memory
  // that they write to is slow to allocate: one picture waits while the next one is drawn.
  const bool has_devices = have_recipes && job.encoder.may_be_drawn();
  const std::size_t useful_frames =
      has_devices ? 2 * limits.draw + limits.write : 3 * encoders + 2 * limits.draw;
  // A picture, its filtered rows and its compressed rows.
  const std::uint64_t samples = limits.draw * blur_memory(job.scene, ImageFormat::kPng);
  const std::uint64_t fit =
      (budget - std::min(budget, samples)) / (3 * job.encoder.picture_bytes());
  limits.frames = std::clamp<std::size_t>(fit, limits.draw + 1, useful_frames);
  const std::uint64_t circle_bytes = count_parts(job.scene) * (sizeof(Shape) + sizeof(Paint));
  if (have_recipes) {  // recipes and pictures that are not begun take no memory
    limits.ahead = limits.draw;
    limits.frames += limits.ahead;
  } else if (circle_bytes * (limits.draw + 2) <= budget) {
    limits.ahead = 2;
  }
  return limits;
}

}  // namespace roundel
