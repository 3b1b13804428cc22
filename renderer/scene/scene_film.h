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

/// Memory for scenes that were checked and wait to be drawn. `memory`: Scene::memory.
std::uint64_t max_film_bytes(std::uint64_t memory);

/// A scene per frame: from a file each, from a row of a table, whose number is the frame's, or from
/// one file with $frame.
/// Thread-safe loading.
class SceneFilm {
 public:
  using Load = std::function<Scene(std::int64_t frame)>;
  SceneFilm(Load load, std::uint64_t max_bytes) : load_(std::move(load)), bytes_left_(max_bytes) {}

  /// The kept scene, for kDraw, or a new one.
  Scene load(std::int64_t frame, SceneUse use) const;
  /// Keeps a scene that will be drawn, to read its files once, within the limit.
  void keep(std::int64_t frame, Scene scene) const;

  bool is_by_var = false;  ///< frames differ in $frame
  // Members for the rows of a table:
  std::int64_t rows = 0;                         ///< 0: files
  std::optional<std::int64_t> scene_frame = {};  ///< frame of all scenes
  std::optional<FrameName> name = {};            ///< names of the pictures; absent: by number
  std::function<std::string(std::int64_t frame)> place = {};  ///< "table.csv: line 3"

 private:
  Load load_;
  mutable std::mutex mutex_;
  mutable std::uint64_t bytes_left_;
  mutable std::size_t open_tables_ = 0;
  mutable std::map<std::int64_t, Scene> kept_;
};

}  // namespace roundel
