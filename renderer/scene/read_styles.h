#pragma once
#include <string>

#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Reads blending, fill and stroke into `layer`, after its source. Adds contradictions, also with
/// the image, to `errors`, with the layer's path ("layers[0]") before the key.
void read_styles(PartlyValidNode node, const ImageSettings& image, const std::string& layer_path,
                 Layer& layer, FormatErrors& errors);

}  // namespace roundel
