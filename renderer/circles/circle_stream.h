#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/circle_recipe.h"
#include "renderer/circles/random_run.h"

namespace roundel {

/// A frame's circles in paint order and frame space: all in memory, or made where they are needed.
/// Whoever draws asks for runs of them, in whatever order, and never for those that nobody sees.
class CircleStream {
 public:
  /// Writes circles first .. first + n − 1 (n = the size of both spans) but for depths that
  /// painting does not read. Called from many threads at once; starts no tasks.
  using Make = std::function<void(std::size_t first, std::span<Shape>, std::span<Paint>)>;

  /// How circles are taken that are best made many at once.
  struct Chunks {
    std::size_t largest = 0;  ///< circles that drawing should take at once; 0: as it likes
    /// What Make does, by all threads, from one at a time; without it Make does for many, too.
    Make make;
    std::uint64_t source_bytes = 0;  ///< main memory of what they are made from
    /// All of the circles, where they are random ones that can be made anywhere; else null.
    std::shared_ptr<const std::vector<RandomRun>> random_runs;
  };

  /// Circles in memory, to which it keeps a reference.
  CircleStream(const Circles& circles)  // NOLINT: as a std::span is one of a vector
      : count_(circles.count()), memory_(&circles) {}
  /// `sample_run`: how many neighbours cost little more than one of them.
  CircleStream(std::size_t count, std::size_t sample_run, Make make)
      : CircleStream(count, sample_run, std::move(make), {}) {}
  CircleStream(std::size_t count, std::size_t sample_run, Make make, Chunks chunks)
      : count_(count),
        sample_run_(sample_run),
        make_(std::move(make)),
        chunks_(std::move(chunks)) {}

  /// A film's circles at a frame, to which it keeps a reference; made anew from frame 0 by fetch().
  explicit CircleStream(const CircleRecipe& recipe)
      : CircleStream(
            recipe.film->count(), 1,
            [&recipe](std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) {
              recipe.make_run(first, shapes, paints);
            }) {
    recipe_ = &recipe;
  }

  std::size_t count() const { return count_; }
  std::size_t sample_run() const { return sample_run_; }
  /// See there.
  std::size_t largest_chunk() const { return chunks_.largest; }
  /// Main memory that they take, or what they are made from.
  std::uint64_t bytes() const {
    return memory_ != nullptr ? count_ * (sizeof(Shape) + sizeof(Paint)) : chunks_.source_bytes;
  }
  /// True where fetch() is for samples, and fetch_in_parallel() for all else.
  bool makes_chunks() const { return chunks_.make != nullptr; }
  /// All circles, where they are in memory; else null.
  const Circles* in_memory() const { return memory_; }
  /// How to make them from their film's, where they are that; else null.
  const CircleRecipe* recipe() const { return recipe_; }

  /// All of them, in their order, where whoever draws can make them without fetch(); else none.
  std::span<const RandomRun> random_runs() const {
    return chunks_.random_runs ? std::span<const RandomRun>(*chunks_.random_runs)
                               : std::span<const RandomRun>();
  }
  /// To be called by whoever made so many without fetch().
  void count_made(std::uint64_t circles) const {
    if (progress_ != nullptr) progress_->done += circles;
  }

  /// What Make says.
  void fetch(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// The same by all threads, which may take a while.
  void fetch_in_parallel(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// Circles first .. first + n − 1 in `made`, which grows where it is smaller than that.
  void fetch_in_parallel(std::size_t first, std::size_t n, Circles& made) const;
  /// The same circles, which are counted as they are made; those in memory are not. Drawing may end
  /// before all are. Keeps a reference.
  CircleStream counted(WorkCount& progress) const {
    CircleStream counted = *this;
    counted.progress_ = &progress;
    return counted;
  }
  /// All circles: in_memory(), or `made`, which gets them.
  const Circles& all(Circles& made) const;

 private:
  std::size_t count_, sample_run_ = 1;
  const Circles* memory_ = nullptr;
  const CircleRecipe* recipe_ = nullptr;
  Make make_;
  Chunks chunks_;
  WorkCount* progress_ = nullptr;
};

}  // namespace roundel
