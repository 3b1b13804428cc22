#pragma once
#include <numeric>
#include <vector>

#include "renderer/data/table.h"

namespace roundel {

inline TableRows rows_of(const Table& table, std::uint64_t first, std::uint64_t count) {
  std::vector<std::size_t> columns(table.columns().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  TableRows rows;
  table.read(columns, first, count, rows);
  return rows;
}

inline std::vector<double> values_of(const Table& table) {
  const TableRows rows = rows_of(table, 0, table.rows());
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.count(); ++row)
    for (std::size_t k = 0; k < table.columns().size(); ++k) values.push_back(rows.numbers(k)[row]);
  return values;
}

}  // namespace roundel
