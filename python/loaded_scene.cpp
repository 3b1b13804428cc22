#include "python/loaded_scene.h"

#include <algorithm>
#include <utility>

#include "python/errors.h"
#include "renderer/base/stage_stats.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel::python {

LoadedScene::LoadedScene(std::string text, std::string path, SceneOverrides overrides)
    : scene_(std::make_shared<const Scene>(parse_scene(text, path, overrides))),
      text_(std::move(text)),
      path_(std::move(path)),
      overrides_(std::move(overrides)) {}

bool LoadedScene::is_current() const {
  return std::all_of(scene_->layers.begin(), scene_->layers.end(), [](const Layer& layer) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr || !data->table) return true;
    if (!data->table->is_current()) return false;
    return !data->film ||
           std::all_of(data->film->seen.begin(), data->film->seen.end(), [&](const auto& seen) {
             return stamp_of(data->film->path(seen.first)) == seen.second;
           });
  });
}

LoadedScene::Frame LoadedScene::at(std::optional<std::int64_t> frame) const {
  const std::int64_t number = frame.value_or(scene_->default_frame());
  std::shared_ptr<const Scene> scene = scene_;
  if (has_frames(*scene_)) scene = std::make_shared<const Scene>(scene_at(*scene_, number));
  std::unique_lock lock(warnings_mutex_);
  const Lines warnings = warnings_.about_data(*scene);
  lock.unlock();
  warn(warnings);
  return {std::move(scene), number};
}

void LoadedScene::warn_about(const Frame& frame, ImageFormat format, const CircleSample& sample,
                             std::uint64_t overlaps) const {
  if (has_warned_.exchange(true)) return;
  std::unique_lock lock(warnings_mutex_);
  const Lines warnings = warnings_.about({*frame.scene, frame.number, format, sample, overlaps});
  lock.unlock();
  warn(warnings);
}

void LoadedScene::draw(const Frame& frame, Rasterizer& rasterizer,
                       const std::function<void(const CircleStream&)>& draw) const {
  if (auto kept = recipe(frame, rasterizer)) return draw(CircleStream(std::move(*kept)));
  StageStats stats;
  CircleSource source(*frame.scene);
  Circles memory;
  draw(source.at(frame.number, memory, &stats));
}

std::optional<CircleRecipe> LoadedScene::recipe(const Frame& frame, Rasterizer& rasterizer) const {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // in main memory
  const std::uint64_t count = count_parts(*scene_);
  if (count * (sizeof(Shape) + sizeof(Paint)) > kMaxBytes || !rasterizer.makes_circles(count))
    return std::nullopt;
  for (const Layer& layer : scene_->layers)
    if (const auto* const data = std::get_if<DataSource>(&layer.source); data && data->table)
      data->table->check_unchanged();
  const std::lock_guard lock(mutex_);
  if (!film_) {
    if (!std::exchange(was_drawn_, true)) return std::nullopt;
    film_.emplace(*scene_);
  }
  film_->at(frame.number);
  if (!film_->has_recipes()) return std::nullopt;
  return film_->recipe(frame.number);
}

}  // namespace roundel::python
