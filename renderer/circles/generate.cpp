#include "renderer/circles/generate.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "renderer/circles/layer_circles.h"
#include "renderer/scene/frame_samples.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

bool is_data(const Layer& layer) {
  return std::holds_alternative<DataSource>(layer.source);
}

/// True if keys change only the view and layers' moves, and data are constant.
bool only_moves(const Scene& scene) {
  const std::vector<KeyedValue>& keyed = keyed_values(scene);
  if (is_data_film(scene) || scene.film || has_moving_rows(scene)) return false;
  if (std::any_of(scene.layers.begin(), scene.layers.end(),
                  [](const Layer& layer) { return layer.frames.has_value(); }))
    return false;
  if (!keyed.empty() && std::any_of(scene.layers.begin(), scene.layers.end(), is_data))
    return false;
  return std::none_of(keyed.begin(), keyed.end(), [](const KeyedValue& value) {
    return value.is_of_circle() || value.changes_paint();
  });
}

/// True if both layers have the same simulation, whose state goes on.
bool is_same_simulation(const Scene& scene, const Scene& before, std::size_t i) {
  if (i >= before.layers.size()) return false;
  const Layer &layer = scene.layers[i], &other = before.layers[i];
  const auto *const now = std::get_if<GeneratorSource>(&layer.source),
                    *const then = std::get_if<GeneratorSource>(&other.source);
  return now != nullptr && then != nullptr && now->name == then->name &&
         now->seed.value_or(scene.seed) == then->seed.value_or(before.seed) &&
         layer.alpha == other.alpha && layer.shader == other.shader &&
         layer.is_hidden == other.is_hidden;
}

/// Counts from 1.
std::uint64_t next_source_number() {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

}  // namespace

struct CircleSource::State {
  const Scene& scene;
  CircleUse use;
  std::vector<LayerCircles> layers = {};
  std::uint64_t number = next_source_number();

  template <typename Property>
  bool any(const Property& property) const {
    return std::any_of(layers.begin(), layers.end(), property);
  }

  void generate(std::int64_t frame, Circles& circles, bool moves = true) const {
    const std::int64_t steps = steps_at(scene, frame);
    std::uint64_t count = 0;
    for (const LayerCircles& layer : layers) count += layer.count_parts();
    resize_discard(circles, count);
    const bool has_paints = std::exchange(circles.paints_generation, 0) == number;
    std::size_t first = 0;
    for (const LayerCircles& layer : layers) {
      const std::size_t parts = layer.count_parts();
      const bool keeps_paints = has_paints && layer.traits().is_simulated();
      if (!layer.kept()) layer.source()->prepare(steps);
      layer.fill_in_parallel(
          0, circles.shapes.span().subspan(first, parts),
          keeps_paints ? std::span<Paint>() : circles.paints.span().subspan(first, parts), moves);
      first += parts;
    }
    circles.paints_generation = number;
  }

  /// Parts are numbered over all layers.
  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints,
            bool in_parallel) const {
    for (auto layer = layers.begin(); !shapes.empty(); ++layer) {
      const std::size_t parts = layer->count_parts();
      if (first >= parts) {
        first -= parts;
        continue;
      }
      const std::size_t count = std::min(shapes.size(), parts - first);
      if (in_parallel)
        layer->fill_in_parallel(first, shapes.first(count), paints.first(count));
      else
        layer->fill(first, shapes.first(count), paints.first(count));
      shapes = shapes.subspan(count);
      paints = paints.subspan(count);
      first = 0;
    }
  }
};

CircleSource::CircleSource(const Scene& scene, CircleUse use)
    : state_(std::make_unique<State>(State{scene, use})) {
  for (std::uint32_t index = 0; index < scene.layers.size(); ++index)
    state_->layers.emplace_back(scene, index, use, make_layer_source(scene, index, use));
}

CircleSource::CircleSource(const Scene& scene, const CircleSource& before)
    : CircleSource(scene, before, before.state_->use) {}

CircleSource::CircleSource(const Scene& scene, const CircleSource& before, CircleUse use)
    : state_(std::make_unique<State>(State{scene, use})) {
  std::vector<bool> differs(scene.layers.size());  // beyond moves of layers
  bool paints_differ = use != before.state_->use || scene.film;
  for (std::size_t i = 0; i < differs.size(); ++i) {
    const Layer& layer = scene.layers[i];
    // Sources of other layers refer to their scene, which a film drops.
    const bool changes = is_data(layer) || layer.frames || scene.film;
    differs[i] = changes && !is_same_simulation(scene, before.state_->scene, i);
    paints_differ |= changes;
  }
  for (const KeyedValue& keyed : keyed_values(scene)) {
    if (keyed.is_of_circle()) differs[keyed.layer] = true;
    paints_differ |= keyed.changes_paint();
  }
  for (std::uint32_t index = 0; index < differs.size(); ++index) {
    if (differs[index]) {
      // A film's scenes have other data, or another number of layers.
      auto held = scene.film ? nullptr : before.state_->layers[index].source()->held();
      state_->layers.emplace_back(scene, index, use,
                                  make_layer_source(scene, index, use, std::move(held)));
    } else {
      const LayerCircles& layer = before.state_->layers[index];
      state_->layers.emplace_back(scene, index, use, layer.source(), layer.kept());
    }
  }
  if (!paints_differ) state_->number = before.state_->number;
}

CircleSource::~CircleSource() = default;

void CircleSource::generate(std::int64_t frame, Circles& circles) {
  state_->generate(frame, circles);
}

void CircleSource::generate_with_centers(std::int64_t frame, Circles& circles,
                                         std::vector<ScenePoint>& centers) const {
  const CircleSource drawn(state_->scene, *this, CircleUse::kListDrawn);
  drawn.state_->generate(frame, circles);
  centers.resize(circles.count());
  std::size_t first = 0;
  for (const LayerCircles& layer : drawn.state_->layers) {
    const std::span<ScenePoint> points = std::span(centers).subspan(first, layer.count());
    first += layer.count();
    if (is_data(layer.layer()) || layer.has_double_centers()) {
      layer.source()->write_centers(0, points);
    } else {
      Circles made;
      resize_discard(made, layer.count());
      layer.source()->fill(0, made.shapes.span(), made.paints.span());
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {static_cast<double>(made.shapes[i].x), static_cast<double>(made.shapes[i].y)};
    }
    if (layer.layer().is_on_screen) {
      const ImageSettings& image = state_->scene.image;
      const double pixel = image.px / static_cast<double>(image.frame_height());
      for (ScenePoint& point : points) {
        const SceneShape shape =
            to_scene_space(SceneShape{point.x * pixel, point.y * pixel, 0, 0}, state_->scene.view,
                           image.frame_width(), image.frame_height());
        point = {shape.x, shape.y};
      }
      continue;
    }
    const PointMove to_scene(layer.layer().move);
    for (ScenePoint& point : points) {
      const auto [x, y] = to_scene(point.x, point.y);
      point = {x, y};
    }
  }
}

CircleStream CircleSource::at(std::int64_t frame, Circles& memory, StageStats* stats) {
  CircleStream circles = at_own_time(frame, memory, stats);
  if (state_->use != CircleUse::kDraw) return circles;
  std::vector<double> times = sample_times(state_->scene);
  if (times.empty()) return circles;
  // Simulations, which films share, will have gone on.
  std::shared_ptr<CircleSource> stopped;
  if (is_simulated()) {
    stopped = std::make_shared<CircleSource>(state_->scene, *this);
    for (LayerCircles& layer : stopped->state_->layers)
      if (layer.traits().is_simulated()) layer.keep(steps_at(state_->scene, frame));
  }
  const std::size_t count = times.size();
  return circles.with_samples({count, [this, frame, stopped = std::move(stopped),
                                       times = std::move(times)](std::size_t k, const auto& draw) {
                                 const Scene scene =
                                     sample_at(state_->scene, times[k], SceneUse::kDraw);
                                 CircleSource source(scene, stopped ? *stopped : *this);
                                 Circles made;
                                 draw(source.at(frame, made), scene.image.background);
                               }});
}

CircleStream CircleSource::at_own_time(std::int64_t frame, Circles& memory, StageStats* stats) {
  StageStats unused;
  const StageTimer timer(stats != nullptr ? *stats : unused, "generate");
  if (!is_streamed()) {
    generate(frame, memory);
    if (stats != nullptr)
      stats->stage("generate").bytes = memory.count() * (sizeof(Shape) + sizeof(Paint));
    return {memory, own_memory().held};
  }
  // Finding a position in the random stream of classic scenes takes microseconds.
  constexpr std::size_t kSampleRun = 16;
  const std::size_t count = count_parts(state_->scene);
  CircleStream::Traits traits{.sample_run = kSampleRun, .source_bytes = own_memory().held};
  for (const LayerCircles& layer : state_->layers) {
    constexpr std::size_t kChunks = 6, kMinChunk = std::size_t{1} << 19;
    if (!layer.kept()) layer.source()->prepare(steps_at(state_->scene, frame));
    traits.is_parallel |= layer.is_parallel();
    const std::size_t max_chunk = layer.traits().largest_chunk;
    if (max_chunk > 0)
      traits.largest_chunk = std::max(
          traits.largest_chunk, std::clamp((count + kChunks - 1) / kChunks, kMinChunk, max_chunk));
  }
  std::shared_ptr<const CircleRecipe> recipe;
  if (std::vector<CircleRun> runs = device_runs(); !runs.empty())
    recipe = std::make_shared<const CircleRecipe>(CircleRecipe{{}, 0, {}, std::move(runs)});
  return {count,
          [this, in_parallel = traits.is_parallel](auto... range) {
            state_->fill(range..., in_parallel);
          },
          traits, std::move(recipe)};
}

bool CircleSource::has_double_centers() const {
  return state_->any([](const LayerCircles& layer) { return layer.has_double_centers(); });
}

std::vector<CircleRun> CircleSource::device_runs() const {
  std::vector<CircleRun> runs;
  std::uint64_t first = 0;
  for (const LayerCircles& layer : state_->layers) {
    const std::uint64_t count = layer.count_parts();
    if (count == 0) continue;
    if (layer.layer().stroke) return {};
    if (std::optional<RowLaws> laws = layer.source()->row_laws()) {
      laws->finish = layer.finish();
      runs.emplace_back(RowsRun{first, count, *laws, layer.source()->held()});
    } else if (const RandomLaws* const random = layer.traits().laws;
               random != nullptr && !layer.has_double_centers()) {
      runs.emplace_back(RandomRun{first, count, *random, layer.finish(), layer.move()});
    } else {
      return {};
    }
    first += count;
  }
  return runs;
}

SourceMemory CircleSource::own_memory() const {
  SourceMemory all;
  std::uint64_t more = 0;  // layers prepare one after the other
  for (const LayerCircles& layer : state_->layers) {
    const SourceMemory& memory = layer.traits().memory;
    all.held += memory.held;
    more = std::max(more, memory.peak - memory.held);
  }
  all.peak = all.held + more;
  return all;
}

bool CircleSource::is_streamed() const {
  return !state_->any([](const LayerCircles& layer) { return !layer.is_cheap(); });
}

std::vector<std::uint64_t> CircleSource::rows_of(std::size_t layer,
                                                 std::span<const std::uint64_t> circles) {
  return state_->layers[layer].source()->rows_of(circles);
}

std::shared_ptr<const FilmCircles> CircleSource::film_circles() {
  auto film = std::make_shared<FilmCircles>();
  state_->generate(0, film->circles, false);
  film->number = state_->number;
  if (is_simulated()) film->velocities.resize(film->count());
  std::size_t first = 0;
  for (const LayerCircles& layer : state_->layers) {
    film->layers.push_back({first, layer.count(), layer.traits().motion});
    if (layer.traits().is_simulated())
      layer.source()->write_velocities(std::span(film->velocities).subspan(first, layer.count()));
    first += layer.count();
  }
  return film;
}

std::vector<CircleMove> CircleSource::moves() const {
  std::vector<CircleMove> moves;
  for (const LayerCircles& layer : state_->layers) moves.push_back(layer.move());
  return moves;
}

void CircleSource::keep_circles(std::uint64_t bytes) {
  const auto is_kept = [](const LayerCircles& layer) {
    return !std::holds_alternative<InlineSource>(layer.layer().source) && !is_data(layer.layer()) &&
           !layer.traits().is_simulated();
  };
  std::uint64_t needed = 0;
  for (const LayerCircles& layer : state_->layers)
    if (is_kept(layer)) needed += layer.count() * (sizeof(Shape) + sizeof(Paint));
  for (const LayerCircles& layer : state_->layers) needed += layer.source()->held_bytes();
  if (needed > bytes) return;
  for (LayerCircles& layer : state_->layers) {
    if (is_kept(layer)) layer.keep(0);
    layer.source()->hold(bytes);
  }
}

bool CircleSource::is_simulated() const {
  return std::any_of(state_->scene.layers.begin(), state_->scene.layers.end(),
                     roundel::is_simulated);
}

FilmSource::FilmSource(const Scene& scene, CircleUse use)
    : has_frames_(roundel::has_frames(scene)),
      has_recipes_(only_moves(scene) && !scene.image.styles.rings),  // these have parts
      current_{{std::shared_ptr<const Scene>(), &scene},
               std::make_shared<CircleSource>(scene, use)} {}

FilmSource::Frame FilmSource::at(std::int64_t frame) {
  if (!has_frames_ || frame == current_.scene->frame) return current_;
  auto scene = std::make_shared<const Scene>(scene_at(*current_.scene, frame));
  auto circles = std::make_shared<CircleSource>(*scene, *current_.circles);
  current_ = {std::move(scene), std::move(circles)};
  return current_;
}

CircleRecipe FilmSource::recipe(std::int64_t frame) {
  if (!film_) film_ = current_.circles->film_circles();
  return {film_, steps_at(*current_.scene, frame), current_.circles->moves()};
}

std::optional<CircleStream> FilmSource::from_recipes(std::int64_t frame) {
  if (!has_recipes()) return std::nullopt;
  CircleStream circles(recipe(frame));
  const std::vector<double> times = sample_times(*current_.scene);
  if (times.empty()) return circles;
  std::vector<std::pair<CircleStream, Background>> samples;
  for (const double time : times) {
    const Scene scene = sample_at(*current_.scene, time, SceneUse::kDraw);
    const CircleSource source(scene, *current_.circles);
    if (source.has_double_centers()) return std::nullopt;
    samples.emplace_back(CircleRecipe{film_, circles.recipe()->steps, source.moves()},
                         scene.image.background);
  }
  return circles.with_samples(
      {times.size(), [samples = std::move(samples)](std::size_t k, const auto& draw) {
         draw(samples[k].first, samples[k].second);
       }});
}

}  // namespace roundel
