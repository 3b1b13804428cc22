#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/format/yaml_tree.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// What stands in a scene file, with the values of its vars.
class SceneText {
 public:
  /// Of a text that parse_scene() takes with these overrides.
  SceneText(std::string_view text, const std::string& path, const SceneOverrides& overrides);

  /// The line of an inline circle, from 1.
  std::optional<std::uint32_t> circle_line(std::size_t layer, std::uint64_t index) const;
  /// What `data` says in the layers that have it; empty in the others.
  const std::vector<std::string>& data() const { return data_; }
  YamlNode root() const { return tree_.root(); }

 private:
  mutable YamlTree tree_;  // its nodes remember what validate() finds
  std::vector<std::vector<std::uint32_t>> circle_lines_;
  std::vector<std::string> data_;
};

/// The values by which two scenes differ, but for their inline circles and what the command line
/// says instead of both: "seed 7 -> 8", "layers[2].random.count 300 added". Lists of different
/// lengths are not looked into.
std::vector<std::string> changed_values(const SceneText& a, const SceneText& b,
                                        const SceneOverrides& overrides);

}  // namespace roundel
