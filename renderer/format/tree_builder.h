#pragma once
#include <string_view>
#include <vector>

#include "renderer/format/yaml_tree.h"

namespace roundel {

/// Adds nodes in the order of the file.
class TreeBuilder {
 public:
  explicit TreeBuilder(YamlTree& tree) : tree_(tree) {}

  /// The following nodes belong to this list or map.
  void open(YamlKind kind, Place place) {
    add_node(kind, place);
    open_.push_back(tree_.nodes_.size() - 1);
  }
  void close() {
    tree_.nodes_[open_.back()].size = static_cast<std::uint32_t>(tree_.nodes_.size());
    open_.pop_back();
    finish_node();
  }
  void add_scalar(YamlKind kind, Place place, std::string_view text) {
    add_node(kind, place);
    tree_.nodes_.back().begin = static_cast<std::uint32_t>(tree_.text_.size());
    tree_.nodes_.back().size = static_cast<std::uint32_t>(text.size());
    tree_.text_ += text;
    finish_node();
  }
  void add_null(Place place) {
    add_node(YamlKind::kNull, place);
    finish_node();
  }

  std::size_t depth() const { return open_.size(); }
  bool is_value_of_map() const {
    if (open_.empty()) return false;
    const YamlTree::Node& parent = tree_.nodes_[open_.back()];
    return parent.kind == YamlKind::kMap && parent.begin % 2 != 0;
  }
  Place last_place() const { return tree_.nodes_.back().place; }

 private:
  void add_node(YamlKind kind, Place place) {
    YamlTree::Node node;
    node.place = place;
    node.kind = kind;
    tree_.nodes_.push_back(node);
  }
  void finish_node() {
    if (!open_.empty()) ++tree_.nodes_[open_.back()].begin;
  }

  YamlTree& tree_;
  std::vector<std::size_t> open_;  // lists and maps around the next node
};

}  // namespace roundel
