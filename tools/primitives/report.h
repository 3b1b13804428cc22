#pragma once
#include <string>
#include <vector>

#include "renderer/raster/machine_limits.h"
#include "tools/primitives/measure.h"

namespace roundel::primitives {

/// The rows of one primitive.
struct Table {
  std::string primitive, text;
  std::vector<Row> rows;
};

/// What comes before the rows of a primitive, and a row; the share is of the copy bandwidth.
std::string table_head(const Primitive& primitive);
std::string table_row(const Row& row, const MachineLimits& limits);

/// "no CUDA device: …", for the end.
std::string device_line();

/// All of it as one JSON object.
std::string tables_json(const std::vector<Table>& tables, const MachineLimits& limits, int threads);

}  // namespace roundel::primitives
