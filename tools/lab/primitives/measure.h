#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/lines.h"
#include "tools/lab/primitives/variant.h"

namespace roundel::primitives {

/// One variant at one size.
struct Row {
  std::string variant;
  bool is_on_device = false;
  std::uint64_t n = 0;  ///< elements
  Timing timing;
  double bytes = 0;       ///< minimal traffic
  bool is_right = false;  ///< the result was checked, element by element
};

/// Runs every variant of a primitive at every size that it supports, and checks each result. Calls
/// `on_row` after each row.
std::vector<Row> measure(Primitive& primitive, const std::vector<std::uint64_t>& sizes, int repeats,
                         const std::function<void(const Row&)>& on_row);

/// 2¹⁰, 2¹⁰ − 3, … 2²⁸, and 10⁶, 10⁷, 2·10⁷, 4·10⁷; ascending.
std::vector<std::uint64_t> usual_sizes();

/// "1000,2^20,2^20-3": numbers of elements up to 2³². Throws Expected.
std::vector<std::uint64_t> parse_sizes(const std::string& text);

/// The rows of one primitive.
struct Table {
  std::string primitive, text;
  std::vector<Row> rows;
};

/// The copy bandwidths to compare rows with, bytes a second, read and written.
struct CopyBandwidths {
  double cpu = 0;
  double device = 0;  ///< 0 without a device
  double of(const Row& row) const { return row.is_on_device ? device : cpu; }
};

/// Return the lines before the rows of a primitive, and a row.
Lines table_head(const Primitive& primitive);
std::string table_row(const Row& row, const CopyBandwidths& copies);

/// Returns a line for each variant that cannot take `largest` elements; empty if all can.
Lines left_out(Primitive& primitive, std::uint64_t largest);

/// Returns everything as one JSON object. `device`: its name, empty without one.
std::string tables_json(const std::vector<Table>& tables, const CopyBandwidths& copies, int threads,
                        const std::string& device);

}  // namespace roundel::primitives
