#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "renderer/generate/circle.h"
#include "renderer/generate/circle_recipe.h"

namespace roundel {

/// A frame's circles in paint order and frame space: all in memory, or made where they are needed.
/// Whoever draws asks for runs of them, in whatever order, and never for those that nobody sees.
class CircleStream {
 public:
  /// Writes circles first .. first + n − 1 (n = the size of both spans) but for depths that
  /// painting does not read. Called from many threads at once; starts no tasks.
  using Make = std::function<void(std::size_t first, std::span<Shape>, std::span<Paint>)>;

  /// Circles in memory, to which it keeps a reference.
  CircleStream(const Circles& circles)  // NOLINT: as a std::span is one of a vector
      : count_(circles.count()), memory_(&circles) {}
  /// `sample_run`: how many neighbours cost little more than one of them.
  CircleStream(std::size_t count, std::size_t sample_run, Make make)
      : count_(count), sample_run_(sample_run), make_(std::move(make)) {}

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
  /// All circles, where they are in memory; else null.
  const Circles* in_memory() const { return memory_; }
  /// How to make them from their film's, where they are that; else null.
  const CircleRecipe* recipe() const { return recipe_; }

  /// What Make says.
  void fetch(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// The same by all threads, which may take a while.
  void fetch_in_parallel(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// Circles first .. first + n − 1 in `made`, which grows where it is smaller than that.
  void fetch_in_parallel(std::size_t first, std::size_t n, Circles& made) const;
  /// All circles: in_memory(), or `made`, which gets them.
  const Circles& all(Circles& made) const;

 private:
  std::size_t count_, sample_run_ = 1;
  const Circles* memory_ = nullptr;
  const CircleRecipe* recipe_ = nullptr;
  Make make_;
};

/// How far work on streamed circles is: `done` of `total` were made. It may end before.
struct StreamProgress {
  std::atomic<std::uint64_t> done{0}, total{0};
};
/// The same circles, which are counted as they are made; those in memory are not. Keeps references.
CircleStream counted(const CircleStream& circles, StreamProgress& progress);

}  // namespace roundel
