#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Where each row comes in paint order. Empty: where it is.
class RowPlaces {
 public:
  RowPlaces() = default;
  /// Of rows in paint order.
  explicit RowPlaces(std::span<const std::uint32_t> sorted);
  bool empty() const { return places_.empty(); }
  std::size_t operator[](std::size_t row) const { return places_[row]; }

 private:
  Buffer<std::uint32_t> places_;
};

/// Sorts rows by a number, NaN lowest, rows that are equal as they come. Buckets of the keys' first
/// bits, then each bucket alone.
class NumberOrder {
 public:
  static constexpr std::size_t kScratchBytes = 12;  ///< a row, to work in

  /// At most 2³² rows.
  NumberOrder(std::size_t rows, std::span<std::byte> scratch);
  /// Adds the kept ones among these numbers as rows `first` and following; from many threads.
  void add(std::size_t first, std::span<const double> numbers, std::span<const std::uint32_t> kept,
           bool descending);
  RowPlaces places();

 private:
  void sort_bucket(std::span<std::uint32_t> rows) const;

  std::span<std::uint64_t> keys_;  ///< by row, in the scratch
  std::span<std::uint32_t> rows_;
};

/// Sorts rows by the bytes of a text, empty ones lowest, rows that are equal as they come. Keeps
/// all texts, and 36 bytes a row.
class TextOrder {
 public:
  explicit TextOrder(std::size_t rows) : texts_(rows) {}
  void add(std::size_t first, std::span<const std::string_view> texts,
           std::span<const std::uint32_t> kept);
  RowPlaces places(bool descending);

 private:
  std::vector<std::string> texts_;
};

}  // namespace roundel
