#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "renderer/circles/generate.h"

namespace roundel {

/// A frame's circles and their memory, if they are not made on demand.
struct FrameCircles {
  std::shared_ptr<Circles> memory;
  CircleStream stream;
  FilmSource::Frame source;
  std::string fingerprint = {};             ///< set if each frame has its own
  std::shared_ptr<const Scene> scene = {};  ///< set if each frame has its own
};

/// Makes the circles of an export's frames, one frame after the other.
class ExportCircles {
 public:
  /// Keeps a reference to the scene. `budget`: bytes for circles that are made once. `recipes`: the
  /// rasterizers can make circles from recipes.
  ExportCircles(const Scene& scene, std::uint64_t budget, bool recipes);

  /// True if each frame has its own data or scene, which may be invalid while others are valid.
  bool are_read() const { return is_read_; }
  bool repeats() const { return repeats_; }
  /// True if at() returns recipes, which take no memory except in frames whose centres are binary64
  /// until the view has moved them.
  bool have_recipes() const { return has_recipes_; }
  /// Returns nothing if the frame reuses the previous picture. Called by one thread.
  std::optional<FrameCircles> at(std::int64_t frame, StageStats& stats);
  /// Takes back unused circles, to reuse their memory. Called by any thread.
  void take_back(FrameCircles circles);

 private:
  FrameCircles make(std::int64_t frame, FilmSource::Frame source, StageStats& stats);

  FilmSource source_;
  std::uint64_t budget_;
  bool is_read_, repeats_;
  bool has_recipes_;
  bool has_first_ = false;
  std::optional<std::string> last_;  ///< fingerprint
  std::mutex mutex_;                 ///< guards all below
  std::vector<std::shared_ptr<Circles>> free_;
};

}  // namespace roundel
