#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "renderer/circles/circle_recipe.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/stream.h"

namespace roundel::cuda {

/// A film's circles in a device's memory, for all threads that draw there. Moving circles are
/// stepped ahead of the frames, in a separate stream, so that a frame takes few steps; from a
/// thread's own last frame it would take as many as threads draw, on all devices.
class DeviceFilm {
 public:
  /// Circles [count] after some steps, in their layers' space. Unchanged while held.
  struct State {
    std::int64_t steps = 0;
    DeviceBuffer<Shape> shapes;
    DeviceBuffer<Velocity> velocities;  ///< empty without motion

   private:
    friend DeviceFilm;
    Event made_{cudaEventDisableTiming};
    bool is_made_ = false;  // known to the host
    std::uint64_t last_use_ = 0;
  };

  /// Returns the film on the thread's device. Copies it unless it is there.
  static std::shared_ptr<DeviceFilm> get(const FilmCircles& film, cudaStream_t stream);

  std::uint64_t number() const { return number_; }
  const Shape* start() const { return start_->shapes.data(); }  // in frame 0
  const Paint* paints() const { return paints_.data(); }
  std::uint64_t bytes() const;

  /// Returns the moving layers at `steps` >= 0 or a few steps earlier. `stream` waits for them.
  /// Callable from any thread.
  std::shared_ptr<const State> state_before(std::int64_t steps, cudaStream_t stream);

 private:
  void copy(const FilmCircles& film, cudaStream_t stream);
  std::shared_ptr<State> state_at(std::int64_t steps);
  std::shared_ptr<State> free_state();
  void step(const State& from, std::int64_t steps, State& to) const;

  std::uint64_t number_ = 0;  // FilmCircles::number
  std::vector<FilmCircles::Layer> layers_;
  DeviceBuffer<Paint> paints_;
  std::shared_ptr<State> start_;  // in frame 0

  mutable std::mutex mutex_;  // guards the members below
  Stream stream_;
  std::vector<std::shared_ptr<State>> states_;  // states after the start
  std::uint64_t num_uses_ = 0;
};

}  // namespace roundel::cuda
