#include "renderer/raster/cuda/device_film.h"

#include <algorithm>
#include <utility>

#include "renderer/raster/cuda/make_circles.h"
#include "renderer/raster/cuda/shared_on_device.h"

namespace roundel::cuda {
namespace {

/// Steps between states.
constexpr std::int64_t kStateInterval = 8;
/// A film's states, without those in use. More serve late threads.
constexpr std::uint64_t kMinStates = 2, kMaxStates = 8, kBytesOfStates = std::uint64_t{64} << 20;

}  // namespace

std::shared_ptr<DeviceFilm> DeviceFilm::get(const FilmCircles& film, cudaStream_t stream) {
  return SharedOnDevice<DeviceFilm>::get(film.number,
                                         [&](DeviceFilm& made) { made.copy(film, stream); });
}

void DeviceFilm::copy(const FilmCircles& film, cudaStream_t stream) {
  layers_ = film.layers;
  start_ = std::make_shared<State>();
  copy_to_device<Paint>(film.circles.paints.span(), paints_, stream);
  copy_to_device<Shape>(film.circles.shapes.span(), start_->shapes, stream);
  copy_to_device<Velocity>(film.velocities, start_->velocities, stream);
  ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream));  // for the streams of others
  start_->is_made_ = true;
  number_ = film.number;
}

std::uint64_t DeviceFilm::bytes() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t state = start_->shapes.bytes() + start_->velocities.bytes();
  return paints_.bytes() + (1 + states_.size()) * state;
}

std::shared_ptr<const DeviceFilm::State> DeviceFilm::state_before(std::int64_t steps,
                                                                  cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  const std::int64_t before = steps / kStateInterval * kStateInterval;
  const std::shared_ptr<State> found = state_at(before);
  state_at(before + kStateInterval);  // made ahead of time
  if (!found->is_made_) found->is_made_ = found->made_.is_reached();
  if (!found->is_made_) found->made_.make_wait(stream);
  return found;
}

std::shared_ptr<DeviceFilm::State> DeviceFilm::state_at(std::int64_t steps) {
  std::shared_ptr<State> last = start_;
  for (const std::shared_ptr<State>& state : states_)
    if (state->steps <= steps && state->steps > last->steps) last = state;
  last->last_use_ = ++num_uses_;
  if (last->steps == steps) return last;
  std::shared_ptr<State> made = free_state();
  made->steps = 0;  // like the start, until the state is complete
  made->is_made_ = false;
  step(*last, steps, *made);
  made->made_.record(stream_);
  made->steps = steps;
  made->last_use_ = ++num_uses_;
  return made;
}

/// Returns the least recently used free state, or a new one.
std::shared_ptr<DeviceFilm::State> DeviceFilm::free_state() {
  const std::uint64_t bytes = start_->shapes.bytes() + start_->velocities.bytes();
  const std::uint64_t most = std::clamp(kBytesOfStates / bytes, kMinStates, kMaxStates);
  if (states_.size() >= most) {
    std::shared_ptr<State>* oldest = nullptr;
    for (std::shared_ptr<State>& state : states_)
      if (state.use_count() == 1 && (!oldest || state->last_use_ < (*oldest)->last_use_))
        oldest = &state;
    if (oldest != nullptr) return *oldest;
  }
  auto made = std::make_shared<State>();
  made->shapes = DeviceBuffer<Shape>(start_->shapes.size());
  made->velocities = DeviceBuffer<Velocity>(start_->velocities.size());
  states_.push_back(made);
  return made;
}

void DeviceFilm::step(const State& from, std::int64_t steps, State& to) const {
  for (const auto& [first, count, motion] : layers_) {
    if (count == 0 || motion == Motion::kNone) continue;
    step_circles(
        {count, motion, static_cast<std::uint32_t>(from.steps), static_cast<std::uint32_t>(steps),
         start() + first, from.shapes.data() + first, from.velocities.data() + first,
         to.shapes.data() + first, to.velocities.data() + first},
        stream_);
  }
}

}  // namespace roundel::cuda
