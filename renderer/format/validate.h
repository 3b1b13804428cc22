#pragma once
#include <cstddef>
#include <optional>

#include "renderer/format/format_errors.h"
#include "renderer/format/spec.h"
#include "renderer/format/valid_node.h"

namespace roundel {

/// Adds everything in which `node` differs from `spec` to `errors`. Returns what may be read all
/// the same; all of it if there were no errors, nothing if `node` itself is not what it should be.
/// Values below a list or map that failed are not looked at.
std::optional<PartlyValidNode> validate(YamlNode node, const Spec& spec, FormatErrors& errors);

/// Returns the index of the alternative of an AnyOfSpec that decides about a node, by its kind.
std::optional<std::size_t> fitting_alternative(YamlNode node, const Spec& any);

/// What stands at a node, for "got …": nothing, 12, "text", a list of 3 items, a map.
std::string got(YamlNode node);

}  // namespace roundel
