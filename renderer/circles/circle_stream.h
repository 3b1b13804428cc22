#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/circle_recipe.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

class CircleStream;

/// Pictures at times within a frame, whose mean is the frame.
struct FrameSamples {
  std::size_t count;
  /// Makes picture k's circles and calls draw with them. Thread-safe.
  std::function<void(std::size_t k,
                     const std::function<void(const CircleStream&, const Background&)>& draw)>
      with_circles;
};

/// A frame's circles in paint order and frame space, in memory or made on demand. The rasterizer
/// fetches ranges in any order, and skips hidden circles.
class CircleStream {
 public:
  /// Writes circles first .. first + n − 1 (n = the size of both spans); depths that painting
  /// ignores are unspecified. Thread-safe; starts no tasks, unless is_parallel.
  using Fill = std::function<void(std::size_t first, std::span<Shape>, std::span<Paint>)>;

  /// Properties of circles made on demand.
  struct Traits {
    std::size_t sample_run = 1;  ///< adjacent circles that cost about as much as one
    /// Fill uses all threads: call it from one thread at a time, for many circles.
    bool is_parallel = false;
    std::size_t largest_chunk = 0;   ///< best number of circles per fetch; 0: any
    std::uint64_t source_bytes = 0;  ///< main memory
  };

  /// Keeps a reference.
  CircleStream(const Circles& circles)  // NOLINT: converts, as a vector does to std::span
      : count_(circles.count()), memory_(&circles) {}
  /// Keeps a reference. `source_bytes`: main memory of the source.
  CircleStream(const Circles& circles, std::uint64_t source_bytes)
      : count_(circles.count()), memory_(&circles), traits_{.source_bytes = source_bytes} {}
  CircleStream(std::size_t count, Fill fill) : count_(count), fill_(std::move(fill)) {}
  /// `recipe`: for devices, or null.
  CircleStream(std::size_t count, Fill fill, const Traits& traits,
               std::shared_ptr<const CircleRecipe> recipe)
      : count_(count), traits_(traits), fill_(std::move(fill)), recipe_(std::move(recipe)) {}
  /// A film's frame; fetching steps circles from frame 0 on.
  explicit CircleStream(CircleRecipe recipe);

  std::size_t count() const { return count_; }
  const Traits& traits() const { return traits_; }
  /// Main memory, with the source.
  std::uint64_t bytes() const {
    return (memory_ != nullptr ? count_ * (sizeof(Shape) + sizeof(Paint)) : 0) +
           traits_.source_bytes;
  }
  /// All circles; null if made on demand.
  const Circles* in_memory() const { return memory_; }
  /// Recipe for a device, which then calls count_made(); or null.
  const CircleRecipe* recipe() const { return recipe_.get(); }
  void count_made(std::uint64_t circles) const {
    if (progress_ != nullptr) progress_->done += circles;
  }

  /// Works as Fill does.
  void fetch(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// May take a while.
  void fetch_in_parallel(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// `made` grows if it is too small.
  void fetch_in_parallel(std::size_t first, std::size_t n, Circles& made) const;
  /// Counts circles made on demand; drawing may end before all are made. Keeps a reference.
  CircleStream counted(WorkCount& progress) const {
    CircleStream counted = *this;
    counted.progress_ = &progress;
    return counted;
  }
  /// The frame is the mean of these; the circles of the stream are those of its own time.
  CircleStream with_samples(FrameSamples samples) const {
    CircleStream with = *this;
    with.samples_ = std::make_shared<const FrameSamples>(std::move(samples));
    return with;
  }
  /// Null if the circles are the frame's.
  const FrameSamples* samples() const { return samples_.get(); }
  WorkCount* progress() const { return progress_; }
  /// Number of pictures drawn for the frame.
  std::size_t pictures() const { return samples_ ? samples_->count : 1; }
  /// in_memory(), or `made` with all circles.
  const Circles& all(Circles& made) const;

 private:
  std::size_t count_;
  const Circles* memory_ = nullptr;
  Traits traits_;
  Fill fill_;
  std::shared_ptr<const CircleRecipe> recipe_;
  std::shared_ptr<const FrameSamples> samples_;
  WorkCount* progress_ = nullptr;
};

}  // namespace roundel
