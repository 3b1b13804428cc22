#include "renderer/format/valid_node.h"

#include <stdexcept>

#include "renderer/format/validate.h"

namespace roundel {

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

ValidNode::ValidNode(YamlNode node) : PartlyValidNode(node) {
  if (validity() != Validity::kValid) throw std::logic_error("a node that is not valid is read");
}

std::vector<ValidNode> ValidNode::items() const {
  std::vector<ValidNode> all;
  all.reserve(count());
  for_each_item([&all](YamlNode item) { all.emplace_back(item); });
  return all;
}

std::size_t ValidNode::alternative_of(const Spec& any) const {
  return fitting_alternative(*this, any).value();
}

}  // namespace roundel
