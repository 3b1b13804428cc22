#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "renderer/base/frame_name.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {

/// A scene for each frame of a film: a file a frame, or a row of a table, where a frame's number is
/// the row's. Any thread may load.
class SceneFilm {
 public:
  /// As load_scene() does.
  using Load = std::function<Scene(std::int64_t frame)>;
  /// Keeps scenes of so many bytes.
  SceneFilm(Load load, std::uint64_t most_bytes) : load_(std::move(load)), room_(most_bytes) {}

  /// The one that was kept, which goes with kDraw, or a new one.
  Scene load(std::int64_t frame, SceneUse use) const;
  /// For a frame that is to be drawn, so that its files need not be read again; where there is
  /// room.
  void keep(std::int64_t frame, Scene scene) const;

  // Of the rows of a table:
  std::int64_t rows = 0;                                      ///< 0: files
  std::optional<std::int64_t> shown = {};                     ///< frame that all scenes are at
  std::optional<FrameName> name = {};                         ///< of the pictures; else by number
  std::function<std::string(std::int64_t frame)> place = {};  ///< "table.csv: line 3"

 private:
  Load load_;
  mutable std::mutex mutex_;
  mutable std::uint64_t room_;
  mutable std::size_t open_tables_ = 0;
  mutable std::map<std::int64_t, Scene> kept_;
};

}  // namespace roundel
