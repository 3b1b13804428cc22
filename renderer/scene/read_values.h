#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "renderer/format/format_errors.h"
#include "renderer/format/read_scalars.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/scene.h"

namespace roundel {

// Nodes are valid: no further checks.
/// Reads the optional key "over".
bool is_over_frame(const std::optional<ValidNode>& node);
Length read_length(ValidNode node);
DisplayColor read_color(ValidNode node);
std::array<double, 2> read_point(ValidNode node);
/// Read colours of random layers. Add contradictions to `errors`, at the key `path`.
ColorLaw read_color_law(ValidNode node, const std::string& path, FormatErrors& errors);
Gradient read_gradient(ValidNode node, const std::string& path, FormatErrors& errors);

}  // namespace roundel
