#pragma once
#include <cstddef>
#include <optional>

#include "renderer/format/format_errors.h"
#include "renderer/format/spec.h"
#include "renderer/format/valid_node.h"

namespace roundel {

/// Adds the differences between `node` and `spec` to `errors`. Returns the readable part; nothing
/// if `node` itself fails. Skips values below a list or map that failed.
std::optional<PartlyValidNode> validate(YamlNode node, const Spec& spec, FormatErrors& errors);

/// Index of the AnyOfSpec alternative for a node's kind.
std::optional<std::size_t> fitting_alternative(YamlNode node, const Spec& any);

/// Describes a node for "got …": nothing, 12, "text", a list of 3 items, a map.
std::string got(YamlNode node);

}  // namespace roundel
