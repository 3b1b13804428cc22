#pragma once
#include <string>

#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Reads how a layer's circles change what lies below them, and their fill and stroke: `layer`,
/// whose source has been read, gets it. What contradicts itself or the image goes to `errors`, with
/// the layer's path
/// ("layers[0]") before the key.
void read_looks(PartlyValidNode node, const ImageSettings& image, const std::string& layer_path,
                Layer& layer, FormatErrors& errors);

}  // namespace roundel
