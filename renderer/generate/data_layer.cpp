#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/data/table.h"
#include "renderer/generate/layer_source.h"
#include "renderer/generate/view.h"

namespace roundel {
namespace {

struct ColumnRule {
  const char* name;
  const char* expected;
  double low, high;  ///< inclusive
};

constexpr double kSmallestRadius = std::numeric_limits<float>::denorm_min();

/// Indexed by DataColumn; NaN is in no range.
constexpr ColumnRule kRules[] = {
    {"x", "a number from -1e15 to 1e15", -kMaxDataCoordinate, kMaxDataCoordinate},
    {"y", "a number from -1e15 to 1e15", -kMaxDataCoordinate, kMaxDataCoordinate},
    {"z", "a number from 0 to 1", 0, 1},
    {"radius", "a number > 0 and <= 1e6", kSmallestRadius, kMaxCoordinate},
    {"red", "a number from 0 to 1e6", 0, kMaxColor},
    {"green", "a number from 0 to 1e6", 0, kMaxColor},
    {"blue", "a number from 0 to 1e6", 0, kMaxColor},
    {"alpha", "a number from 0 to 1", 0, 1},
    {"ignored", "anything", 0, 0},
};
static_assert(kMaxDataCoordinate == 1e15 && kMaxCoordinate == 1e6 && kMaxColor == 1e6,
              "the texts above say so");
static_assert(std::size(kRules) == static_cast<std::size_t>(DataColumn::kIgnored) + 1);

constexpr const char* kFarHint =
    "; numbers as large as that are too coarse for places: subtract a common offset from the data";

const ColumnRule& rule_of(DataColumn column) {
  return kRules[static_cast<std::size_t>(column)];
}

/// Rows with a value out of range.
struct BadRows {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 0;
};

class DataLayer final : public LayerSource {
 public:
  DataLayer(const DataSource& source, float alpha)
      : source_(source), table_(*source.table), alpha_(alpha) {
    assert(table_.rows() == source.rows && table_.columns().size() == source.columns.size());
  }

  void generate(std::int64_t /*frame*/, std::span<Shape> shapes, std::span<Paint> paints) override {
    read(shapes, paints, [](const RowValues& row) { return row.shape(); });
  }

  bool generate_in_frame_space(const View& view, int width, int height, std::span<Shape> shapes,
                               std::span<Paint> paints) override {
    if (table_.fits_float()) return false;
    read(shapes, paints, [&](const RowValues& row) {
      return to_frame_space(row[DataColumn::kX], row[DataColumn::kY], row.shape(), view, width,
                            height);
    });
    return true;
  }

 private:
  /// A row's values, by column; where a column is not there its default.
  struct RowValues {
    std::array<double, kDataColumnNames.size()> values{};

    double& operator[](DataColumn column) { return values[static_cast<std::size_t>(column)]; }
    double operator[](DataColumn column) const { return values[static_cast<std::size_t>(column)]; }
    float rounded(DataColumn column) const { return static_cast<float>((*this)[column]); }
    Shape shape() const {
      return {rounded(DataColumn::kX), rounded(DataColumn::kY), rounded(DataColumn::kZ),
              rounded(DataColumn::kRadius)};
    }
    Paint paint() const {
      return {rounded(DataColumn::kRed), rounded(DataColumn::kGreen), rounded(DataColumn::kBlue),
              rounded(DataColumn::kAlpha)};
    }
  };

  /// Makes circles of all rows, `shape_of` their shapes.
  template <typename ShapeOf>
  void read(std::span<Shape> shapes, std::span<Paint> paints, const ShapeOf& shape_of) const {
    const std::vector<std::size_t> columns = used_columns();
    const std::size_t slab = table_.run_rows();
    const BadRows bad = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, shapes.size(), slab), BadRows{},
        [&](const tbb::blocked_range<std::size_t>& range, BadRows found) {
          TableRows values;
          for (std::size_t row = range.begin(), end = 0; row < range.end(); row = end) {
            end = std::min(row + slab, range.end());
            table_.read(columns, row, end - row, values);
            for (std::size_t i = row; i < end; ++i) {
              RowValues of_row;
              of_row[DataColumn::kAlpha] = static_cast<double>(alpha_);
              if (!take_row(values, columns, i - row, of_row)) {
                found = {std::min(found.first, std::uint64_t{i}), found.count + 1};
                continue;
              }
              shapes[i] = shape_of(of_row);
              paints[i] = of_row.paint();
            }
          }
          return found;
        },
        [](const BadRows& a, const BadRows& b) {
          return BadRows{std::min(a.first, b.first), a.count + b.count};
        });
    table_.check_unchanged();
    if (bad.count > 0) report(bad);
  }

  std::vector<std::size_t> used_columns() const {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < source_.columns.size(); ++c)
      if (source_.columns[c] != DataColumn::kIgnored) columns.push_back(c);
    return columns;
  }

  /// False if a value is out of range.
  bool take_row(const TableRows& values, const std::vector<std::size_t>& columns, std::size_t i,
                RowValues& row) const {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const DataColumn column = source_.columns[columns[k]];
      const double value = values.numbers(k)[i];
      if (!in_range(column, value)) return false;
      row[column] = value;
    }
    return true;
  }

  static bool in_range(DataColumn column, double value) {
    return value >= rule_of(column).low && value <= rule_of(column).high;
  }

  [[noreturn]] void report(const BadRows& bad) const {
    std::string message;
    const std::vector<std::size_t> columns = used_columns();
    TableRows row;
    table_.read(columns, bad.first, 1, row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const DataColumn column = source_.columns[columns[k]];
      const double value = row.numbers(k)[0];
      if (in_range(column, value)) continue;
      const bool is_far = rule_of(column).high == kMaxDataCoordinate && std::isfinite(value);
      message += fmt::format("{}{}: row {}: {}: expected {}, got {}{}", message.empty() ? "" : "\n",
                             source_.path, bad.first, rule_of(column).name,
                             rule_of(column).expected, value, is_far ? kFarHint : "");
    }
    if (bad.count > 1)
      message += fmt::format("\n{}: {} more rows (counted from 0) have values out of range",
                             source_.path, bad.count - 1);
    throw Error(ExitCode::kInvalidScene, message);
  }

  const DataSource& source_;
  const Table& table_;
  float alpha_;
};

}  // namespace

std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, float alpha) {
  return std::make_unique<DataLayer>(source, alpha);
}

}  // namespace roundel
