#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "renderer/circles/generate.h"
#include "renderer/explain/scene_text.h"
#include "renderer/image/files.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/scene.h"
#include "renderer/warnings.h"

namespace roundel::python {

/// A scene that is checked and resolved. Many threads may draw it.
class LoadedScene {
 public:
  LoadedScene(std::string text, std::string path, SceneOverrides overrides);
  const std::shared_ptr<const Scene>& shared() const { return scene_; }
  const Scene& get() const { return *scene_; }
  /// Returns true unless one of the data files has changed.
  bool is_current() const;
  std::unique_ptr<SceneText> text() const {
    return std::make_unique<SceneText>(text_, path_, overrides_);
  }

  /// The scene at a frame from 0 to kMaxFrame, by default its first.
  struct Frame {
    std::shared_ptr<const Scene> scene;
    std::int64_t number;
  };
  Frame at(std::optional<std::int64_t> frame) const;

  bool has_warned() const { return has_warned_; }
  /// Warns about the first picture of the scene.
  void warn_about(const Frame& frame, ImageFormat format, const CircleSample& sample,
                  std::uint64_t overlaps) const;

  /// Calls draw(circles) with new circles of a frame. With a rasterizer that makes circles from
  /// recipes, those of the second picture are kept for all later ones.
  void draw(const Frame& frame, Rasterizer& rasterizer,
            const std::function<void(const CircleStream&)>& draw) const;

 private:
  /// Returns nothing if the circles must be made again.
  std::optional<CircleRecipe> recipe(const Frame& frame, Rasterizer& rasterizer) const;

  std::shared_ptr<const Scene> scene_;
  std::string text_, path_;
  SceneOverrides overrides_;
  mutable std::atomic<bool> has_warned_{false};
  mutable std::mutex warnings_mutex_;  ///< guards warnings_
  mutable SceneWarnings warnings_;
  mutable std::mutex mutex_;                ///< guards the members below
  mutable bool was_drawn_ = false;          ///< with a rasterizer that makes circles
  mutable std::optional<FilmSource> film_;  ///< once their circles are kept
};

}  // namespace roundel::python
