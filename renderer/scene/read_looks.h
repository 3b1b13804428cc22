#pragma once
#include <string>

#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Reads into `layer` how its circles blend, and their fill and stroke; its source has already been
/// read. Adds contradictions, also with the image, to `errors`, with the layer's path ("layers[0]")
/// before the key.
void read_looks(PartlyValidNode node, const ImageSettings& image, const std::string& layer_path,
                Layer& layer, FormatErrors& errors);

}  // namespace roundel
