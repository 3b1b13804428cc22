#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "renderer/format/yaml_tree.h"

namespace roundel {

struct Spec;
class ValidNode;

/// What validate() leaves of a tree in which something may be wrong: its valid values, and the maps
/// and lists around them.
class PartlyValidNode : protected YamlNode {
 public:
  /// Throws std::logic_error for a node that was not validated or failed.
  explicit PartlyValidNode(YamlNode node);

  using YamlNode::place;

  /// True if this is a map that has the key, with whatever value.
  bool has(std::string_view key) const { return YamlNode::find(key).has_value(); }
  /// The value of a key, if this is a map that has it and all of it is valid.
  std::optional<ValidNode> find(std::string_view key) const;
  /// The map or list at a key, if there is one where the format wants one.
  std::optional<PartlyValidNode> find_part(std::string_view key) const;
  /// Calls visit(key's text, value) for every entry of a map whose value is valid.
  template <typename Visit>
  void for_each_entry(Visit visit) const;
  /// Calls visit(index, item) for every item of a list that is not wrong as a whole.
  template <typename Visit>
  void for_each_part(Visit visit) const {
    std::size_t index = 0;
    for_each_item([&](YamlNode item) {
      if (item.validity() != Validity::kNone) visit(index, PartlyValidNode(item));
      ++index;
    });
  }
};

/// A node that is, with all below it, as the format wants it. There is no other way to a value:
/// making one of any other node throws std::logic_error.
class ValidNode : public PartlyValidNode {
 public:
  explicit ValidNode(YamlNode node);

  using YamlNode::count;
  using YamlNode::is_list;
  using YamlNode::is_map;
  using YamlNode::text;

  bool is_null() const { return kind() == YamlKind::kNull; }
  /// True for a scalar without quotes.
  bool is_plain() const { return kind() == YamlKind::kPlain; }
  /// All items of a list.
  std::vector<ValidNode> items() const;
  /// Returns the index of the alternative of an AnyOfSpec that describes this node.
  std::size_t alternative_of(const Spec& any) const;
};

template <typename Visit>
void PartlyValidNode::for_each_entry(Visit visit) const {
  YamlNode::for_each_entry([&visit](YamlNode key, YamlNode value) {
    if (value.validity() == Validity::kValid) visit(key.text(), ValidNode(value));
  });
}

}  // namespace roundel
