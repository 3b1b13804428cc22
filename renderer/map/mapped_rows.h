#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "renderer/base/lines.h"
#include "renderer/data/table.h"
#include "renderer/map/data_map.h"

namespace roundel {

enum class RowUse {
  kSurvey,   ///< checks all; scales and palettes may be unknown
  kCircles,  ///< checks all, to make circles
  kOrder,    ///< finds kept rows and the column that sorts them
};

/// A run of rows; reused by one thread.
struct MappedRun {
  TableRows rows;
  std::uint64_t first = 0;
  std::size_t count = 0;
  std::vector<std::uint32_t> kept;      ///< become circles; counted from `first`, ascending
  std::vector<std::uint32_t> selected;  ///< for RowMapper::read_some
  std::uint64_t dropped = 0;            ///< by `where`
  std::uint64_t bad = 0;                ///< passing, but cannot be drawn
  std::uint64_t first_bad = std::numeric_limits<std::uint64_t>::max();  ///< counted in the file

  const std::vector<std::size_t>* places = nullptr;  ///< by slot: index in `rows`
  std::vector<std::uint8_t> passes, draws;           ///< results of `where` and the checks
  std::vector<std::int32_t> categories;              ///< −1: none
  std::vector<DisplayColor> colors;
  std::vector<double> t;
  std::vector<std::uint64_t> keys;  ///< a buffer for sort keys
  std::vector<double> buffers[5];   ///< NOLINT: for constants and mapped numbers

  std::span<const double> numbers(Slot slot) const { return rows.numbers((*places)[slot]); }
  std::span<const std::string_view> texts(Slot slot) const { return rows.texts((*places)[slot]); }
};

/// Maps rows of a table in runs. Thread-safe.
class RowMapper {
 public:
  /// Keeps references. Scales and categories must be known when used.
  RowMapper(const Table& table, const DataMap& map);

  void read(std::uint64_t first, std::size_t count, RowUse use, MappedRun& run) const;

  /// Reads for kCircles the rows run.selected, in this order: indices among the `kept` rows in
  /// [first, first + count). False if the rows have changed.
  bool read_some(std::uint64_t first, std::size_t count, std::uint64_t kept, MappedRun& run) const;

  // Values of all rows of a run for kCircles:
  std::span<const double> x(MappedRun& run) const { return numbers(run, map_.x, 0); }
  std::span<const double> y(MappedRun& run) const { return numbers(run, map_.y, 1); }
  std::span<const double> z(MappedRun& run) const { return numbers(run, map_.z, 2); }
  /// Radii in frame space. `limits`: for `radius_limits`, after the layer's scale.
  std::span<const double> radii(MappedRun& run, const LengthUnits& units,
                                const LengthUnits& limits) const;
  /// `otherwise`: without an alpha in the map.
  std::span<const double> alphas(MappedRun& run, double otherwise) const;
  std::span<const DisplayColor> colors(MappedRun& run) const;

  /// A line per problem: "PATH: row 17: area: radius: expected a number > 0 and <= 1e6, got -3".
  Lines problems_of(std::uint64_t row) const;
  /// Throws Error(kInvalidScene) about the first of `bad` rows.
  [[noreturn]] void fail_for(std::uint64_t first_bad, std::uint64_t bad) const;

  static std::vector<std::size_t> columns_of_order(const DataMap& map) {
    return columns_of(map, RowUse::kOrder).of_table;
  }

  /// Main memory per row for circles, except the table's columns.
  std::uint64_t bytes_of_row() const;

  const Table& table() const { return table_; }
  const DataMap& map() const { return map_; }

 private:
  struct Columns {
    std::vector<std::size_t> of_table;  ///< indices in the table
    std::vector<std::size_t> places;    ///< by slot
  };

  static Columns columns_of(const DataMap& map, RowUse use);
  void start(std::uint64_t first, std::size_t count, RowUse use, MappedRun& run) const;
  std::span<const double> numbers(MappedRun& run, const NumberMap& map, std::size_t buffer) const;
  std::span<const double> sizes(MappedRun& run, const SizeMap& map, const LengthUnits& units,
                                std::size_t buffer) const;
  void check(MappedRun& run, RowUse use) const;
  void check_size(MappedRun& run, const SizeMap& map, double low, double high) const;
  void check_color(MappedRun& run, RowUse use) const;
  void find_categories(MappedRun& run) const;

  const Table& table_;
  const DataMap& map_;
  std::vector<Condition> where_;  ///< with sorted values
  Columns for_survey_, for_circles_, for_order_;
  std::unordered_map<std::string_view, std::int32_t> text_categories_;  ///< the map's
  std::vector<std::pair<double, std::int32_t>> number_categories_;      ///< ascending
};

/// Rows to read at once: a fixed number or a few of the table's runs; fewer with long texts.
std::uint64_t block_rows_of(const Table& table, std::span<const std::size_t> columns);

/// Ascends, or descends, with the number; NaN lowest.
std::uint64_t order_key(double number, bool descending);

}  // namespace roundel
