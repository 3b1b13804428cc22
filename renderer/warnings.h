#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "renderer/base/lines.h"
#include "renderer/circles/circle_stream.h"
#include "renderer/frame_statistics.h"
#include "renderer/image/files.h"
#include "renderer/scene/scene.h"

/// Warnings about valid scenes that are probably mistakes. Each names its remedy.
namespace roundel {

/// A picture or film that was drawn or is to be drawn.
struct Drawn {
  const Scene& scene;
  std::int64_t frame;  ///< a film's first frame
  ImageFormat format;
  CircleSample sample;
  std::uint64_t overlaps;  ///< circle–tile pairs of all frames; 0: not drawn
  std::size_t frames = 0;  ///< 0 for a picture
};

/// Finds the warnings about a scene and returns each text once.
class SceneWarnings {
 public:
  Lines about_data(const Scene& scene);
  /// Warns if a film's first frame shows no circle. For frames with their own data or scene.
  Lines about_frame(std::int64_t frame, const Scene& scene, const CircleStream& circles);
  Lines about(const Drawn& drawn);
  /// Lists the film's frames without a visible circle if there are several.
  Lines about_unseen_frames(const Scene& film) const;

 private:
  Lines unreported(const Lines& lines);
  std::set<std::string> reported_;
  std::set<std::int64_t> unseen_;  ///< frames without a visible circle
};

}  // namespace roundel
