#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "renderer/circles/circle_recipe.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/stream.h"

namespace roundel::cuda {

/// A film's circles in a device's memory, once for all who draw there. Those that move by
/// themselves are stepped here, ahead of the frames and in a stream of their own: a frame then
/// takes few steps. From a thread's own last frame there are as many as threads draw, on all
/// devices.
class DeviceFilm {
 public:
  /// Circles after some steps, in the space of their layers, [count]. It does not change while
  /// somebody holds it.
  struct State {
    std::int64_t steps = 0;
    DeviceBuffer<Shape> shapes;
    DeviceBuffer<Velocity> velocities;  ///< empty where nothing moves by itself

   private:
    friend DeviceFilm;
    Event made_{cudaEventDisableTiming};
    bool is_made_ = false;  // as the host knows
    std::uint64_t last_use_ = 0;
  };

  /// A film on the calling thread's device. Copies it there unless somebody has it already.
  static std::shared_ptr<DeviceFilm> get(const FilmCircles& film, cudaStream_t stream);

  std::uint64_t number() const { return number_; }
  const Shape* start() const { return start_->shapes.data(); }  // in frame 0
  const Paint* paints() const { return paints_.data(); }
  std::uint64_t bytes() const;

  /// The state a few steps before `steps` >= 0, or there: of the layers that move by themselves
  /// only. `stream` waits until it is made. From any thread.
  std::shared_ptr<const State> state_before(std::int64_t steps, cudaStream_t stream);

 private:
  void copy(const FilmCircles& film, cudaStream_t stream);
  std::shared_ptr<State> state_at(std::int64_t steps);
  std::shared_ptr<State> free_state();
  void step(const State& from, std::int64_t steps, State& to) const;

  std::uint64_t number_ = 0;  // FilmCircles::number
  std::once_flag copied_;
  std::vector<FilmCircles::Layer> layers_;
  DeviceBuffer<Paint> paints_;
  std::shared_ptr<State> start_;  // in frame 0

  mutable std::mutex mutex_;  // of what follows
  Stream stream_;
  std::vector<std::shared_ptr<State>> states_;  // after the start
  std::uint64_t num_uses_ = 0;
};

}  // namespace roundel::cuda
