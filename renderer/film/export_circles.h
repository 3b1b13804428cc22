#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "renderer/circles/generate.h"

namespace roundel {

/// A frame's circles, and what they are in, unless they are made where they are needed.
struct FrameCircles {
  std::shared_ptr<Circles> memory;
  CircleStream stream;
  FilmSource::Frame source;
  std::string fingerprint = {};             ///< where each frame has its own
  std::shared_ptr<const Scene> scene = {};  ///< where each frame has its own
};

/// The circles of the frames that an export draws, one frame after the other.
class ExportCircles {
 public:
  /// Keeps a reference to the scene. `budget`: bytes for circles that are made once for all frames.
  /// `recipes`: whoever draws makes circles of them.
  ExportCircles(const Scene& scene, std::uint64_t budget, bool recipes);

  /// True if a frame has data or a scene of its own, which may be wrong while others are right.
  bool are_read() const { return is_read_; }
  /// True where frames may take the picture of the one before.
  bool repeats() const { return repeats_; }
  /// True where what at() gives are recipes, which take no memory, but for frames whose centres are
  /// binary64 until the view has moved them.
  bool have_recipes() const { return has_recipes_; }
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
  bool has_first_ = false;           ///< a frame has been asked for
  std::optional<std::string> last_;  ///< fingerprint
  std::mutex mutex_;                 ///< guards all below
  std::vector<std::shared_ptr<Circles>> free_;
};

}  // namespace roundel
