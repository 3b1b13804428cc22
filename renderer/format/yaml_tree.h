#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/format/format_errors.h"

namespace roundel {

enum class YamlKind : std::uint8_t {
  kNull,    ///< empty, ~ or null
  kPlain,   ///< a scalar without quotes
  kQuoted,  ///< in quotes or a block scalar: always text
  kList,
  kMap,
  kUnknown,  ///< replaces an unknown var
};

/// Result of validate() for a node and its descendants.
enum class Validity : std::uint8_t {
  kNone,    ///< unchecked or invalid: must not be read
  kPartly,  ///< the expected map or list, with something invalid in it
  kValid,   ///< valid with all descendants
};

class YamlNode;

/// A YAML document as written: no types, duplicate keys, all places. 20 bytes a node and one string
/// for all scalars.
class YamlTree {
 public:
  static constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
  static constexpr std::size_t kMaxDepth = 64;
  /// Bounds the number of nodes: counts , : [ ] { } and line ends.
  static constexpr std::size_t kMaxPunctuation = 4'000'000;

  /// Parses one document (UTF-8, optional byte order mark) without anchors, aliases, merge keys and
  /// tags. Throws Error(kInvalidScene) "FILE:LINE:COLUMN: …". The limits above bound time and
  /// memory. `kind` names the expected file.
  YamlTree(std::string_view text, const std::string& file, const char* kind = "scene");

  /// An empty tree for a TreeBuilder.
  YamlTree() = default;

  YamlNode root();

 private:
  friend class YamlNode;
  friend class TreeBuilder;
  friend class VarReplacer;
  struct Node {
    Place place;
    std::uint32_t begin = 0;  // scalars: offset into text_; others: number of children
    std::uint32_t size = 0;   // scalars: bytes; others: index of the node after the last descendant
    YamlKind kind = YamlKind::kNull;
    Validity validity = Validity::kNone;
  };
  std::vector<Node> nodes_;  // depth first; a map's children are key, value, key, value …
  std::string text_;
};

/// A node, valid or not; cheap to copy. The tree must outlive it. Values are read through
/// ValidNode.
class YamlNode {
 public:
  YamlKind kind() const { return node().kind; }
  bool is_map() const { return kind() == YamlKind::kMap; }
  bool is_list() const { return kind() == YamlKind::kList; }
  Place place() const { return node().place; }
  bool is_scalar() const { return kind() == YamlKind::kPlain || kind() == YamlKind::kQuoted; }
  /// Throws std::logic_error unless it is a scalar.
  std::string_view text() const;
  /// Items of a list, entries of a map.
  std::size_t count() const { return is_map() ? node().begin / 2 : node().begin; }

  /// Visits nothing unless this is a list.
  template <typename Visit>
  void for_each_item(Visit visit) const {
    YamlNode child = first_child();
    for (std::uint32_t i = 0, n = is_list() ? node().begin : 0; i < n; ++i, child = child.next())
      visit(child);
  }
  /// Calls visit(key, value); visits nothing unless this is a map.
  template <typename Visit>
  void for_each_entry(Visit visit) const {
    YamlNode key = first_child();
    for (std::uint32_t i = 0, n = is_map() ? node().begin : 0; i < n; i += 2) {
      const YamlNode value = key.next();
      visit(key, value);
      key = value.next();
    }
  }
  /// The first value of this key in a map.
  std::optional<YamlNode> find(std::string_view key) const;

  /// kNone before validate().
  Validity validity() const { return node().validity; }
  void set_validity(Validity validity) const { tree_->nodes_[index_].validity = validity; }

 private:
  friend class YamlTree;
  friend class VarReplacer;
  YamlNode(YamlTree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
  const YamlTree::Node& node() const { return tree_->nodes_[index_]; }
  YamlNode first_child() const { return {tree_, index_ + 1}; }
  YamlNode next() const {
    const bool scalar = !is_map() && !is_list();
    return {tree_, scalar ? index_ + 1 : node().size};
  }

  YamlTree* tree_;
  std::uint32_t index_;
};

inline YamlNode YamlTree::root() {
  return {this, 0};
}

}  // namespace roundel
