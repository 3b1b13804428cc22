#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/map/data_map.h"

namespace roundel {

/// A key's numbers of some rows, or one number for all.
struct KeyNumbers {
  const double* rows = nullptr;
  double constant = 0;  ///< without rows
  double one = 1;       ///< means 1 in `rows`

  ROUNDEL_HOST_DEVICE double at(std::size_t row) const {
    return rows == nullptr ? constant : rows[row] / one;
  }
};

/// Rounding, or an overflow, may leave the range of both ends.
ROUNDEL_HOST_DEVICE inline double limited(double value, double a, double b) {
  const double low = a < b ? a : b, high = a < b ? b : a;
  const double raised = value < low ? low : value;  // NaN stays
  return raised > high ? high : raised;
}

/// A row's number between two keys. `keys` [count]: of all keys.
ROUNDEL_HOST_DEVICE inline double number_at(KeyPath path, const KeyNumbers* keys, std::size_t count,
                                            const KeyTimesView::Place& place, std::size_t row) {
  const double a = keys[place.from].at(row);
  if (place.progress == 0) return a;
  if (path == KeyPath::kSpline) {
    const auto point = [&](std::size_t key) { return std::array{keys[key].at(row)}; };
    return spline_between(point, count, place.from, place.progress)[0];
  }
  const double b = keys[place.from + 1].at(row);
  return limited(number_between(path, a, b, place.progress), a, b);
}

/// Writes the numbers of out.size() rows at a frame. `starts`: of the rows; empty: all 0. A number
/// is between those of its two keys, bit for bit, except on splines; NaN if one of them is.
/// Binary64 as written: the same bits everywhere.
void move_numbers(const KeyTimes& times, std::span<const KeyNumbers> keys,
                  std::span<const double> starts, double frame, std::span<double> out);

/// The kept rows of a table in paint order, in memory: all that the circles of any frame are made
/// from.
struct HeldRows {
  std::vector<Buffer<double>> numbers;  ///< by slot; empty for columns that circles do not need
  Buffer<double> starts;                ///< empty if all rows have the same
  Buffer<DisplayColor> colors;          ///< if they do not move
  Gradient gradient;                    ///< if they do

  /// Calls visit(array) for all arrays.
  template <typename Visit>
  void for_each_array(const Visit& visit) const {
    for (const Buffer<double>& column : numbers) visit(column.span());
    visit(starts.span());
    visit(colors.span());
    visit(std::span(gradient.colors));
    visit(std::span(gradient.places));
  }
};

/// A number of each held row at any time, for both backends.
struct HeldNumber {
  static constexpr std::size_t kMaxKeys = 8;

  KeyPath path = KeyPath::kLinear;
  KeyRepeat repeat = KeyRepeat::kNone;
  std::uint32_t count = 1;  ///< number of keys; 1: it stays
  std::array<double, kMaxKeys> frames{};
  std::array<Ease, kMaxKeys> eases{};
  std::array<KeyNumbers, kMaxKeys> keys{};

  ROUNDEL_HOST_DEVICE double at(std::size_t row, double frame) const {
    if (count == 1) return keys[0].at(row);
    const KeyTimesView times{repeat, frames.data(), eases.data(), count};
    return number_at(path, keys.data(), count, times.place_at(frame), row);
  }
};

/// A SizeMap of held rows in frame space, except those by rank.
struct HeldSize {
  HeldNumber number;
  double unit = 1, one = 1;  ///< without a scale
  bool has_scale = false;
  ScaleCurve curve;
  double low = 0, range = 0, missing = 0;

  ROUNDEL_HOST_DEVICE double at(std::size_t row, double frame) const {
    const double value = number.at(row, frame);
    if (!has_scale) return value * unit / one;
    const double t = curve(value);
    return t != t ? missing : low + range * t;
  }
};

}  // namespace roundel
