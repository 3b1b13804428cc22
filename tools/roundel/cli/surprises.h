#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "renderer/render.h"
#include "renderer/survey.h"

namespace roundel {

/// Says on stderr, as "roundel: SCENE: …", what in a valid picture, or film of so many frames,
/// hardly anybody means; nothing with --quiet. `is_film`: not what each frame has by itself.
void warn_of_surprises(const Scene& scene, ImageFormat format, const CircleSample& sample,
                       std::size_t frames, bool is_film);
/// All of these sentences for a picture, and those of warn_of_rounding(), without the scene's path.
std::vector<std::string> surprises(const Scene& scene, ImageFormat format,
                                   const CircleSample& sample, std::size_t frames);
/// The part of that about whole numbers that are rounded.
void warn_of_rounding(const Scene& scene);
/// The same where there is hardly anything to see in a frame. `overlaps`: those of the frame; where
/// it has none, all of its circles are made to say where they are.
void warn_of_nothing(const Scene& scene, ImageFormat format, const CircleSample& sample,
                     std::int64_t frame, std::uint64_t overlaps);

/// What is to be said of a film's frames whose data or scenes are their own.
class FrameRemarks {
 public:
  void look_at(std::int64_t frame, const Scene& scene, const CircleStream& circles);
  /// Says it on stderr, of many frames only of the first ones; not what warn_of_surprises() says of
  /// the film's scene.
  void warn(const Scene& film) const;
  /// True where that has told of pictures in which nothing is to be seen.
  bool has_nothing() const { return !unseen_.empty(); }

 private:
  std::set<std::string> rounded_, skipped_;
  std::set<std::int64_t> unseen_;  ///< frames without a circle in the picture
  std::tuple<std::string, std::int64_t, std::string> first_unseen_;  ///< scene, frame, why
};

}  // namespace roundel
