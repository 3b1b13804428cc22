#pragma once
#include <string>
#include <vector>

#include "tools/primitives/measure.h"

namespace roundel::primitives {

/// The rows of one primitive.
struct Table {
  std::string primitive, text;
  std::vector<Row> rows;
};

/// The copy bandwidths that rows are held against, bytes a second, read and written.
struct CopyBandwidths {
  double cpu = 0;
  double device = 0;  ///< 0 without one
  double of(const Row& row) const { return row.is_on_device ? device : cpu; }
};

/// What comes before the rows of a primitive, and a row.
std::string table_head(const Primitive& primitive);
std::string table_row(const Row& row, const CopyBandwidths& copies);

/// A line for each variant that could not take `largest` elements; empty where all could.
std::string left_out(Primitive& primitive, std::uint64_t largest);

/// All of it as one JSON object. `device`: its name, empty without one.
std::string tables_json(const std::vector<Table>& tables, const CopyBandwidths& copies, int threads,
                        const std::string& device);

}  // namespace roundel::primitives
