#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// A row that is to be sorted; afterwards `key` is the place of the row with this number.
struct OrderEntry {
  std::uint64_t key;
  std::uint64_t row;
};

/// Where each row comes in paint order. Empty: where it is.
class RowPlaces {
 public:
  RowPlaces() = default;
  /// Sorted entries become places.
  explicit RowPlaces(Buffer<OrderEntry> sorted);
  bool empty() const { return entries_.empty(); }
  std::size_t operator[](std::size_t row) const { return entries_[row].key; }

 private:
  Buffer<OrderEntry> entries_;
};

/// Sorts rows by a number, NaN lowest, rows that are equal as they come: 16 bytes a row. Buckets
/// of the keys' first bits, then each bucket alone.
class NumberOrder {
 public:
  /// `scratch`: 16 bytes a row to work in.
  NumberOrder(std::size_t rows, std::span<std::byte> scratch);
  /// Adds the kept ones among these numbers as rows `first` and following; from many threads.
  void add(std::size_t first, std::span<const double> numbers, std::span<const std::uint32_t> kept,
           bool descending);
  RowPlaces places();

 private:
  std::span<OrderEntry> rows_;  ///< as they come, in the scratch
};

/// Sorts rows by the bytes of a text, empty ones lowest, rows that are equal as they come. Keeps
/// all texts, and 32 bytes a row.
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
