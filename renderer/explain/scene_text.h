#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/format/yaml_tree.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// Text of a scene file, with the values of its vars.
class SceneText {
 public:
  /// `text` must be valid for parse_scene() with these overrides.
  SceneText(std::string_view text, const std::string& path, const SceneOverrides& overrides);

  /// Returns the line of an inline circle, from 1.
  std::optional<std::uint32_t> circle_line(std::size_t layer, std::uint64_t index) const;
  /// Values of `data` by layer; empty for layers without data.
  const std::vector<std::string>& data() const { return data_; }
  YamlNode root() const { return tree_.root(); }

 private:
  mutable YamlTree tree_;  // mutable: nodes keep the results of validate()
  std::vector<std::vector<std::uint32_t>> circle_lines_;
  std::vector<std::string> data_;
};

struct SceneChanges {
  std::vector<std::string> values;  ///< "seed 7 -> 8", "layers[2].random.count 300 added"
  /// Line of the first changed value or inline circle that the second scene has; 0: none.
  std::uint32_t line = 0;
};
/// Skips values that the command line sets. A list of another length counts as one value.
/// Inline circles only have a line.
SceneChanges changed_values(const SceneText& a, const SceneText& b,
                            const SceneOverrides& overrides);

}  // namespace roundel
