#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/explain/explain_difference.h"
#include "renderer/explain/scene_text.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

struct SceneFile {
  Scene scene;
  SceneText text;

  /// Throws the errors of parse_scene().
  SceneFile(const std::string& content, const std::string& path, const SceneOverrides& overrides);
};

struct DrawnScene;

/// Two drawn scenes and why their pictures differ: changed values, and the circles that cause the
/// largest clusters of differing pixels.
class SceneDifference {
 public:
  /// Draws overrides.frame, or each scene's first frame. Keeps references to the files. Does not
  /// draw pictures of different sizes or channels. Throws Error if drawing fails.
  SceneDifference(const SceneFile& a, const SceneFile& b, const SceneOverrides& overrides,
                  std::size_t clusters);
  ~SceneDifference();
  SceneDifference(const SceneDifference&) = delete;
  SceneDifference& operator=(const SceneDifference&) = delete;

  /// Line of the first change in `b`'s file; 0 if unknown.
  std::uint32_t changed_line() const { return changes_.line; }
  /// False if all pixels are equal, also as floats. Motion blur is not drawn: scenes of different
  /// blur differ.
  bool differs() const;
  /// At most `limit` circles per cluster.
  Lines text(std::size_t limit) const;
  nlohmann::ordered_json json(std::size_t limit) const;

 private:
  const SceneFile& a_;
  SceneChanges changes_;
  std::string other_shape_;  ///< both shapes if they differ
  bool is_blurred_ = false;  ///< motion blur in one or both
  bool blur_differs_ = false;
  std::unique_ptr<const DrawnScene> drawn_a_, drawn_b_;
  DifferenceExplanation explanation_;
};

}  // namespace roundel
