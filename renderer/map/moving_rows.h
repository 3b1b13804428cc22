#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/map/data_map.h"

namespace roundel {

/// A key's numbers of some rows, or one number for all.
struct KeyNumbers {
  std::span<const double> rows;
  double constant = 0;  ///< without rows
  double one = 1;       ///< means 1 in `rows`
};

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
};

}  // namespace roundel
