#include "renderer/format/valid_node.h"

#include <stdexcept>

namespace roundel {

ValidNode::ValidNode(YamlNode node) : YamlNode(node) {
  if (validity() != Validity::kValid) throw std::logic_error("a node that is not valid is read");
}

std::vector<ValidNode> ValidNode::items() const {
  std::vector<ValidNode> all;
  all.reserve(count());
  for_each_item([&all](YamlNode item) { all.emplace_back(item); });
  return all;
}

std::optional<ValidNode> ValidNode::find(std::string_view key) const {
  const std::optional<YamlNode> value = YamlNode::find(key);
  return value ? std::optional(ValidNode(*value)) : std::nullopt;
}

PartlyValidNode::PartlyValidNode(YamlNode node) : YamlNode(node) {
  if (validity() == Validity::kNone) throw std::logic_error("a node that failed is read");
}

std::optional<ValidNode> PartlyValidNode::find(std::string_view key) const {
  const std::optional<YamlNode> value = YamlNode::find(key);
  return value && value->validity() == Validity::kValid ? std::optional(ValidNode(*value))
                                                        : std::nullopt;
}

std::optional<PartlyValidNode> PartlyValidNode::find_part(std::string_view key) const {
  const std::optional<YamlNode> value = YamlNode::find(key);
  return value && value->validity() != Validity::kNone ? std::optional(PartlyValidNode(*value))
                                                       : std::nullopt;
}

}  // namespace roundel
