#include "renderer/scene/resolve_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/data/table.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/scene/scene_film.h"

namespace roundel {
namespace {

bool fits_data(const Scene& scene) {
  return scene.window && scene.window->kind == ViewWindow::Kind::kData;
}

/// True if no frame needs the layer's data. Hiding a layer must not move a view that fits it.
bool is_ignored(const Scene& scene, const Layer& layer) {
  return layer.is_hidden && !layer.frames && !fits_data(scene);
}

/// True if the layer is without a file in a frame that hides it.
bool lacks_file(const Layer& layer, const DataSource& data) {
  return data.film && waits_for_frame(layer);
}

/// Calls work(layer, data) for all layers with data, and throws all problems together.
template <typename Work>
void for_each_data(Scene& scene, const Work& work) {
  Lines problems;
  for (Layer& layer : scene.layers) {
    auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr) continue;
    try {
      work(layer, *data);
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInvalidScene) throw;
      problems += error.lines();
    }
  }
  if (!problems.empty()) throw Error(ExitCode::kInvalidScene, problems);
}

/// True if the map or the window needs this frame's rows.
bool needs_rows(const Scene& scene, const DataSource& data) {
  if (fits_data(scene) && (!data.film || scene.window->is_over_frame)) return true;
  bool needs = has_data_categories(data.map.color) && !data.map.color.is_settled;
  for_each_scale(data.map, [&](const Scale& scale, Slot /*slot*/) { needs |= !scale.is_settled; });
  return needs;
}

void survey_layers(Scene& scene, SceneUse use) {
  const std::uint64_t all = count_circles(scene);
  for_each_data(scene, [&](const Layer& layer, DataSource& data) {
    if (is_ignored(scene, layer) || lacks_file(layer, data)) return;
    DataMap& map = data.map;
    // Data with `columns` are checked while drawing, unless they are drawn in runs.
    const bool draws = use == SceneUse::kDraw &&
                       (!map.is_plain || all > max_circles_in_memory(scene, *data.table, map));
    if (data.facts || !(draws || needs_rows(scene, data))) return;
    const std::uint64_t block_rows = block_rows_of(*data.table, map.columns);
    check_fits_memory(data.path, "texts of rows that are read at once",
                      data.table->text_bytes(map.columns, block_rows));
    data.facts =
        std::make_shared<const DataFacts>(survey_rows(*data.table, map, layer.move, scene.memory));
    // With a limit, validate also reports how much memory is enough.
    if (scene.memory == 0) check_categories(scene, data.path, *data.facts);
  });
  const std::uint64_t circles = count_parts(scene);
  if (circles > kMaxCircles)
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: {} circles in all need {} of memory; at most {}", scene.path, circles,
                    memory_text(static_cast<double>(circles) * kBytesPerCircle), kMaxCircles));
}

std::shared_ptr<const Table> open_frame(const Scene& scene, const DataFilm& film,
                                        const std::string& dataset, std::int64_t frame) {
  std::shared_ptr<const Table> table =
      open_table(film.path(frame), {dataset, film.first.columns, film.used, max_data_bytes(scene)});
  const auto seen = film.seen.find(std::max<std::int64_t>(frame, 0));
  if (seen != film.seen.end() && seen->second != table->stamp())
    throw Error(ExitCode::kRuntimeFailure, table->path() + ": has changed while it was read");
  return table;
}

/// Checks `columns`: all files of a film have the same number of columns, all of numbers.
void check_columns(const DataSource& data, const Table& table) {
  if (data.columns.empty()) return;
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::kInvalidScene, table.path() + ": " + problem);
  };
  const std::vector<TableColumn>& columns = table.columns();
  if (columns.size() != data.columns.size())
    fail(fmt::format("expected {}, as \"columns\" says, got {}",
                     counted(data.columns.size(), "column"), columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (data.columns[c] != DataColumn::kIgnored && columns[c].is_text)
      fail(fmt::format("column {}: expected numbers, got texts", c));
}

/// Completes the map over all files of a film.
void settle_film(const Scene& scene, const Layer& layer, DataSource& data) {
  if (!data.film || is_ignored(scene, layer)) return;
  auto film = std::make_shared<DataFilm>(*data.film);
  film->map = data.map;
  DataMap& map = film->map;
  if (needs_film(map) || (fits_data(scene) && !scene.window->is_over_frame)) {
    const TableList files{static_cast<std::size_t>(film->frames), [&](std::size_t index) {
                            const auto frame = film->start + static_cast<std::int64_t>(index);
                            auto table = open_frame(scene, *film, data.dataset, frame);
                            check_columns(data, *table);
                            film->seen.emplace(frame, table->stamp());
                            return table;
                          }};
    film->facts = survey_film(files, film->first, map, layer.move, scene.memory);
    check_categories(scene, data.path, *film->facts);
  }
  for_each_scale(map, [](Scale& scale, Slot /*slot*/) {
    if (scale.is_settled || needs_data(scale)) return;
    scale.ends = {(*scale.domain)[0].value, (*scale.domain)[1].value};
    scale.is_settled = true;
  });
  data.map = film->map;
  data.film = std::move(film);
}

struct Window {
  double left = 0, right = 1, bottom = 0, top = 1;
};

/// The unit square without data.
Window data_window(const Scene& scene) {
  const std::optional<SceneBounds> bounds = data_bounds(scene);
  if (!bounds) return {};
  Window window{bounds->left, bounds->right, bounds->bottom, bounds->top};
  if (window.left == window.right && window.bottom == window.top) {  // a single point
    window.left -= 0.5, window.right += 0.5;
    window.bottom -= 0.5, window.top += 0.5;
  }
  return window;
}

Window window_of(const ViewWindow& view_window, const Scene& scene) {
  if (view_window.kind == ViewWindow::Kind::kGiven)
    return {view_window.x[0], view_window.x[1], view_window.y[0], view_window.y[1]};
  const Window window = view_window.kind == ViewWindow::Kind::kData ? data_window(scene) : Window{};
  const double margin =
      view_window.margin * std::max(window.right - window.left, window.top - window.bottom);
  return {window.left - margin, window.right + margin, window.bottom - margin, window.top + margin};
}

View view_of(const ViewWindow& view_window, const Scene& scene) {
  const Window window = window_of(view_window, scene);
  // Image heights for the window's width and height.
  const double aspect = static_cast<double>(scene.image.frame_width()) / scene.image.frame_height();
  const double by_width = (window.right - window.left) / aspect;
  const double by_height = window.top - window.bottom;
  View view;
  view.center_x = (window.left + window.right) / 2;
  view.center_y = (window.bottom + window.top) / 2;
  const double smaller = std::min(by_width, by_height), larger = std::max(by_width, by_height);
  view.zoom = 1 / (view_window.covers && smaller > 0 ? smaller : larger);
  return view;
}

void set_view(Scene& scene) {
  if (!scene.window) return;
  const View given = scene.view;
  scene.view = view_of(*scene.window, scene);
  scene.view.flip_y = given.flip_y;
  scene.view.rotate = given.rotate;
  if (!(scene.view.zoom > 0 && scene.view.zoom <= kMaxZoom))
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: view: a window {} scene units high needs a zoom of {}; at most {}",
                            scene.path, 1 / scene.view.zoom, scene.view.zoom, kMaxZoom));
}

/// Completes what depends on the current data.
void complete(Scene& scene, SceneUse use) {
  survey_layers(scene, use);
  set_view(scene);
}

/// Reports, before drawing, windows that are too small at a key.
void check_windows(const Scene& scene) {
  if (!scene.window || !scene.keyed) return;
  Scene at = scene;
  for (const KeyedValue& keyed : keyed_values(scene)) {
    if (!keyed.is_of_view()) continue;
    for (const double frame : keyed.keys.frames) {
      apply_keys(at, frame);
      set_view(at);
    }
  }
}

std::optional<Scene> next_valid_frame(const Scene& scene) {
  constexpr std::int64_t kMaxTries = 20;
  const std::int64_t end = scene.animation->start + scene.animation->frames;
  for (std::int64_t frame = scene.frame + 1; frame < std::min(end, scene.frame + kMaxTries);
       ++frame) {
    try {
      return scene_at(scene, frame);
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInvalidScene) throw;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<SceneBounds> data_bounds(const Scene& scene) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SceneBounds bounds{kInfinity, -kInfinity, kInfinity, -kInfinity};
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr) continue;
    const bool is_of_film =
        data->film && data->film->facts && !(scene.window && scene.window->is_over_frame);
    const DataFacts* const facts = is_of_film ? &*data->film->facts : data->facts.get();
    if (facts == nullptr) continue;
    bounds.left = std::min(bounds.left, facts->left);
    bounds.right = std::max(bounds.right, facts->right);
    bounds.bottom = std::min(bounds.bottom, facts->bottom);
    bounds.top = std::max(bounds.top, facts->top);
  }
  if (bounds.left > bounds.right) return std::nullopt;
  return bounds;
}

std::uint64_t max_circles_in_memory(const Scene& scene, const Table& table, const DataMap& map) {
  constexpr std::uint64_t kMaxQuickCircles = std::uint64_t{1} << 19;
  if (table.is_quick(map.columns)) return kMaxQuickCircles;
  constexpr std::uint64_t kCircleBytes = 40;  // with its sort order
  return max_data_bytes(scene) / kCircleBytes;
}

void check_categories(const Scene& scene, const std::string& path, const DataFacts& facts) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  if (scene.memory == 0) return check_fits_memory(path, "categories", facts.category_bytes);
  if (facts.category_bytes <= scene.memory) return;
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: --memory: its categories need at least {}M, got {}M", path,
                          facts.category_bytes / kMiB + 1, scene.memory / kMiB));
}

std::optional<SceneBounds> requested_window(const Scene& scene) {
  if (!scene.window) return std::nullopt;
  const auto [left, right, bottom, top] = window_of(*scene.window, scene);
  return SceneBounds{left, right, bottom, top};
}

std::uint64_t max_data_bytes(std::uint64_t memory) {
  constexpr std::uint64_t kShare = 3;
  return (memory > 0 ? memory : physical_memory()) / kShare;
}

void resolve_scene(Scene& scene, bool any_frame) {
  apply_keys(scene, static_cast<double>(scene.frame));
  for_each_data(scene,
                [&](const Layer& layer, DataSource& data) { settle_film(scene, layer, data); });
  any_frame &= is_data_film(scene);
  const Scene unresolved = any_frame ? scene : Scene();
  try {
    complete(scene, SceneUse::kDraw);
  } catch (const Error& error) {
    if (!any_frame || error.exit_code() != ExitCode::kInvalidScene) throw;
    std::optional<Scene> next = next_valid_frame(unresolved);
    if (!next) throw;
    scene = std::move(*next);
  }
  check_windows(scene);
}

Scene scene_at(const Scene& scene, std::int64_t frame, SceneUse use) {
  Scene at = scene;
  if (!has_frames(scene) || frame == scene.frame) return at;
  if (scene.film) {
    at = scene.film->load(frame, use);
    at.frame = frame;
    at.film = scene.film;
    return at;
  }
  at.frame = frame;
  apply_keys(at, static_cast<double>(frame));
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Table>> tables;
  for_each_data(at, [&](const Layer& layer, DataSource& data) {
    if (is_ignored(at, layer)) return;
    if (!data.film) {
      const Layer& other = scene.layers[static_cast<std::size_t>(&layer - at.layers.data())];
      const bool has_moved = !(PointMove(layer.move) == PointMove(other.move));
      if (has_moved && fits_data(at) && at.window->is_over_frame) data.facts = nullptr;
      return;
    }
    data.facts = nullptr;
    if (lacks_file(layer, data)) return;
    data.path = data.film->path(frame);
    std::shared_ptr<const Table>& table = tables[{data.path, data.dataset}];
    if (!table) table = open_frame(at, *data.film, data.dataset, frame);
    check_columns(data, *table);
    if (!data.map.is_plain) data.map = map_for(*table, data.film->first, data.film->map);
    data.table = table_for(table, data.map.columns);
    data.rows = data.table->rows();
    data.content_hash = table->content_hash();
    data.fits_float = table->fits_float();
  });
  if (!tables.empty()) apply_keys(at, static_cast<double>(frame));  // domains in their maps
  complete(at, use);
  return at;
}

Scene restricted_to(Scene scene, const FrameList& frames) {
  std::vector<KeyedValue> moving;
  for (const KeyedValue& keyed : keyed_values(scene))
    if (!keyed.keys.is_constant_in(frames)) moving.push_back(keyed);
  const auto never_changes = [&](const Layer& layer) {
    return layer.frames && std::all_of(frames.begin(), frames.end(), [&](std::int64_t frame) {
             return is_shown(layer, static_cast<double>(frame)) ==
                    is_shown(layer, static_cast<double>(frames.front()));
           });
  };
  if (moving.size() == keyed_values(scene).size() &&
      std::none_of(scene.layers.begin(), scene.layers.end(), never_changes))
    return scene;
  scene = scene_at(scene, frames.front());
  for (Layer& layer : scene.layers)
    if (never_changes(layer)) layer.frames.reset();
  scene.keyed =
      moving.empty() ? nullptr : std::make_shared<const std::vector<KeyedValue>>(std::move(moving));
  return scene;
}

std::string missing_files(const DataFilm& film, const FrameList& frames) {
  FrameList missing;
  std::error_code ignored;
  for (const std::int64_t frame : frames)
    if (!std::filesystem::exists(film.path(frame), ignored)) missing.push_back(frame);
  if (missing.empty()) return "";
  return fmt::format("no file for {} of {}: {} ({})", missing.size(),
                     counted(frames.size(), "frame"), frames_text(missing),
                     film.path(missing.front()));
}

void check_data_files(const Scene& scene, const FrameList& frames) {
  Lines problems;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr || !data->film || is_ignored(scene, layer)) continue;
    FrameList shown = frames;
    if (layer.frames)
      std::erase_if(
          shown, [&](std::int64_t frame) { return !is_shown(layer, static_cast<double>(frame)); });
    const std::string problem = missing_files(*data->film, shown);
    if (problem.empty()) continue;
    problems += fmt::format("{}: data: {}", scene.path, problem);
  }
  if (!problems.empty()) throw Error(ExitCode::kInvalidScene, problems);
}

}  // namespace roundel
