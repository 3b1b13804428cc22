#pragma once
#include <string>

#include "renderer/data/table.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/map/data_map.h"

namespace roundel {

/// Reads the key "map" of a layer. Adds missing columns, texts instead of numbers and contradictory
/// laws to `errors`, with the layer's path ("layers[0]") before the key.
DataMap read_data_map(PartlyValidNode layer, const Table& table, const std::string& layer_path,
                      Ratio fps, FormatErrors& errors);

}  // namespace roundel
