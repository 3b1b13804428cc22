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

/// A scene for each frame of a film: a file per frame, or a row of a table, with the row's number
/// as frame number. Loading is thread-safe.
class SceneFilm {
 public:
  /// Works as load_scene() does.
  using Load = std::function<Scene(std::int64_t frame)>;
  /// Keeps scenes of up to `max_bytes` bytes.
  SceneFilm(Load load, std::uint64_t max_bytes) : load_(std::move(load)), bytes_left_(max_bytes) {}

  /// Returns the kept scene, for kDraw, or loads one.
  Scene load(std::int64_t frame, SceneUse use) const;
  /// Keeps a frame's scene for drawing, which saves reading its files again; ignored beyond the
  /// limit.
  void keep(std::int64_t frame, Scene scene) const;

  // For the rows of a table:
  std::int64_t rows = 0;                   ///< 0: files
  std::optional<std::int64_t> shown = {};  ///< frame that all scenes are at
  std::optional<FrameName> name = {};      ///< names of the pictures; absent: by number
  std::function<std::string(std::int64_t frame)> place = {};  ///< "table.csv: line 3"

 private:
  Load load_;
  mutable std::mutex mutex_;
  mutable std::uint64_t bytes_left_;
  mutable std::size_t open_tables_ = 0;
  mutable std::map<std::int64_t, Scene> kept_;
};

}  // namespace roundel
