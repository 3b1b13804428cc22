#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Numbers of rows, at most 2³² of them.
using RowNumbers = Buffer<std::uint32_t>;

/// Sorts rows by a number, NaN lowest, rows that are equal as they come. Buckets of the keys' first
/// bits, then each bucket alone.
class NumberOrder {
 public:
  explicit NumberOrder(std::size_t rows) : keys_(rows) {}
  /// Adds the kept ones among these numbers as rows `first` and following; from many threads.
  void add(std::size_t first, std::span<const double> numbers, std::span<const std::uint32_t> kept,
           bool descending);
  /// The same of Table::read_order_keys().
  void add_keys(std::size_t first, std::span<const std::uint64_t> keys,
                std::span<const std::uint32_t> kept);
  RowNumbers sorted();
  /// Main memory that sorting takes at most, with the result.
  static std::uint64_t memory_bytes(std::uint64_t rows, std::uint64_t threads);

 private:
  void sort_buckets(std::span<std::uint32_t> rows, const std::vector<std::size_t>& begins) const;
  void sort_bucket(std::span<std::uint32_t> rows) const;

  Buffer<std::uint64_t> keys_;  ///< by row
};

/// Sorts rows by the bytes of a text, empty ones lowest, rows that are equal as they come. Keeps
/// all texts.
class TextOrder {
 public:
  explicit TextOrder(std::size_t rows) : texts_(rows) {}
  void add(std::size_t first, std::span<const std::string_view> texts,
           std::span<const std::uint32_t> kept);
  RowNumbers sorted(bool descending);
  /// Main memory of the texts, which have `bytes` in all.
  static std::uint64_t memory_bytes(std::uint64_t rows, std::uint64_t bytes) {
    constexpr std::uint64_t kBeside = 20;  // of a text's block of memory, at most
    return rows * (sizeof(std::string) + kBeside) + bytes;
  }

 private:
  std::vector<std::string> texts_;
};

/// Where each row is in an order of all rows.
RowNumbers places_by_row(const RowNumbers& order);

/// Places in a run of paint order by the block of the file that their rows lie in, so that the file
/// is read once for all of them.
class PlacesByBlock {
 public:
  PlacesByBlock(std::span<const std::uint32_t> rows, std::size_t blocks,
                const std::function<std::size_t(std::uint32_t row)>& block_of);
  /// Ascending.
  std::span<const std::uint32_t> of(std::size_t block) const {
    return places_.span().subspan(begins_[block], begins_[block + 1] - begins_[block]);
  }

 private:
  RowNumbers places_;
  std::vector<std::size_t> begins_;
};

}  // namespace roundel
