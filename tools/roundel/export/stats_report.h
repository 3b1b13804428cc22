#pragma once
#include <cstdint>
#include <string>

#include "renderer/base/stage_stats.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// One finished picture.
struct FrameReport {
  const Scene& scene;
  std::int64_t frame;
  std::string path;
  std::string backend;
  double milliseconds;  ///< wall time from generating to the file on disk
  StageStats stats;
};

/// "rand10k.png  1024x1024  10,000 circles  23 ms  cpu"
std::string summary_line(const FrameReport& report);
/// The stages with milliseconds, share of the time and bytes; circles, overlaps and chunks below.
std::string stats_table(const FrameReport& report);
/// One JSON object on one line.
std::string stats_json(const FrameReport& report);

}  // namespace roundel
