#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <limits>

#include "renderer/base/error.h"
#include "renderer/generate/layer_source.h"
#include "renderer/scene/npy.h"

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
    {"x", "a number from -1e6 to 1e6", -kMaxCoordinate, kMaxCoordinate},
    {"y", "a number from -1e6 to 1e6", -kMaxCoordinate, kMaxCoordinate},
    {"z", "a number from 0 to 1", 0, 1},
    {"radius", "a number > 0 and <= 1e6", kSmallestRadius, kMaxCoordinate},
    {"red", "a number from 0 to 1e6", 0, kMaxColor},
    {"green", "a number from 0 to 1e6", 0, kMaxColor},
    {"blue", "a number from 0 to 1e6", 0, kMaxColor},
    {"alpha", "a number from 0 to 1", 0, 1},
    {"ignored", "anything", 0, 0},
};
static_assert(kMaxCoordinate == 1e6 && kMaxColor == 1e6, "the texts above say so");
static_assert(std::size(kRules) == static_cast<std::size_t>(DataColumn::kIgnored) + 1);

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
      : source_(source), array_(source.path), alpha_(alpha) {
    if (array_.rows() != source.rows || array_.columns() != source.columns.size())
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: expected [{}, {}] as when the scene was loaded, got [{}, {}]",
                              source.path, source.rows, source.columns.size(), array_.rows(),
                              array_.columns()));
  }

  void generate(std::int64_t /*frame*/, std::span<Shape> shapes, std::span<Paint> paints) override {
    const BadRows bad = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, shapes.size(), 4096), BadRows{},
        [&](const tbb::blocked_range<std::size_t>& range, BadRows found) {
          for (std::size_t row = range.begin(); row < range.end(); ++row)
            if (!read_row(row, shapes[row], paints[row]))
              found = {std::min(found.first, std::uint64_t{row}), found.count + 1};
          return found;
        },
        [](const BadRows& a, const BadRows& b) {
          return BadRows{std::min(a.first, b.first), a.count + b.count};
        });
    if (bad.count > 0) report(bad);
  }

 private:
  /// Row `row` as a circle; false if a value is out of range.
  bool read_row(std::uint64_t row, Shape& shape, Paint& paint) const {
    float values[] = {0, 0, 0, 0, 0, 0, 0, alpha_, 0};  // indexed by DataColumn
    for (std::size_t c = 0; c < source_.columns.size(); ++c) {
      const DataColumn column = source_.columns[c];
      if (column == DataColumn::kIgnored) continue;
      const double value = array_.at(row, c);
      if (!in_range(column, value)) return false;
      values[static_cast<std::size_t>(column)] = static_cast<float>(value);
    }
    shape = {values[0], values[1], values[2], values[3]};
    paint = {values[4], values[5], values[6], values[7]};
    return true;
  }

  static bool in_range(DataColumn column, double value) {
    return value >= rule_of(column).low && value <= rule_of(column).high;
  }

  [[noreturn]] void report(const BadRows& bad) const {
    std::string message;
    for (std::size_t c = 0; c < source_.columns.size(); ++c) {
      const DataColumn column = source_.columns[c];
      const double value = array_.at(bad.first, c);
      if (column == DataColumn::kIgnored || in_range(column, value)) continue;
      message += fmt::format("{}{}: row {}: {}: expected {}, got {}", message.empty() ? "" : "\n",
                             source_.path, bad.first, rule_of(column).name,
                             rule_of(column).expected, value);
    }
    if (bad.count > 1)
      message += fmt::format("\n{}: {} more rows (counted from 0) have values out of range",
                             source_.path, bad.count - 1);
    throw Error(ExitCode::kInvalidScene, message);
  }

  const DataSource& source_;
  NpyArray array_;
  float alpha_;
};

}  // namespace

std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, float alpha) {
  return std::make_unique<DataLayer>(source, alpha);
}

}  // namespace roundel
