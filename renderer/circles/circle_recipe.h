#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/circles/circle_motion.h"
#include "renderer/circles/random_run.h"
#include "renderer/circles/view.h"

namespace roundel {

/// What all frames of a film make their circles from.
struct FilmCircles {
  struct Layer {
    std::size_t first, count;  ///< of all circles
    Motion motion;
  };
  std::uint64_t number;  ///< of the process, from 1: no two others have the same
  /// Of frame 0: paints as they are drawn, shapes in the space of their layers.
  Circles circles;
  std::vector<Velocity> velocities;  ///< [count], in frame 0; empty where nothing moves by itself
  std::vector<Layer> layers;

  std::size_t count() const { return circles.count(); }
};

/// A device's own way to make a frame's circles: from its film's, which it has already, by steps
/// and moves; or from random laws.
struct CircleRecipe {
  std::shared_ptr<const FilmCircles> film;  ///< null where `runs` are all circles
  std::int64_t steps = 0;                   ///< >= 0, from frame 0 on
  std::vector<CircleMove> moves;            ///< a layer each, to frame space
  std::vector<RandomRun> runs = {};         ///< in paint order

  /// Writes circles first .. first + n − 1 (n = the size of both spans) of a film in frame space.
  void make_run(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
};

/// A few circles of a film, which are stepped from frame to frame.
class SampledCircles {
 public:
  /// The circles at `places`, in frame space, until the next call. Going forward by few steps is
  /// cheap.
  std::span<const Shape> at(const CircleRecipe& recipe, std::span<const std::size_t> places);

 private:
  void restart(const FilmCircles& film, std::span<const std::size_t> places);

  std::uint64_t number_ = 0;  // of the film
  std::int64_t steps_ = 0;
  std::vector<Shape> shapes_, moved_;
  std::vector<Velocity> velocities_;
};

}  // namespace roundel
