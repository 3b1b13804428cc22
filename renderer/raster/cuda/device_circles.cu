#include "renderer/raster/cuda/device_circles.h"

#include <map>
#include <utility>

#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/locked_pages.h"
#include "renderer/raster/cuda/stream.h"

namespace roundel::cuda {
namespace {

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) make_circles_kernel(const MakeCirclesArgs args) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const auto& [from, to, move] = *args.frame;
  if (args.motion == Motion::kNone) {
    args.shapes[i] = move(args.start[i]);
    return;
  }
  Shape shape = args.stepped[i];
  Velocity velocity = args.velocities[i];
  step_circle(args.motion, args.start, i, from, to, shape, velocity);
  args.stepped[i] = shape;
  args.velocities[i] = velocity;
  args.shapes[i] = move(shape);
}

/// Circles first .. first + count − 1 of a layer; shapes and paints [count].
struct MakeRandomArgs {
  RandomRun run;
  std::uint64_t first, count;
  Shape* shapes;
  Paint* paints;
};

__global__ void __launch_bounds__(kThreads) make_random_kernel(const MakeRandomArgs args) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= args.count) return;
  Shape shape;
  Paint paint;
  args.run.make(args.first + i, shape, paint);
  args.shapes[i] = shape;
  args.paints[i] = paint;
}

dim3 blocks_for(std::uint64_t circles) {
  return dim3(static_cast<unsigned>((circles + kThreads - 1) / kThreads));
}

template <typename T>
void copy_to_device(DeviceBuffer<T>& to, const T* from, std::uint64_t count, cudaStream_t stream) {
  to.reserve_discard(count);
  if (count > 0)
    ROUNDEL_CUDA_CHECK(
        cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyHostToDevice, stream));
}

}  // namespace

void make_circles(const MakeCirclesArgs& args, cudaStream_t stream) {
  launch(make_circles_kernel, blocks_for(args.count), kThreads, 0, args, false, stream);
}

std::shared_ptr<const DeviceFilm> DeviceFilm::get(const FilmCircles& film, cudaStream_t stream) {
  static std::mutex mutex;
  static std::map<std::pair<int, std::uint64_t>, std::weak_ptr<DeviceFilm>> films;
  int device = 0;
  ROUNDEL_CUDA_CHECK(cudaGetDevice(&device));
  std::shared_ptr<DeviceFilm> found;
  {
    const std::lock_guard lock(mutex);
    std::erase_if(films, [](const auto& item) { return item.second.expired(); });
    std::weak_ptr<DeviceFilm>& known = films[{device, film.number}];
    found = known.lock();
    if (!found) known = found = std::make_shared<DeviceFilm>();
  }
  std::call_once(found->copied_, [&] {
    copy_to_device(found->paints_, film.circles.paints.data(), film.count(), stream);
    copy_to_device(found->start_, film.circles.shapes.data(), film.count(), stream);
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream));  // others read it in streams of their own
    found->number_ = film.number;
  });
  return found;
}

void DeviceCircles::keep(const Circles& circles, cudaStream_t stream) {
  copy_run(circles, 0, circles.count(), stream);
  ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream));
  kept_ = &circles;
}

void DeviceCircles::put(const CircleStream& circles, const Chunk& chunk, FrameGraph& graph,
                        StageStats& stats) {
  const cudaStream_t stream = graph.stream();
  holds_all_ = has_all(circles);
  if (circles.recipe() != nullptr) return make(*circles.recipe(), graph);
  if (holds_all_) return;
  if (!circles.random_runs().empty()) return make_random(circles, chunk, stream);
  if (const Circles* const known = circles.in_memory(); known != nullptr)
    return copy_run(*known, chunk.begin, chunk.count(), stream);
  {
    const ProfilerRange range("generate");
    const StageTimer timer(stats, "generate");
    circles.fetch_in_parallel(chunk.begin, chunk.count(), made_);
    stats.stage("generate").bytes += chunk.count() * (sizeof(Shape) + sizeof(Paint));
  }
  stats.stage("copy", StagePlace::kBus).bytes += chunk.count() * (sizeof(Shape) + sizeof(Paint));
  made_.paints_generation = 0;
  copy_run(made_, 0, chunk.count(), stream);
}

/// A chunk's circles, layer by layer.
void DeviceCircles::make_random(const CircleStream& circles, const Chunk& chunk,
                                cudaStream_t stream) {
  kept_ = nullptr;
  film_.reset();
  copied_paints_ = {};
  shapes_.reserve_discard(chunk.count());
  paints_.reserve_discard(chunk.count());
  for (const RandomRun& run : circles.random_runs()) {
    const std::uint64_t begin = std::max(run.first, chunk.begin);
    const std::uint64_t end = std::min(run.first + run.count, chunk.end);
    if (begin >= end) continue;
    launch(
        make_random_kernel, blocks_for(end - begin), kThreads, 0,
        MakeRandomArgs{run, begin - run.first, end - begin, shapes_.data() + (begin - chunk.begin),
                       paints_.data() + (begin - chunk.begin)},
        false, stream);
  }
  circles.count_made(chunk.count());
}

/// Circles from `first` on, but for paints that are there already.
void DeviceCircles::copy_run(const Circles& circles, std::uint64_t first, std::uint64_t count,
                             cudaStream_t stream) {
  kept_ = nullptr;
  film_.reset();
  copy_to_device(shapes_, circles.shapes.data() + first, count, stream);
  copy_paints(circles, first, count, stream);
}

void DeviceCircles::copy_paints(const Circles& circles, std::uint64_t first, std::uint64_t count,
                                cudaStream_t stream) {
  const PaintsIdentity identity{circles.paints_generation, first, first + count};
  paints_.reserve_discard(count);
  if (count == 0 || (identity.generation != 0 && identity == copied_paints_)) return;
  copy_to_device(paints_, circles.paints.data() + first, count, stream);
  copied_paints_ = identity;
}

/// All of a frame, but for layers that are as in the frame before.
void DeviceCircles::make(const CircleRecipe& recipe, FrameGraph& graph) {
  const FilmCircles& film = *recipe.film;
  if (!film_ || film.number != film_->number()) begin_film(film, graph.stream());
  if (recipe.steps < steps_) restart(film, *film_, graph.stream());
  const bool is_first = moves_.empty();
  bool is_copied = false;
  for (std::size_t k = 0; k < film.layers.size(); ++k) {
    const auto& [first, count, motion] = film.layers[k];
    const bool is_stepped = motion != Motion::kNone;
    const bool is_same = !is_first && recipe.moves[k] == moves_[k];
    if (count == 0 || (is_same && (!is_stepped || recipe.steps == steps_))) continue;
    if (!is_copied) put_frame(recipe, graph);
    is_copied = true;
    graph.put(make_circles,
              {count, motion, frame_.data() + k, film_->start() + first,
               is_stepped ? stepped_.data() + first : nullptr,
               is_stepped ? velocities_.data() + first : nullptr, shapes_.data() + first});
  }
  steps_ = recipe.steps;
  moves_ = recipe.moves;
}

/// What changes for this frame. That of the frame before has been read.
void DeviceCircles::put_frame(const CircleRecipe& recipe, FrameGraph& graph) {
  for (std::size_t k = 0; k < recipe.moves.size(); ++k)
    next_frame_[k] = {static_cast<std::uint32_t>(steps_), static_cast<std::uint32_t>(recipe.steps),
                      recipe.moves[k]};
  graph.put(copy, {frame_.data(), next_frame_.data(), next_frame_.size() * sizeof(LayerFrame)});
}

void DeviceCircles::begin_film(const FilmCircles& film, cudaStream_t stream) {
  kept_ = nullptr;
  film_.reset();
  std::shared_ptr<const DeviceFilm> on_device = DeviceFilm::get(film, stream);
  shapes_.reserve_discard(film.count());
  if (next_frame_.size() != film.layers.size()) {
    next_frame_ = locked_pages<LayerFrame>(film.layers.size());
    frame_ = DeviceBuffer<LayerFrame>(film.layers.size());
  }
  restart(film, *on_device, stream);
  film_ = std::move(on_device);  // all of it is there
}

/// To frame 0.
void DeviceCircles::restart(const FilmCircles& film, const DeviceFilm& on_device,
                            cudaStream_t stream) {
  steps_ = 0;
  moves_.clear();
  if (film.velocities.empty()) return;
  stepped_.reserve_discard(film.count());
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(stepped_.data(), on_device.start(),
                                     film.count() * sizeof(Shape), cudaMemcpyDeviceToDevice,
                                     stream));
  copy_to_device(velocities_, film.velocities.data(), film.count(), stream);
}

}  // namespace roundel::cuda
