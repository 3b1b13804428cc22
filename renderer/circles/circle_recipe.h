#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/circles/circle_motion.h"
#include "renderer/circles/random_run.h"
#include "renderer/circles/rows_run.h"
#include "renderer/circles/view.h"

namespace roundel {

/// A film's circles in frame 0, which a device steps and moves.
struct FilmCircles {
  struct Layer {
    std::size_t first, count;  ///< range in `circles`
    Motion motion;
  };
  std::uint64_t number;  ///< unique in the process, from 1
  /// Circles in frame 0: final paints, shapes in the space of their layers.
  Circles circles;
  std::vector<Velocity> velocities;  ///< [count], in frame 0; empty without simulations
  std::vector<Layer> layers;

  std::size_t count() const { return circles.count(); }
};

using CircleRun = std::variant<RandomRun, RowsRun>;

/// How a device makes a frame's circles: from the film's by steps and moves, or from laws.
struct CircleRecipe {
  std::shared_ptr<const FilmCircles> film;  ///< null if `runs` are all circles
  std::int64_t steps = 0;                   ///< steps after frame 0, >= 0
  std::vector<CircleMove> moves;            ///< to frame space, one per layer
  std::vector<CircleRun> runs = {};         ///< in paint order

  /// Writes circles first .. first + n − 1 (n = the size of both spans) of a film in frame space.
  void make_run(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
};

/// A few circles of a film, stepped from frame to frame.
class SampledCircles {
 public:
  /// Returns shapes in frame space, valid until the next call. Cheap if only a few steps later.
  std::span<const Shape> at(const CircleRecipe& recipe, std::span<const std::size_t> indices);

 private:
  void restart(const FilmCircles& film, std::span<const std::size_t> indices);

  std::uint64_t film_number_ = 0;
  std::int64_t steps_ = 0;
  std::vector<Shape> shapes_, moved_;
  std::vector<Velocity> velocities_;
};

}  // namespace roundel
