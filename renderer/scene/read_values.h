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

// Values at nodes that validate() has accepted: read without further checks.
/// Of a key "over", which may be absent.
bool is_over_frame(const std::optional<ValidNode>& node);
Length read_length(ValidNode node);
DisplayColor read_color(ValidNode node);
std::array<double, 2> read_point(ValidNode node);
/// Of a random layer. What contradicts itself goes to `errors`, as of the key `path`.
ColorLaw read_color_law(ValidNode node, const std::string& path, FormatErrors& errors);
Gradient read_gradient(ValidNode node, const std::string& path, FormatErrors& errors);

}  // namespace roundel
