#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace roundel {

/// 0 of 0 while unknown.
struct WorkCount {
  std::atomic<std::uint64_t> done{0}, total{0};
};

/// Resource that a stage uses; kBus lies between processors and device.
enum class StageResource { kCpu, kCuda, kBus, kOutput };

struct Stage {
  std::string name;  ///< read, generate, bin, blend, copy, encode or write
  StageResource resource = StageResource::kCpu;
  double milliseconds = 0;  ///< wall time, summed over a frame's chunks
  std::uint64_t bytes = 0;  ///< size of the result (circles, lists, pixels, file)
};

/// Stages of one frame, in the order of their first run.
struct StageStats {
  std::vector<Stage> stages;
  std::uint64_t circles = 0;
  std::uint64_t overlaps = 0;       ///< circle–tile pairs in lists
  std::uint64_t chunks = 0;         ///< groups of circles that went through bin and blend
  std::uint64_t largest_chunk = 0;  ///< circles
  std::uint64_t memory = 0;         ///< CPU backend: peak bytes of lists, chunks and states

  /// Appends the stage if it is new.
  Stage& stage(const std::string& name, StageResource resource = StageResource::kCpu) {
    for (Stage& s : stages)
      if (s.name == name && s.resource == resource) return s;
    return stages.emplace_back(Stage{name, resource});
  }

  /// Adds another frame or thread.
  void add(const StageStats& other) {
    for (const Stage& s : other.stages) {
      Stage& sum = stage(s.name, s.resource);
      sum.milliseconds += s.milliseconds;
      sum.bytes += s.bytes;
    }
    circles += other.circles;
    overlaps += other.overlaps;
    chunks += other.chunks;
    largest_chunk = std::max(largest_chunk, other.largest_chunk);
    memory = std::max(memory, other.memory);
  }
};

/// Adds its lifetime to a stage.
class StageTimer {
 public:
  StageTimer(StageStats& stats, std::string stage_name,
             StageResource resource = StageResource::kCpu)
      : stats_(stats), stage_name_(std::move(stage_name)), resource_(resource) {}
  ~StageTimer() {
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start_;
    stats_.stage(stage_name_, resource_).milliseconds += elapsed.count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageStats& stats_;
  std::string stage_name_;
  StageResource resource_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace roundel
