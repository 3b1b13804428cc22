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

/// What rows are read for.
enum class RowUse {
  kSurvey,   ///< all is checked; scales and palettes need not know the data yet
  kCircles,  ///< all is checked, to make circles
  kOrder,    ///< which are kept, and the column that sorts them
};

/// A run of rows, filled by RowMapper::read; reused from run to run, by one thread.
struct MappedRun {
  TableRows rows;
  std::uint64_t first = 0;
  std::size_t count = 0;
  std::vector<std::uint32_t> kept;  ///< rows that become circles, counted from `first`, ascending
  std::vector<std::uint32_t> selected;  ///< for RowMapper::read_some
  std::uint64_t dropped = 0;            ///< by `where`
  std::uint64_t bad = 0;                ///< of the others those that cannot be drawn
  std::uint64_t first_bad = std::numeric_limits<std::uint64_t>::max();  ///< of the file's rows

  const std::vector<std::size_t>* places = nullptr;  ///< of slots among the rows' columns
  std::vector<std::uint8_t> passes, draws;           ///< `where`; the checks
  std::vector<std::int32_t> categories;              ///< −1: none
  std::vector<DisplayColor> colors;
  std::vector<double> t;
  std::vector<std::uint64_t> keys;  ///< that sort them, for who reads them
  std::vector<double> room[5];      ///< NOLINT: for numbers that are in no column

  std::span<const double> numbers(Slot slot) const { return rows.numbers((*places)[slot]); }
  std::span<const std::string_view> texts(Slot slot) const { return rows.texts((*places)[slot]); }
};

/// Makes of a table's rows what a map says, run by run, from many threads at once.
class RowMapper {
 public:
  /// Keeps references to both; the map's scales and categories must be known by the time they are
  /// used.
  RowMapper(const Table& table, const DataMap& map);

  /// Reads rows first to first + count − 1 and says which of them are kept.
  void read(std::uint64_t first, std::size_t count, RowUse use, MappedRun& run) const;

  /// Reads for kCircles those of rows first to first + count − 1 that run.selected names by their
  /// numbers among the `kept` ones, in its order. False where they are not what they were.
  bool read_some(std::uint64_t first, std::size_t count, std::uint64_t kept, MappedRun& run) const;

  // Of all rows of a run that was read for kCircles, kept or not:
  std::span<const double> x(MappedRun& run) const { return numbers(run, map_.x, 0); }
  std::span<const double> y(MappedRun& run) const { return numbers(run, map_.y, 1); }
  std::span<const double> z(MappedRun& run) const { return numbers(run, map_.z, 2); }
  /// Lengths in frame space; those of `radius_limits` have units of their own, behind the layer's
  /// scale.
  std::span<const double> radii(MappedRun& run, const LengthUnits& units,
                                const LengthUnits& limits) const;
  /// `otherwise`: where the map says none.
  std::span<const double> alphas(MappedRun& run, double otherwise) const;
  std::span<const DisplayColor> colors(MappedRun& run) const;

  /// What is wrong with a row, a line each: "PATH: row 17: area: radius: expected a number > 0 and
  /// <= 1e6, got -3".
  Lines problems_of(std::uint64_t row) const;
  /// Throws Error(kInvalidScene) about the first of `bad` rows and how many there are.
  [[noreturn]] void fail_for(std::uint64_t first_bad, std::uint64_t bad) const;

  /// Of the table: those that are read for kOrder.
  static std::vector<std::size_t> columns_of_order(const DataMap& map) {
    return columns_of(map, RowUse::kOrder).of_table;
  }

  /// Main memory of a row of a run that circles were made of, beside the table's columns.
  std::uint64_t bytes_of_row() const;

  const Table& table() const { return table_; }
  const DataMap& map() const { return map_; }

 private:
  struct Columns {
    std::vector<std::size_t> of_table;  ///< to be read
    std::vector<std::size_t> places;    ///< by slot
  };

  static Columns columns_of(const DataMap& map, RowUse use);
  void start(std::uint64_t first, std::size_t count, RowUse use, MappedRun& run) const;
  std::span<const double> numbers(MappedRun& run, const NumberMap& map, std::size_t room) const;
  std::span<const double> sizes(MappedRun& run, const SizeMap& map, const LengthUnits& units,
                                std::size_t room) const;
  void check(MappedRun& run, RowUse use) const;
  void check_size(MappedRun& run, const SizeMap& map, double low, double high) const;
  void check_color(MappedRun& run, RowUse use) const;
  void find_categories(MappedRun& run) const;

  const Table& table_;
  const DataMap& map_;
  std::vector<Condition> where_;  ///< the map's, their values ascending
  Columns for_survey_, for_circles_, for_order_;
  std::unordered_map<std::string_view, std::int32_t> text_categories_;  ///< the map's texts
  std::vector<std::pair<double, std::int32_t>> number_categories_;      ///< ascending
};

/// Rows that are read at once for a map of these columns: so many, or a few of the table's runs;
/// fewer where their texts are long.
std::uint64_t block_rows_of(const Table& table, std::span<const std::size_t> columns);

/// Order: a key that ascends with the number, NaN lowest.
std::uint64_t order_key(double number, bool descending);

}  // namespace roundel
