#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/primitives/variant.h"

namespace roundel::primitives {

/// One variant at one size.
struct Row {
  std::string variant;
  bool is_on_device = false;
  std::uint64_t n = 0;  ///< elements
  Timing timing;
  double bytes = 0;       ///< that must be moved
  bool is_right = false;  ///< the result was checked, element by element
};

/// Runs every variant of a primitive at every size that it can take, and checks each result.
/// `on_row` is called after each row.
std::vector<Row> measure(Primitive& primitive, const std::vector<std::uint64_t>& sizes, int repeats,
                         const std::function<void(const Row&)>& on_row);

/// 2¹⁰, 2¹⁰ − 3, … 2²⁸, and 10⁶, 10⁷, 2·10⁷, 4·10⁷; ascending.
std::vector<std::uint64_t> usual_sizes();

/// "1000,2^20,2^20-3": numbers of elements up to 2³². Throws Expected.
std::vector<std::uint64_t> parse_sizes(const std::string& text);

}  // namespace roundel::primitives
