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

/// The numbers of a column, of rows that `where` lets through.
struct ColumnRange {
  std::string name;           ///< or its number
  double low, high;           ///< of finite numbers; low > high where there are none
  std::uint64_t missing = 0;  ///< NaN, infinite or empty
  Slot slot = 0;
};

/// Rows that take the "missing" of a map's value.
struct MissingRows {
  std::uint64_t color = 0, alpha = 0, radius = 0;
};

/// What going through all rows tells.
struct DataFacts {
  std::uint64_t rows = 0;     ///< of the file
  std::uint64_t kept = 0;     ///< that become circles
  std::uint64_t dropped = 0;  ///< by `where`
  std::uint64_t skipped = 0;  ///< of the others those that cannot be drawn
  /// Rows are counted by blocks of so many; kept_before[b] of the rows before block b are kept.
  /// [blocks + 1], or empty where all rows are kept.
  std::uint64_t block_rows = 1;
  std::vector<std::uint64_t> kept_before;
  /// Of the centres of rows that are kept, in scene space; left > right where there are none.
  double left, right, bottom, top;
  std::vector<ColumnRange> columns;    ///< by slot, of numbers; for people
  MissingRows missing;                 ///< of the rows that are kept
  std::vector<std::string> rounded;    ///< Table::rounding_of() where numbers were compared
  std::uint64_t order_text_bytes = 0;  ///< where a column of texts sorts
  std::size_t percentile_scales = 0;   ///< scales whose percentiles were found
  // Main memory:
  std::uint64_t reading_bytes = 0;   ///< that a thread takes at most to read a block of rows
  std::uint64_t category_bytes = 0;  ///< of texts that are categories

  std::uint64_t blocks() const { return (rows + block_rows - 1) / block_rows; }
  std::uint64_t kept_before_block(std::uint64_t block) const;
  /// Of a row that is kept, by its number among these.
  std::uint64_t block_of(std::uint64_t kept_row) const;
};

/// Memory for the percentiles of `scales` scales over `rows` rows. All numbers are kept, or tables
/// are read once more for each pass.
struct PercentileMemory {
  /// `memory`: the picture's limit in bytes, of which percentiles take a third; 0: none.
  PercentileMemory(std::uint64_t rows, std::size_t scales, std::uint64_t memory);

  bool keeps_numbers;
  std::uint64_t part_bytes;  ///< of a RankFinder
  std::uint64_t bytes;       ///< in all, at most
};

/// Goes through a table once, checking all rows, and as often again as percentiles take, and
/// completes the map: the ends of its scales and the categories of its palette. The result does
/// not depend on threads. `move` is the layer's. `memory`: the picture's limit in bytes; 0: none.
/// Throws Error(kInvalidScene) for rows that cannot be drawn, unless the map skips them. If the
/// categories' texts take more than `memory`, or half of the machine's, stand-ins are kept, with
/// which nothing can be drawn; category_bytes says what all texts would take.
DataFacts survey_rows(const Table& table, DataMap& map, const LayerMove& move = {},
                      std::uint64_t memory = 0);

/// What maps need of the table that they were made for.
struct TableHead {
  std::string path;
  std::vector<TableColumn> columns;

  TableHead() = default;
  explicit TableHead(const Table& table) : path(table.path()), columns(table.columns()) {}
};

/// The files of a film of data, which are opened one after the other.
struct TableList {
  std::size_t count = 0;
  std::function<std::shared_ptr<const Table>(std::size_t)> open;
};

/// The same for all of a film's files as one, with a map made for `first`: completes what is not
/// over each frame alone, and settles it. Throws also where a file lacks a column.
DataFacts survey_film(const TableList& tables, const TableHead& first, DataMap& map,
                      const LayerMove& move = {}, std::uint64_t memory = 0);

/// A map that was made for the columns of `first`, for those of another file of the film. Throws
/// Error(kInvalidScene) where that lacks one, or has texts for numbers.
DataMap map_for(const Table& table, const TableHead& first, const DataMap& map);

/// Returns a sentence about a column of texts for colours that holds no text #rrggbb, with its
/// first text; empty if it holds one, if all of its texts are empty, and for other maps.
std::string problem_of_colors(const Table& table, const DataMap& map);

/// True where all of a film's files have to be gone through before the first is drawn.
bool needs_film(const DataMap& map);

}  // namespace roundel
