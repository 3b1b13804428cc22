#include <cmath>

#include "renderer/base/text.h"
#include "renderer/circles/circle_rows.h"
#include "renderer/compare/run_json.h"
#include "renderer/description.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/resolve_scene.h"
// The interface's types come after the library's.
#include "renderer/api/inner.h"

namespace roundel {
inline namespace v0 {
namespace {

std::shared_ptr<const Table> table_of(const std::string& name, const std::vector<Column>& columns) {
  const std::string option = fmt::format("tables: {}", roundel::quoted(name));
  check(!columns.empty(), option.c_str(), "at least one column", "none");
  const std::uint64_t rows = Access::state(columns.front())->rows;
  std::vector<MemoryColumn> in_memory;
  for (const Column& column : columns) {
    const Access::ColumnState& state = *Access::state(column);
    check(state.rows == rows, option.c_str(), fmt::format("columns of {} rows, as the first", rows),
          fmt::format("{} in {}", state.rows, roundel::quoted(state.column.name)));
    in_memory.push_back(state.column);
  }
  return std::make_shared<ColumnTable>(name, std::move(in_memory), rows);
}

SceneOverrides overrides_of(const SceneOptions& options) {
  if (options.width) check_range("width", *options.width, 1, kMaxImageSide);
  if (options.height) check_range("height", *options.height, 1, kMaxImageSide);
  check(std::isfinite(options.scale) && options.scale > 0, "scale", "a number > 0", options.scale);
  SceneOverrides overrides;
  overrides.width = options.width, overrides.height = options.height;
  overrides.scale = options.scale;
  if (const auto& crop = options.crop) {
    check(crop->x >= 0 && crop->y >= 0 && crop->width > 0 && crop->height > 0, "crop",
          "x and y >= 0, width and height > 0",
          fmt::format("{}, {}, {} and {}", crop->x, crop->y, crop->width, crop->height));
    overrides.crop = {crop->x, crop->y, crop->width, crop->height};
  }
  overrides.antialias = options.antialias;
  overrides.seed = options.seed;
  overrides.memory = checked_memory(options.memory);
  overrides.layers = options.layers;
  for (const auto& [name, value] : options.set) overrides.vars.push_back({name, value});
  for (const auto& [name, columns] : options.tables)
    overrides.tables.emplace(name, table_of(name, columns));
  return overrides;
}

}  // namespace

std::int64_t number_of(const Scene& scene, std::optional<std::int64_t> frame) {
  if (frame) check_range("frame", *frame, kMinFrame, kMaxFrame);
  return frame.value_or(scene.first_frame());
}

SceneFrame frame_of(const Scene& scene, std::optional<std::int64_t> frame) {
  const std::shared_ptr<const Access::SceneState>& state = Access::state(scene);
  const std::int64_t number = number_of(scene, frame);
  if (!has_frames(state->scene)) return {{state, &state->scene}, number};
  return {std::make_shared<const inner::Scene>(scene_at(state->scene, number)), number};
}

Scene Scene::from_file(const std::string& path, const SceneOptions& options) {
  return inner::guarded(
      [&] { return Access::value<Scene>({load_scene(path, overrides_of(options))}); });
}

Scene Scene::from_text(std::string_view text, const SceneOptions& options,
                       const std::string& path) {
  return inner::guarded(
      [&] { return Access::value<Scene>({parse_scene(text, path, overrides_of(options))}); });
}

int Scene::width() const {
  return state_->scene.image.width;
}

int Scene::height() const {
  return state_->scene.image.height;
}

int Scene::channels() const {
  return state_->scene.image.channels();
}

std::int64_t Scene::first_frame() const {
  return state_->scene.default_frame();
}

std::int64_t Scene::frames() const {
  return state_->scene.animation.value_or(Animation{}).frames;
}

double Scene::fps() const {
  return state_->scene.animation.value_or(Animation{}).fps;
}

std::uint64_t Scene::circle_count(std::optional<std::int64_t> frame) const {
  return inner::guarded([&] { return count_circles(*frame_of(*this, frame).scene); });
}

std::vector<Circle> Scene::circles(std::optional<std::int64_t> frame) const {
  return inner::guarded([&] {
    const auto [at, number] = frame_of(*this, frame);
    inner::Scene scene = *at;
    scene.image.blend_space = BlendSpace::kDisplay;  // colours as in the scene file
    CircleSource source(scene, CircleUse::kList);
    Circles memory;
    const CircleRows rows = circle_rows(scene, source, number, true, memory);
    const std::size_t columns = circle_columns(scene, true), alpha = 7, inner_radius = 8;
    std::vector<Circle> circles;
    std::visit(
        [&](const auto& numbers) {
          circles.reserve(numbers.size() / columns);
          for (auto row = numbers.begin(); row != numbers.end();
               row += static_cast<std::ptrdiff_t>(columns))
            circles.push_back({row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[alpha],
                               row[columns > inner_radius ? inner_radius : 3]});
        },
        rows);
    return circles;
  });
}

std::string Scene::fingerprint(std::optional<std::int64_t> frame) const {
  return inner::guarded([&] { return roundel::fingerprint(*frame_of(*this, frame).scene); });
}

std::string Scene::description(std::optional<std::int64_t> frame) const {
  return inner::guarded([&] { return dump(description_json(*frame_of(*this, frame).scene)); });
}

}  // namespace v0
}  // namespace roundel
