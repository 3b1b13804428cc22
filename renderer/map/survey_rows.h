#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/data/table.h"
#include "renderer/map/data_map.h"
#include "renderer/map/layer_move.h"

namespace roundel {

/// A column's numbers in rows that pass `where`.
struct ColumnRange {
  std::string name;           ///< or its number
  double low, high;           ///< range of finite numbers; low > high without any
  std::uint64_t missing = 0;  ///< NaN, infinite or empty
  Slot slot = 0;
};

/// Rows with the "missing" value of a map.
struct MissingRows {
  std::uint64_t color = 0, alpha = 0, radius = 0;
};

/// Results of reading all rows.
struct DataFacts {
  std::uint64_t rows = 0;     ///< in the file
  std::uint64_t kept = 0;     ///< become circles
  std::uint64_t dropped = 0;  ///< by `where`
  std::uint64_t skipped = 0;  ///< passing, but cannot be drawn
  /// Rows per block; kept_rows_before[b]: kept rows before block b. [blocks + 1], or empty if all
  /// are kept.
  std::uint64_t block_rows = 1;
  std::vector<std::uint64_t> kept_rows_before;
  /// Bounds of kept centres in scene space; left > right without any.
  double left, right, bottom, top;
  std::vector<ColumnRange> columns;    ///< by slot, of numbers
  MissingRows missing;                 ///< in kept rows
  std::vector<std::string> rounded;    ///< Table::rounding_of() for compared numbers
  std::uint64_t order_text_bytes = 0;  ///< if a column of texts sorts
  std::size_t percentile_scales = 0;   ///< scales with percentiles
  // Main memory:
  std::uint64_t reading_bytes = 0;   ///< per thread, for a block of rows
  std::uint64_t category_bytes = 0;  ///< texts of categories

  std::uint64_t blocks() const { return (rows + block_rows - 1) / block_rows; }
  std::uint64_t kept_before_block(std::uint64_t block) const;
  /// `kept_row`: index among the kept rows.
  std::uint64_t block_of(std::uint64_t kept_row) const;
};

/// Memory for percentiles. Either all numbers are kept, or each pass reads the tables again.
struct PercentileMemory {
  /// `memory`: the picture's limit in bytes, a third of which is for percentiles; 0: none.
  PercentileMemory(std::uint64_t rows, std::size_t scales, std::uint64_t memory);

  bool keeps_numbers;
  std::uint64_t part_bytes;  ///< for RankFinder
  std::uint64_t bytes;       ///< maximum
};

/// Reads and checks all rows, once more for each pass for percentiles, and completes the map's
/// scales and categories. The result is independent of threads. `move`: the layer's. `memory`: the
/// picture's limit in bytes; 0: none. Throws Error(kInvalidScene) for rows that cannot be drawn,
/// unless the map skips them. Categories whose texts exceed `memory`, or half of the machine's,
/// become placeholders that cannot be drawn; category_bytes counts all texts.
DataFacts survey_rows(const Table& table, DataMap& map, const LayerMove& move = {},
                      std::uint64_t memory = 0);

/// The table that a map was made for.
struct TableHead {
  std::string path;
  std::vector<TableColumn> columns;

  TableHead() = default;
  explicit TableHead(const Table& table) : path(table.path()), columns(table.columns()) {}
};

/// A film's files, opened one after another.
struct TableList {
  std::size_t count = 0;
  std::function<std::shared_ptr<const Table>(std::size_t)> open;
};

/// survey_rows() over all files of a film, with a map for `first`: settles scales and categories
/// that are not per frame. Also throws if a file lacks a column.
DataFacts survey_film(const TableList& tables, const TableHead& first, DataMap& map,
                      const LayerMove& move = {}, std::uint64_t memory = 0);

/// Converts a map from the columns of `first` to another file of the film. Throws
/// Error(kInvalidScene) if that file lacks a column, or has texts instead of numbers.
DataMap map_for(const Table& table, const TableHead& first, const DataMap& map);

/// A message, with the first text, about a column for colours with texts but no #rrggbb; else
/// empty.
std::string problem_of_colors(const Table& table, const DataMap& map);

/// True if a film's first frame needs all files.
bool needs_film(const DataMap& map);

}  // namespace roundel
