#include "renderer/film/export_circles.h"

#include <utility>

#include "renderer/scene/fingerprint.h"

namespace roundel {

ExportCircles::ExportCircles(const Scene& scene, std::uint64_t budget, bool repeats, bool recipes)
    : source_(scene),
      budget_(budget),
      is_read_(is_data_film(scene) || scene.film),
      repeats_(repeats && !scene.film && !source_.first().is_simulated()) {
  const std::uint64_t bytes = count_parts(scene) * (sizeof(Shape) + sizeof(Paint));
  const bool draws_again = source_.varies() || !repeats;
  keeps_circles_ = !source_.varies() && draws_again && bytes <= budget;
  has_recipes_ = recipes && draws_again && source_.has_recipes() &&
                 (bytes <= budget || !source_.first().is_streamed());
}

std::optional<NextFrame> ExportCircles::next(FrameSource& frames, bool may_fail,
                                             StageStats& stats) {
  const std::optional<std::int64_t> number = frames.next();
  if (!number) return std::nullopt;
  NextFrame frame{*number};
  try {
    frame.circles = at(*number, stats);
  } catch (...) {
    if (!is_read_ || !may_fail) throw;
    frame.error = current_error();
  }
  return frame;
}

std::optional<FrameCircles> ExportCircles::at(std::int64_t frame, StageStats& stats) {
  if (!source_.varies()) {
    if (!constant_) return constant_ = make(frame, source_.at(frame), stats);
    return repeats_ ? std::nullopt : constant_;
  }
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
  last_ = fingerprint;  // not of a frame that failed: nothing can be like its picture
  circles.scene = scene;
  circles.fingerprint = std::move(fingerprint);
  return circles;
}

FrameCircles ExportCircles::make(std::int64_t frame, FilmSource::Frame source, StageStats& stats) {
  if (has_recipes_ && source_.has_recipes()) {
    const StageTimer timer(stats, "generate");
    return {nullptr, CircleStream(source_.recipe(frame)), {}};
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
  if (circles.is_streamed() && !keeps_circles_)
    return {memory, circles.at(frame, *memory), std::move(source)};
  const StageTimer timer(stats, "generate");
  circles.generate(frame, *memory);
  stats.stage("generate").bytes = memory->count() * (sizeof(Shape) + sizeof(Paint));
  return {memory, *memory, {}};
}

void ExportCircles::take_back(FrameCircles circles) {
  if (!circles.memory || !source_.varies()) return;  // they are those of all frames
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(circles.memory));
}

}  // namespace roundel
