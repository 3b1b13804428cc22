#include <algorithm>

#include "renderer/film/export_pipeline.h"

namespace roundel {

bool all_make_circles(const ExportJob& job) {
  return std::all_of(job.rasterizers.begin(), job.rasterizers.end(),
                     [&](const auto& one) { return one->makes_circles(count_parts(job.scene)); });
}

ExportLimits export_limits(const ExportJob& job, std::size_t encoders, std::uint64_t budget,
                           bool have_recipes) {
  // Threads that write files: on disks they mostly wait, into memory each takes a core.
  constexpr std::size_t kLeastWriters = 4, kMostWriters = 16;
  ExportLimits limits;
  limits.draw = job.rasterizers.size();
  limits.encode = encoders;
  if (!job.sink.in_order()) limits.write = std::clamp(encoders / 2, kLeastWriters, kMostWriters);
  // Four for the six rasterizers of a device: as many as a RAM disk with huge pages needs.
  limits.write_first = std::min(std::max(kLeastWriters, limits.draw * 2 / 3), limits.write);
  // Enough for every encoder to have the next picture waiting while rasterizers help out. Devices
  // need no encoders, and the memory that they write to takes long to get: one picture waits for
  // its turn while the next one is drawn.
  const bool has_devices = have_recipes && job.encoder.may_be_drawn();
  const std::size_t wanted =
      has_devices ? 2 * limits.draw + limits.write : 3 * encoders + 2 * limits.draw;
  // A picture, its filtered rows and its compressed ones.
  const std::uint64_t fit = budget / (3 * job.encoder.picture_bytes());
  limits.frames = std::clamp<std::size_t>(fit, limits.draw + 1, wanted);
  const std::uint64_t circle_bytes = count_parts(job.scene) * (sizeof(Shape) + sizeof(Paint));
  if (have_recipes) {  // neither these nor pictures that are not begun take memory
    limits.ahead = limits.draw;
    limits.frames += limits.ahead;
  } else if (circle_bytes * (limits.draw + 2) <= budget) {
    limits.ahead = 2;
  }
  return limits;
}

}  // namespace roundel
