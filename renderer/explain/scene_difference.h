#pragma once
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/explain/explain_difference.h"
#include "renderer/explain/scene_text.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// A scene, and what stands in its file.
struct SceneFile {
  Scene scene;
  SceneText text;

  /// Throws what parse_scene() does.
  SceneFile(const std::string& content, const std::string& path, const SceneOverrides& overrides);
};

struct DrawnScene;

/// Two scenes, drawn, and why their pictures differ: values of the files, and the circles that are
/// responsible for the largest clusters of differing pixels.
class SceneDifference {
 public:
  /// Draws overrides.frame, or else each scene's first one. The files must outlive this. Throws
  /// Error where the pictures cannot be drawn. Those of other sizes or channels are not.
  SceneDifference(const SceneFile& a, const SceneFile& b, const SceneOverrides& overrides,
                  std::size_t clusters);
  ~SceneDifference();
  SceneDifference(const SceneDifference&) = delete;
  SceneDifference& operator=(const SceneDifference&) = delete;

  /// False where no pixel differs, not even in float.
  bool differs() const;
  /// Lines; of each cluster at most `limit` circles.
  Lines text(std::size_t limit) const;
  nlohmann::ordered_json json(std::size_t limit) const;

 private:
  const SceneFile& a_;
  std::vector<std::string> changed_values_;
  std::string other_shape_;  ///< both shapes, where they differ
  std::unique_ptr<const DrawnScene> drawn_a_, drawn_b_;
  DifferenceExplanation explanation_;
};

}  // namespace roundel
