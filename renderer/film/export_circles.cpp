#include "renderer/film/export_circles.h"

#include <utility>

#include "renderer/scene/fingerprint.h"

namespace roundel {

ExportCircles::ExportCircles(const Scene& scene, std::uint64_t budget, bool recipes)
    : source_(scene),
      budget_(budget),
      is_read_(is_data_film(scene) || scene.film),
      repeats_(!scene.film && !source_.first().is_simulated()) {
  const std::uint64_t bytes = count_parts(scene) * (sizeof(Shape) + sizeof(Paint));
  has_recipes_ = recipes && source_.varies() && source_.has_recipes() &&
                 (bytes <= budget || !source_.first().is_streamed());
}

std::optional<FrameCircles> ExportCircles::at(std::int64_t frame, StageStats& stats) {
  if (!source_.varies() && std::exchange(has_first_, true)) return std::nullopt;
  if (!source_.has_frames()) return make(frame, source_.at(frame), stats);
  FilmSource::Frame source;
  std::string fingerprint;
  {
    const StageTimer timer(stats, is_read_ ? "read" : "generate");
    if (!last_ && !has_recipes_) source_.keep_circles(budget_);
    source = source_.at(frame);
    fingerprint = roundel::fingerprint(*source.scene);
  }
  if (repeats_ && last_ == fingerprint) return std::nullopt;
  const std::shared_ptr<const Scene> scene = source.scene;
  FrameCircles circles = make(frame, std::move(source), stats);
  last_ = fingerprint;  // not for a failed frame, which has no picture to share
  circles.scene = scene;
  circles.fingerprint = std::move(fingerprint);
  return circles;
}

FrameCircles ExportCircles::make(std::int64_t frame, FilmSource::Frame source, StageStats& stats) {
  if (has_recipes_) {
    const StageTimer timer(stats, "generate");
    if (std::optional<CircleStream> circles = source_.from_recipes(frame))
      return {nullptr, *std::move(circles), {}};
  }
  std::shared_ptr<Circles> memory;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      memory = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!memory) memory = std::make_shared<Circles>();
  CircleSource& circles = *source.circles;
  CircleStream stream = circles.at(frame, *memory, circles.is_streamed() ? nullptr : &stats);
  const bool is_source_used = circles.is_streamed() || stream.samples() != nullptr;
  return {memory, std::move(stream), is_source_used ? std::move(source) : FilmSource::Frame{}};
}

void ExportCircles::take_back(FrameCircles circles) {
  if (!circles.memory) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(circles.memory));
}

}  // namespace roundel
