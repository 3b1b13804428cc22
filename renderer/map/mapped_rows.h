#pragma once
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "renderer/base/lines.h"
#include "renderer/data/table.h"
#include "renderer/map/data_map.h"
#include "renderer/map/moving_rows.h"

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
  std::vector<double> moved[5];     ///< NOLINT: numbers with keys, by slot − kFirstMovingSlot
  std::vector<double> starts;       ///< in frames, of texts
  const HeldRows* held = nullptr;   ///< the rows, if in memory

  /// Numbers of a column.
  std::span<const double> numbers(Slot slot) const {
    return held != nullptr ? held->numbers[slot].span().subspan(first, count)
                           : rows.numbers((*places)[slot]);
  }
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

  /// Sets the run to rows of `held`, which must outlive it.
  static void take(const HeldRows& held, std::uint64_t first, std::size_t count, MappedRun& run);
  /// Allocates for `count` rows.
  HeldRows make_held(std::uint64_t count) const;
  std::uint64_t held_bytes(std::uint64_t count) const;
  /// Copies a run for kCircles; `place_of`: a kept row's index in `held`.
  template <typename PlaceOf>
  void hold(MappedRun& run, HeldRows& held, const PlaceOf& place_of) const {
    const auto copy = [&](const auto& values, auto& out) {
      if (out.size() == 0) return;
      for (std::size_t j = 0; j < run.kept.size(); ++j) out[place_of(j)] = values[run.kept[j]];
    };
    for (Slot slot = 0; slot < held.numbers.size(); ++slot)
      if (held.numbers[slot].size() > 0) copy(run.numbers(slot), held.numbers[slot]);
    if (held.starts.size() > 0) copy(starts(run), held.starts);
    if (held.colors.size() > 0) copy(colors(run), held.colors);
  }

  /// Numbers and sizes as below, at any time. None by rank or with more than kMaxKeys.
  std::optional<HeldNumber> held_number(const NumberMap& map, const HeldRows& held) const;
  std::optional<HeldSize> held_size(const SizeMap& map, const LengthUnits& units,
                                    const HeldRows& held) const;

  /// Centres of all rows of a run for kSurvey at a frame, as if they started at 0 and never
  /// repeated.
  std::array<std::span<const double>, 2> centers_at(MappedRun& run, double frame) const;
  /// Starts of all rows in frames; empty if all rows have the same.
  std::span<const double> starts(const MappedRun& run) const;

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
  /// Numbers of a slot, at the map's frame.
  std::span<const double> values(MappedRun& run, Slot slot) const;
  std::span<const double> values_at(MappedRun& run, Slot slot, const KeyTimes& times,
                                    std::span<const double> starts, double frame) const;
  std::span<const double> numbers(MappedRun& run, const NumberMap& map, std::size_t buffer) const;
  std::span<const double> sizes(MappedRun& run, const SizeMap& map, const LengthUnits& units,
                                std::size_t buffer) const;
  void check(MappedRun& run, RowUse use) const;
  void check_size(MappedRun& run, const SizeMap& map, double low, double high) const;
  /// Clears `draws` of rows whose numbers, at any key, are outside [low, high].
  void check_numbers(MappedRun& run, Slot slot, double low, double high, double one = 1) const;
  void check_color(MappedRun& run, RowUse use) const;
  void check_starts(MappedRun& run) const;
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

/// A column's name as `spell` writes it, or its number. A value with keys has those of all keys.
template <typename Spell>
std::string label_of(const Table& table, const DataMap& map, Slot slot, const Spell& spell) {
  const auto label = [&](Slot of) -> std::string {
    const std::string& name = table.columns()[map.columns[of]].name;
    return name.empty() ? fmt::format("column {}", map.columns[of]) : std::string(spell(name));
  };
  if (!is_moving(slot)) return label(slot);
  std::string labels;
  for (const NumberMap& key : moving_number(map, slot).keys)
    labels += (labels.empty() ? "" : ", ") +
              (key.slot ? label(*key.slot) : fmt::format("{}", key.constant));
  return labels;
}

/// Ascends, or descends, with the number; NaN lowest.
std::uint64_t order_key(double number, bool descending);

}  // namespace roundel
