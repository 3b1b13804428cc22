#include "renderer/raster/cuda/device_circles.h"

#include <algorithm>
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
  const LayerFrame& frame = *args.frame;
  Shape shape = frame.shapes[i];
  if (args.motion != Motion::kNone) {
    Velocity velocity = frame.velocities[i];
    step_circle(args.motion, args.start, i, frame.from, frame.to, shape, velocity);
  }
  args.shapes[i] = frame.move(shape);
}

__global__ void __launch_bounds__(kThreads) step_circles_kernel(const StepCirclesArgs args) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= args.count) return;
  Shape shape = args.shapes[i];
  Velocity velocity = args.velocities[i];
  step_circle(args.motion, args.start, i, args.from, args.to, shape, velocity);
  args.stepped_shapes[i] = shape;
  args.stepped_velocities[i] = velocity;
}

/// Circles of a layer from `first` on; shapes and paints [count].
template <typename Laws>
struct MakeRunArgs {
  Laws laws;
  std::uint64_t first, count;
  Shape* shapes;
  Paint* paints;
};

template <typename Laws>
__global__ void __launch_bounds__(kThreads)
    make_run_kernel(const __grid_constant__ MakeRunArgs<Laws> args) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= args.count) return;
  Shape shape;
  Paint paint;
  args.laws.make(args.first + i, shape, paint);
  args.shapes[i] = shape;
  args.paints[i] = paint;
}

dim3 blocks_for(std::uint64_t circles) {
  return dim3(static_cast<unsigned>((circles + kThreads - 1) / kThreads));
}

}  // namespace

void make_circles(const MakeCirclesArgs& args, cudaStream_t stream) {
  launch(make_circles_kernel, blocks_for(args.count), kThreads, 0, args, false, stream);
}

void step_circles(const StepCirclesArgs& args, cudaStream_t stream) {
  launch(step_circles_kernel, blocks_for(args.count), kThreads, 0, args, false, stream);
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
  const CircleRecipe* const recipe = circles.recipe();
  makes_ = recipe != nullptr && (recipe->film || takes_rows(*recipe, stream));
  if (makes_) return recipe->film ? make(*recipe, graph) : make_runs(circles, chunk, stream);
  if (holds_all_) return;
  if (const Circles* const known = circles.in_memory(); known != nullptr)
    return copy_run(*known, chunk.begin, chunk.count(), stream);
  {
    const ProfilerRange range("generate");
    const StageTimer timer(stats, "generate");
    circles.fetch_in_parallel(chunk.begin, chunk.count(), made_);
    stats.stage("generate").bytes += chunk.count() * (sizeof(Shape) + sizeof(Paint));
  }
  stats.stage("copy", StageResource::kBus).bytes += chunk.count() * (sizeof(Shape) + sizeof(Paint));
  made_.paints_generation = 0;
  copy_run(made_, 0, chunk.count(), stream);
}

/// Copies held rows that are not there. False if they do not fit.
bool DeviceCircles::takes_rows(const CircleRecipe& recipe, cudaStream_t stream) {
  std::uint64_t bytes = 0;
  for (const CircleRun& run : recipe.runs)
    if (const auto* const rows = std::get_if<RowsRun>(&run))
      bytes += DeviceRows::bytes_of(*rows->rows);
  if (bytes > most_bytes_of_rows_) return false;
  std::vector<std::shared_ptr<const DeviceRows>> taken;
  for (const CircleRun& run : recipe.runs) {
    const auto* const rows = std::get_if<RowsRun>(&run);
    taken.push_back(rows != nullptr ? DeviceRows::get(rows->rows, stream) : nullptr);
  }
  rows_ = std::move(taken);
  return true;
}

void DeviceCircles::make_runs(const CircleStream& circles, const Chunk& chunk,
                              cudaStream_t stream) {
  kept_ = nullptr;
  drop_film();
  copied_paints_ = {};
  shapes_.reserve_discard(chunk.count());
  paints_.reserve_discard(chunk.count());
  const std::vector<CircleRun>& runs = circles.recipe()->runs;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const auto make = [&](const auto& run, const auto& laws) {
      using Laws = std::decay_t<decltype(laws)>;
      const std::uint64_t begin = std::max(run.first, chunk.begin);
      const std::uint64_t end = std::min(run.first + run.count, chunk.end);
      if (begin >= end) return;
      launch(make_run_kernel<Laws>, blocks_for(end - begin), kThreads, 0,
             MakeRunArgs<Laws>{laws, begin - run.first, end - begin,
                               shapes_.data() + (begin - chunk.begin),
                               paints_.data() + (begin - chunk.begin)},
             false, stream);
    };
    if (const auto* const rows = std::get_if<RowsRun>(&runs[k]))
      make(*rows, rows_[k]->on_device(rows->laws));
    else
      make(std::get<RandomRun>(runs[k]), std::get<RandomRun>(runs[k]));
  }
  circles.count_made(chunk.count());
}

/// Copies circles from `first` on, except paints already there.
void DeviceCircles::copy_run(const Circles& circles, std::uint64_t first, std::uint64_t count,
                             cudaStream_t stream) {
  drop();
  copy_to_device<Shape>({circles.shapes.data() + first, count}, shapes_, stream);
  copy_paints(circles, first, count, stream);
}

void DeviceCircles::copy_paints(const Circles& circles, std::uint64_t first, std::uint64_t count,
                                cudaStream_t stream) {
  const PaintsIdentity identity{circles.paints_generation, first, first + count};
  if (paints_.size() < count) copied_paints_ = {};
  paints_.reserve_discard(count);
  if (count == 0 || (identity.generation != 0 && identity == copied_paints_)) return;
  copy_to_device<Paint>({circles.paints.data() + first, count}, paints_, stream);
  copied_paints_ = identity;
}

/// Makes the circles of all layers that differ from the previous frame.
void DeviceCircles::make(const CircleRecipe& recipe, FrameGraph& graph) {
  const FilmCircles& film = *recipe.film;
  if (!film_ || film.number != film_->number()) begin_film(film, graph.stream());
  const bool is_first = moves_.empty();
  bool is_copied = false;
  for (std::size_t k = 0; k < film.layers.size(); ++k) {
    const auto& [first, count, motion] = film.layers[k];
    const bool is_same = !is_first && recipe.moves[k] == moves_[k];
    if (count == 0 || (is_same && (motion == Motion::kNone || recipe.steps == steps_))) continue;
    if (!is_copied) put_frame(recipe, graph);
    is_copied = true;
    graph.put(make_circles,
              {count, motion, frame_.data() + k, film_->start() + first, shapes_.data() + first});
  }
  steps_ = recipe.steps;
  moves_ = recipe.moves;
}

/// Uploads the frame's arguments. The device has read the previous ones.
void DeviceCircles::put_frame(const CircleRecipe& recipe, FrameGraph& graph) {
  const FilmCircles& film = *recipe.film;
  if (!film.velocities.empty()) state_ = film_->state_before(recipe.steps, graph.stream());
  for (std::size_t k = 0; k < film.layers.size(); ++k) {
    const auto& [first, count, motion] = film.layers[k];
    LayerFrame& frame = next_frame_[k];
    frame = {film_->start() + first, nullptr, 0, 0, recipe.moves[k]};
    if (motion == Motion::kNone) continue;
    frame.shapes = state_->shapes.data() + first;
    frame.velocities = state_->velocities.data() + first;
    frame.from = static_cast<std::uint32_t>(state_->steps);
    frame.to = static_cast<std::uint32_t>(recipe.steps);
  }
  graph.put(copy, {frame_.data(), next_frame_.data(), next_frame_.size() * sizeof(LayerFrame)});
}

void DeviceCircles::begin_film(const FilmCircles& film, cudaStream_t stream) {
  drop();
  std::shared_ptr<DeviceFilm> on_device = DeviceFilm::get(film, stream);
  shapes_.reserve_discard(film.count());
  if (next_frame_.size() != film.layers.size()) {
    next_frame_ = locked_pages<LayerFrame>(film.layers.size());
    frame_ = DeviceBuffer<LayerFrame>(film.layers.size());
  }
  steps_ = 0;
  moves_.clear();
  film_ = std::move(on_device);  // last, since the film is complete
}

void DeviceCircles::drop_film() {
  state_.reset();
  film_.reset();
}

/// Drops all sources of circles.
void DeviceCircles::drop() {
  kept_ = nullptr;
  rows_.clear();
  drop_film();
}

}  // namespace roundel::cuda
