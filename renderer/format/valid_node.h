#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "renderer/format/yaml_tree.h"

namespace roundel {

struct Spec;
class ValidNode;

/// Valid values of a tree after validate(), with the maps and lists around them.
class PartlyValidNode : protected YamlNode {
 public:
  /// Throws std::logic_error for a node that was not validated or failed.
  explicit PartlyValidNode(YamlNode node);

  using YamlNode::place;

  /// True for a map with this key, valid or not.
  bool has(std::string_view key) const { return YamlNode::find(key).has_value(); }
  /// The value, if all of it is valid.
  std::optional<ValidNode> find(std::string_view key) const;
  /// A map or list, if the format expects it there.
  std::optional<PartlyValidNode> find_part(std::string_view key) const;
  /// Calls visit(key's text, value) for each valid value of a map.
  template <typename Visit>
  void for_each_entry(Visit visit) const;
  /// Calls visit(index, item) for each item of a list that has not failed as a whole.
  template <typename Visit>
  void for_each_part(Visit visit) const {
    std::size_t index = 0;
    for_each_item([&](YamlNode item) {
      if (item.validity() != Validity::kNone) visit(index, PartlyValidNode(item));
      ++index;
    });
  }
};

/// A valid node with valid descendants, the only access to values. Throws std::logic_error for
/// other nodes.
class ValidNode : public PartlyValidNode {
 public:
  explicit ValidNode(YamlNode node);

  using YamlNode::count;
  using YamlNode::is_list;
  using YamlNode::is_map;
  using YamlNode::text;

  bool is_null() const { return kind() == YamlKind::kNull; }
  bool is_plain() const { return kind() == YamlKind::kPlain; }
  std::vector<ValidNode> items() const;
  /// Index of the AnyOfSpec alternative that describes this node.
  std::size_t alternative_of(const Spec& any) const;
};

template <typename Visit>
void PartlyValidNode::for_each_entry(Visit visit) const {
  YamlNode::for_each_entry([&visit](YamlNode key, YamlNode value) {
    if (value.validity() == Validity::kValid) visit(key.text(), ValidNode(value));
  });
}

}  // namespace roundel
