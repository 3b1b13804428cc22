#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/circles/generate.h"
#include "renderer/film/frame_list.h"

namespace roundel {

/// A frame's circles, and what they are in, unless they are made where they are needed.
struct FrameCircles {
  std::shared_ptr<Circles> memory;
  CircleStream stream;
  FilmSource::Frame source;
  std::string fingerprint = {};             ///< where each frame has its own
  std::shared_ptr<const Scene> scene = {};  ///< where each frame has its own
};

/// A frame of which there are circles, or why there are none.
struct NextFrame {
  std::int64_t frame;
  std::optional<FrameCircles> circles = {};  ///< nothing: it takes the picture of the one before
  std::optional<Error> error = {};           ///< with the frame's own data or scene
};

/// The circles of the frames that an export draws, one frame after the other.
class ExportCircles {
 public:
  /// Keeps a reference to the scene. `budget`: bytes for circles that are made once for all frames.
  /// `repeats`: a frame like the one before takes its picture. `recipes`: whoever draws makes
  /// circles of them.
  ExportCircles(const Scene& scene, std::uint64_t budget, bool repeats, bool recipes);

  /// True where frames may take the picture of the one before.
  bool repeats() const { return repeats_; }
  /// True where what at() gives are recipes, which take no memory, but for frames whose centres are
  /// binary64 until the view has moved them.
  bool have_recipes() const { return has_recipes_; }
  /// The next of the frames, if there is one. Throws what has to do with other frames, too; all
  /// that is wrong where a frame may not fail.
  std::optional<NextFrame> next(FrameSource& frames, bool may_fail, StageStats& stats);
  /// Nothing where the frame takes the picture of the one that was asked for last. Used by one
  /// thread.
  std::optional<FrameCircles> at(std::int64_t frame, StageStats& stats);
  /// What no frame needs any more, to be used again. By any thread.
  void take_back(FrameCircles circles);

 private:
  FrameCircles make(std::int64_t frame, FilmSource::Frame source, StageStats& stats);

  FilmSource source_;
  std::uint64_t budget_;
  bool is_read_, repeats_;
  bool has_recipes_;
  bool keeps_circles_;                    ///< that could be made where they are needed
  std::optional<FrameCircles> constant_;  ///< where all frames have the same
  std::optional<std::string> last_;       ///< fingerprint
  std::mutex mutex_;                      ///< guards all below
  std::vector<std::shared_ptr<Circles>> free_;
};

}  // namespace roundel
