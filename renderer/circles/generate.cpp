#include "renderer/circles/generate.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/circles/circle_parts.h"
#include "renderer/circles/classic.h"
#include "renderer/circles/paint_finish.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/view.h"
#include "renderer/scene/center_rounding.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

std::unique_ptr<LayerSource> make_layer_source(const Scene& scene, std::uint32_t index) {
  struct Make {
    const Scene& scene;
    std::uint32_t index;
    const Layer& layer;
    std::unique_ptr<LayerSource> operator()(const GeneratorSource& s) const {
      return make_classic_layer(s.name, s.seed.value_or(scene.seed), layer.alpha);
    }
    std::unique_ptr<LayerSource> operator()(const RandomSource& s) const {
      return make_random_layer(s, s.seed.value_or(scene.seed), index, layer.alpha);
    }
    std::unique_ptr<LayerSource> operator()(const InlineSource& s) const {
      return make_inline_layer(s, layer.alpha);
    }
    std::unique_ptr<LayerSource> operator()(const DataSource& s) const {
      return make_data_layer(s, layer, scene);
    }
  };
  static const InlineSource kNoCircles;
  const Layer& layer = scene.layers[index];
  if (layer.is_hidden) return make_inline_layer(kNoCircles, 0);
  return std::visit(Make{scene, index, layer}, layer.source);
}

/// Such layers move their circles.
bool is_data(const Layer& layer) {
  return std::holds_alternative<DataSource>(layer.source);
}

/// What is left to do for what the layer's source makes: data move with their layer by themselves.
CircleMove move_of(const Scene& scene, const Layer& layer, bool by_view) {
  return {scene, is_data(layer) ? LayerMove() : layer.move, by_view};
}

/// True where keys change nothing but the view and layers' moves. Data move by themselves.
bool only_moves(const Scene& scene) {
  const std::vector<KeyedValue>& keyed = keyed_values(scene);
  if (is_data_film(scene) || scene.film) return false;
  if (!keyed.empty() && std::any_of(scene.layers.begin(), scene.layers.end(), is_data))
    return false;
  return std::none_of(keyed.begin(), keyed.end(), [](const KeyedValue& value) {
    return value.is_of_circle() || value.changes_paint();
  });
}

/// True where make_run() makes all that is wanted for this shader.
bool makes_runs(const LayerSource& source, Shader shader, CircleSource::Depths depths) {
  const LayerSource::Runs runs = source.runs();
  return runs == LayerSource::Runs::kWhole ||
         (runs == LayerSource::Runs::kWithoutDepth && shader != Shader::kSnow &&
          depths == CircleSource::Depths::kPainted);
}

void resize(Circles& circles, std::uint64_t count) {
  try {
    circles.shapes.resize_discard(count);
    circles.paints.resize_discard(count);
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("not enough memory for {} circles ({:.1f} GB)", count,
                            static_cast<double>(count * (sizeof(Shape) + sizeof(Paint))) * 1e-9));
  }
}

std::vector<bool> layers_with_double_centers(const Scene& scene) {
  std::vector<bool> layers;
  for (const Layer& layer : scene.layers)
    layers.push_back(roundel::has_double_centers(scene, layer));
  return layers;
}

/// Counts the sources of the process, from 1.
std::uint64_t next_source_number() {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

}  // namespace

struct CircleSource::State {
  const Scene& scene;
  std::vector<std::shared_ptr<LayerSource>> sources;  ///< one a layer
  std::vector<bool> has_double_centers = layers_with_double_centers(scene);
  std::uint64_t number = next_source_number();
};

CircleSource::CircleSource(const Scene& scene) : state_(std::make_unique<State>(State{scene, {}})) {
  for (std::uint32_t index = 0; index < scene.layers.size(); ++index)
    state_->sources.push_back(make_layer_source(scene, index));
}

CircleSource::CircleSource(const Scene& scene, const CircleSource& before)
    : state_(std::make_unique<State>(State{scene, before.state_->sources})) {
  std::vector<bool> moves(scene.layers.size());  // by itself: not only as a whole
  bool paints_differ = false;
  for (std::size_t i = 0; i < moves.size(); ++i)
    paints_differ |= moves[i] = is_data(scene.layers[i]);
  for (const KeyedValue& keyed : keyed_values(scene)) {
    if (keyed.is_of_circle()) moves[keyed.layer] = true;
    paints_differ |= keyed.changes_paint();
  }
  for (std::uint32_t index = 0; index < moves.size(); ++index)
    if (moves[index]) state_->sources[index] = make_layer_source(scene, index);
  if (!paints_differ) state_->number = before.state_->number;
}

CircleSource::~CircleSource() = default;

FilmSource::FilmSource(const Scene& scene)
    : has_frames_(roundel::has_frames(scene)),
      has_recipes_(only_moves(scene) && !scene.image.looks.rings),  // these have parts
      now_{{std::shared_ptr<const Scene>(), &scene}, std::make_shared<CircleSource>(scene)} {}

FilmSource::Frame FilmSource::at(std::int64_t frame) {
  if (!has_frames_ || frame == now_.scene->frame) return now_;
  auto scene = std::make_shared<const Scene>(scene_at(*now_.scene, frame));
  auto circles = scene->film ? std::make_shared<CircleSource>(*scene)
                             : std::make_shared<CircleSource>(*scene, *now_.circles);
  now_ = {std::move(scene), std::move(circles)};
  return now_;
}

void CircleSource::generate(std::int64_t frame, Circles& circles, Depths depths, Space space) {
  const Scene& scene = state_->scene;
  const std::int64_t steps = steps_at(scene, frame);
  const bool has_parts = space == Space::kFrame;  // of circles with strokes
  resize(circles, has_parts ? count_parts(scene) : count_circles(scene));
  const bool has_paints = std::exchange(circles.paints_generation, 0) == state_->number;
  std::size_t first = 0;
  for (std::size_t index = 0; index < scene.layers.size(); ++index) {
    const Layer& layer = scene.layers[index];
    const std::size_t count = has_parts ? count_parts(layer) : count_circles(layer);
    const bool keeps_paints = has_paints && state_->sources[index]->is_simulated();
    generate_layer(index, steps, depths, space, circles.shapes.span().subspan(first, count),
                   keeps_paints ? std::span<Paint>() : circles.paints.span().subspan(first, count));
    first += count;
  }
  circles.paints_generation = state_->number;
}

void CircleSource::generate_layer(std::size_t index, std::int64_t steps, Depths depths, Space space,
                                  std::span<Shape> parts, std::span<Paint> parts_paints) {
  const Scene& scene = state_->scene;
  const Layer& layer = scene.layers[index];
  LayerSource& source = *state_->sources[index];
  const bool is_drawn = space != Space::kScene, makes_paints = !parts_paints.empty();
  const std::size_t count = count_circles(layer);
  const std::span<Shape> shapes = parts.first(count);
  const std::span<Paint> paints = parts_paints.first(makes_paints ? count : 0);
  const bool by_runs =
      makes_paints && source.most_in_memory() == 0 && makes_runs(source, layer.shader, depths);
  const bool is_in_frame =
      is_drawn && source.generate_in_frame_space(scene.view, scene.image.frame_width(),
                                                 scene.image.frame_height(), shapes, paints);
  if (!by_runs && !is_in_frame) source.generate(steps, shapes, paints);

  const bool stays = is_in_frame || (space == Space::kLayer && !is_data(layer));
  const bool moves = !stays && !move_of(scene, layer, is_drawn).is_identity();
  const PaintFinish finish_paints(scene, layer, is_drawn);
  const auto finish = [&](const tbb::blocked_range<std::size_t>& range) {
    const auto some_shapes = shapes.subspan(range.begin(), range.size());
    if (makes_paints) {
      const auto some_paints = paints.subspan(range.begin(), range.size());
      if (by_runs) source.make_run(range.begin(), some_shapes, some_paints);
      finish_paints(some_shapes, some_paints);
    }
    if (moves) move(index, is_drawn, range.begin(), some_shapes);
  };
  if (makes_paints || moves)  // no tasks for nothing
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kCirclesOfTask), finish);
  if (space == Space::kFrame && layer.stroke) CircleParts(scene, layer).spread(parts, parts_paints);
}

void CircleSource::move(std::size_t index, bool by_view, std::size_t first,
                        std::span<Shape> shapes) const {
  const CircleMove move = move_of(state_->scene, state_->scene.layers[index], by_view);
  if (!state_->has_double_centers[index]) return move_circles(move, shapes);
  constexpr std::size_t kAtOnce = 256;
  std::array<ScenePoint, kAtOnce> centers;  // NOLINT: set before they are read
  for (std::size_t begin = 0, size = 0; begin < shapes.size(); begin += size) {
    size = std::min(kAtOnce, shapes.size() - begin);
    state_->sources[index]->make_centers(first + begin, std::span(centers).first(size));
    for (std::size_t i = 0; i < size; ++i)
      shapes[begin + i] = move.at(centers[i].x, centers[i].y, shapes[begin + i]);
  }
}

void CircleSource::generate_with_centers(std::int64_t frame, Circles& circles,
                                         std::vector<ScenePoint>& centers) {
  generate(frame, circles, Depths::kAll, Space::kLayer);
  centers.resize(circles.count());
  std::size_t first = 0;
  for (std::size_t index = 0; index < state_->sources.size(); ++index) {
    const Layer& layer = state_->scene.layers[index];
    const std::size_t count = count_circles(layer);
    const std::span<ScenePoint> points = std::span(centers).subspan(first, count);
    const std::span<Shape> shapes = circles.shapes.span().subspan(first, count);
    first += count;
    if (is_data(layer)) {
      state_->sources[index]->write_centers(points);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i)
      points[i] = {static_cast<double>(shapes[i].x), static_cast<double>(shapes[i].y)};
    if (state_->has_double_centers[index]) state_->sources[index]->make_centers(0, points);
    const PointMove to_scene(layer.move);
    for (ScenePoint& point : points) {
      const auto [x, y] = to_scene(point.x, point.y);
      point = {x, y};
    }
    move(index, true, 0, shapes);
  }
}

CircleStream CircleSource::at(std::int64_t frame, Circles& memory, StageStats* stats) {
  StageStats unused;
  const StageTimer timer(stats != nullptr ? *stats : unused, "generate");
  if (!is_streamed()) {
    generate_in_frame_space(*this, frame, memory);
    if (stats != nullptr)
      stats->stage("generate").bytes = memory.count() * (sizeof(Shape) + sizeof(Paint));
    return memory;
  }
  // A place in the classic scenes' stream of random numbers takes microseconds to find.
  constexpr std::size_t kSampleRun = 16;
  const auto make_by = [this](auto make_part) {
    return [this, make_part](std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) {
      visit_layers(first, shapes, paints, [&](auto... part) { (this->*make_part)(part...); });
    };
  };
  const std::size_t count = count_parts(state_->scene);
  CircleStream::Chunks chunks{0, {}, own_memory().held, random_runs()};
  // A chunk of data takes a few bytes for each of all rows, but for an order all are gone through
  // for each. Chunks of circles that are all made take only themselves.
  constexpr std::size_t kChunks = 6, kLeast = std::size_t{1} << 19, kMost = std::size_t{1} << 22;
  constexpr std::size_t kMostOfOrder = std::size_t{1} << 24, kFiner = 4;
  for (const auto& source : state_->sources) {
    source->get_ready();
    if (source->most_in_memory() == 0) continue;
    const std::size_t finer = source->makes_all_first() ? kFiner : 1;
    const std::size_t even = (count + kChunks * finer - 1) / (kChunks * finer);
    const std::size_t most = source->makes_chunks() ? kMostOfOrder : kMost;
    chunks.largest = std::max(chunks.largest, std::clamp(even, kLeast / finer, most));
    if (source->makes_chunks()) chunks.make = make_by(&CircleSource::make_chunk);
  }
  return {count, kSampleRun, make_by(&CircleSource::make_run), std::move(chunks)};
}

bool CircleSource::has_double_centers() const {
  const std::vector<bool>& layers = state_->has_double_centers;
  return std::find(layers.begin(), layers.end(), true) != layers.end();
}

std::shared_ptr<const std::vector<RandomRun>> CircleSource::random_runs() const {
  if (has_double_centers()) return nullptr;
  const Scene& scene = state_->scene;
  auto runs = std::make_shared<std::vector<RandomRun>>();
  std::uint64_t first = 0;
  for (std::size_t index = 0; index < scene.layers.size(); ++index) {
    const Layer& layer = scene.layers[index];
    const std::uint64_t count = count_parts(layer);
    if (count == 0) continue;
    const RandomLaws* const laws = state_->sources[index]->laws();
    if (laws == nullptr || layer.stroke) return nullptr;
    runs->push_back({first, count, *laws, PaintFinish(scene, layer, true),
                     CircleMove(scene, layer.move, true)});
    first += count;
  }
  return runs;
}

bool CircleSource::makes_all_first() const {
  return std::any_of(state_->sources.begin(), state_->sources.end(),
                     [](const auto& source) { return source->makes_all_first(); });
}

SourceMemory CircleSource::own_memory() const {
  SourceMemory all;
  std::uint64_t more = 0;  // that one layer has at most beside what all hold
  for (const auto& source : state_->sources) {
    const SourceMemory memory = source->own_memory();
    all.working += memory.working;
    all.at_once += memory.at_once;
    all.held += memory.held;
    all.stays += memory.stays;
    all.opened += memory.opened;
    all.makes_chunks |= memory.makes_chunks;
    more = std::max(more, memory.most - std::min(memory.held, memory.most));
  }
  all.most = all.held + more;
  return all;
}

bool CircleSource::is_streamed() const {
  const std::vector<Layer>& layers = state_->scene.layers;
  std::uint64_t most_in_memory = 0;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerSource& source = *state_->sources[index];
    if (!makes_runs(source, layers[index].shader, Depths::kPainted)) return false;
    most_in_memory = std::max(most_in_memory, source.most_in_memory());
  }
  return most_in_memory == 0 || count_circles(state_->scene) > most_in_memory;
}

template <typename Visit>
void CircleSource::visit_layers(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints,
                                const Visit& visit) const {
  for (std::size_t layer = 0; !shapes.empty(); ++layer) {
    const std::size_t of_layer = count_parts(state_->scene.layers[layer]);
    if (first >= of_layer) {
      first -= of_layer;
      continue;
    }
    const std::size_t count = std::min(shapes.size(), of_layer - first);
    visit(layer, first, shapes.first(count), paints.first(count));
    shapes = shapes.subspan(count);
    paints = paints.subspan(count);
    first = 0;
  }
}

namespace {

/// The circles of a layer that so many parts from `first` on are parts of.
struct CirclesOfParts {
  std::size_t first, count;
  CirclesOfParts(const Layer& layer, std::size_t first_part, std::size_t parts)
      : first(first_part / parts_of(layer)),
        count((first_part + parts + parts_of(layer) - 1) / parts_of(layer) - first) {}
};

}  // namespace

void CircleSource::make_run(std::size_t index, std::size_t first, std::span<Shape> shapes,
                            std::span<Paint> paints) const {
  const Scene& scene = state_->scene;
  const Layer& layer = scene.layers[index];
  const LayerSource& source = *state_->sources[index];
  const CirclesOfParts circles(layer, first, shapes.size());
  const auto some_shapes = shapes.last(circles.count);
  const auto some_paints = paints.last(circles.count);
  const bool is_moved = source.make_run_in_frame_space(scene.view, scene.image.frame_width(),
                                                       scene.image.frame_height(), circles.first,
                                                       some_shapes, some_paints);
  if (!is_moved) source.make_run(circles.first, some_shapes, some_paints);
  PaintFinish(scene, layer, true)(some_shapes, some_paints);
  if (!is_moved) move(index, true, circles.first, some_shapes);
  if (layer.stroke) CircleParts(scene, layer).spread_run(first, shapes, paints);
}

void CircleSource::make_chunk(std::size_t index, std::size_t first, std::span<Shape> shapes,
                              std::span<Paint> paints) const {
  const Scene& scene = state_->scene;
  const Layer& layer = scene.layers[index];
  const LayerSource& source = *state_->sources[index];
  const auto in_parallel = [](std::size_t count, const auto& work) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kCirclesOfTask),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        checkpoint();
                        work(range.begin(), range.size());
                      });
  };
  if (!source.makes_chunks())
    return in_parallel(shapes.size(), [&](std::size_t begin, std::size_t count) {
      make_run(index, first + begin, shapes.subspan(begin, count), paints.subspan(begin, count));
    });
  const CirclesOfParts circles(layer, first, shapes.size());
  const auto all_shapes = shapes.last(circles.count);
  const auto all_paints = paints.last(circles.count);
  source.make_chunk(scene.view, scene.image.frame_width(), scene.image.frame_height(),
                    circles.first, all_shapes, all_paints);
  const PaintFinish finish_paints(scene, layer, true);
  in_parallel(circles.count, [&](std::size_t begin, std::size_t count) {
    finish_paints(all_shapes.subspan(begin, count), all_paints.subspan(begin, count));
  });
  if (layer.stroke) CircleParts(scene, layer).spread_run(first, shapes, paints);
}

std::shared_ptr<const FilmCircles> CircleSource::film_circles() {
  auto film = std::make_shared<FilmCircles>();
  generate(0, film->circles, Depths::kPainted, Space::kLayer);
  film->number = state_->number;
  if (is_simulated()) film->velocities.resize(film->count());
  std::size_t first = 0;
  for (const Layer& layer : state_->scene.layers) {
    const std::size_t count = count_circles(layer);
    const LayerSource& source = *state_->sources[film->layers.size()];
    film->layers.push_back({first, count, source.motion()});
    if (source.is_simulated())
      source.write_velocities(std::span(film->velocities).subspan(first, count));
    first += count;
  }
  return film;
}

CircleRecipe FilmSource::recipe(std::int64_t frame) {
  if (!film_) film_ = now_.circles->film_circles();
  CircleRecipe recipe{film_, steps_at(*now_.scene, frame), {}};
  for (const Layer& layer : now_.scene->layers)
    recipe.moves.push_back(is_data(layer) ? CircleMove()
                                          : CircleMove(*now_.scene, layer.move, true));
  return recipe;
}

void generate_in_frame_space(CircleSource& source, std::int64_t frame, Circles& circles,
                             CircleSource::Depths depths) {
  source.generate(frame, circles, depths, CircleSource::Space::kFrame);
}

std::vector<std::uint64_t> CircleSource::rows_of(std::size_t layer,
                                                 std::span<const std::uint64_t> circles) {
  return state_->sources[layer]->rows_of(circles);
}

void CircleSource::keep_circles(std::uint64_t bytes) {
  const std::vector<Layer>& layers = state_->scene.layers;
  std::uint64_t needed = 0;
  const auto is_kept = [&](std::size_t index) {
    return !std::holds_alternative<InlineSource>(layers[index].source) && !is_data(layers[index]) &&
           !state_->sources[index]->is_simulated();
  };
  for (std::size_t index = 0; index < layers.size(); ++index)
    if (is_kept(index)) needed += count_circles(layers[index]) * (sizeof(Shape) + sizeof(Paint));
  if (needed > bytes) return;
  for (std::size_t index = 0; index < layers.size(); ++index)
    if (is_kept(index))
      state_->sources[index] = make_kept_layer(
          state_->sources[index], count_circles(layers[index]),
          makes_runs(*state_->sources[index], layers[index].shader, Depths::kPainted));
}

bool CircleSource::is_simulated() const {
  return std::any_of(state_->sources.begin(), state_->sources.end(),
                     [](const auto& source) { return source->is_simulated(); });
}

}  // namespace roundel
