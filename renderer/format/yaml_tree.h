#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/format/format_errors.h"

namespace roundel {

enum class YamlKind : std::uint8_t {
  kNull,    ///< nothing, ~ or null
  kPlain,   ///< a scalar without quotes
  kQuoted,  ///< a scalar in quotes or a block scalar: text, whatever it looks like
  kList,
  kMap,
  kUnknown,  ///< stood for a var that there is not
};

/// What validate() has found at a node and below it.
enum class Validity : std::uint8_t {
  kNone,    ///< not looked at, or not what the format wants there: never to be read
  kPartly,  ///< the map or list that the format wants, but something in it is wrong
  kValid,   ///< all of it as the format wants it
};

class YamlNode;

/// A YAML document as it stands in the file: no types guessed, duplicate keys kept, every node with
/// its place. 20 bytes a node and one string for all scalars.
class YamlTree {
 public:
  static constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
  static constexpr std::size_t kMaxDepth = 64;
  /// What bounds the number of nodes. Counted are the characters , : [ ] { } and line ends.
  static constexpr std::size_t kMaxPunctuation = 4'000'000;

  /// Parses the one document that `text` (UTF-8, with or without a byte order mark) must hold; no
  /// anchors, aliases, merge keys or tags. Throws Error(kInvalidScene) "FILE:LINE:COLUMN: …". Time
  /// and memory are bounded by the limits above. `kind` is what the file should be, for messages.
  YamlTree(std::string_view text, const std::string& file, const char* kind = "scene");

  /// To be filled by a TreeBuilder.
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

/// A node of a tree, cheap to copy; to be used while the tree lives. It may hold anything: what is
/// made of a tree's values is read from a ValidNode.
class YamlNode {
 public:
  YamlKind kind() const { return node().kind; }
  bool is_map() const { return kind() == YamlKind::kMap; }
  bool is_list() const { return kind() == YamlKind::kList; }
  Place place() const { return node().place; }
  bool is_scalar() const { return kind() == YamlKind::kPlain || kind() == YamlKind::kQuoted; }
  /// A scalar's text. Throws std::logic_error for all other nodes.
  std::string_view text() const;
  /// Items of a list, entries of a map.
  std::size_t count() const { return is_map() ? node().begin / 2 : node().begin; }

  /// Calls visit(item) for every item of a list; other nodes have none.
  template <typename Visit>
  void for_each_item(Visit visit) const {
    YamlNode child = first_child();
    for (std::uint32_t i = 0, n = is_list() ? node().begin : 0; i < n; ++i, child = child.next())
      visit(child);
  }
  /// Calls visit(key, value) for every entry of a map; other nodes have none.
  template <typename Visit>
  void for_each_entry(Visit visit) const {
    YamlNode key = first_child();
    for (std::uint32_t i = 0, n = is_map() ? node().begin : 0; i < n; i += 2) {
      const YamlNode value = key.next();
      visit(key, value);
      key = value.next();
    }
  }
  /// The value of a key (the first of them), if this is a map that has it.
  std::optional<YamlNode> find(std::string_view key) const;

  /// kNone until validate() has said more.
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
