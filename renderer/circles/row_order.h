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

/// Numbers of at most 2³² rows.
using RowNumbers = Buffer<std::uint32_t>;

/// Sorts rows by a number, NaN lowest; stable. Divides them into buckets by the keys' first bits,
/// then sorts each bucket.
class NumberOrder {
 public:
  explicit NumberOrder(std::size_t rows) : keys_(rows) {}
  /// Adds the kept numbers as rows from `first` on. Thread-safe.
  void add(std::size_t first, std::span<const double> numbers, std::span<const std::uint32_t> kept,
           bool descending);
  /// Adds keys of Table::read_order_keys().
  void add_keys(std::size_t first, std::span<const std::uint64_t> keys,
                std::span<const std::uint32_t> kept);
  RowNumbers sorted();
  /// Upper bound, with the result.
  static std::uint64_t memory_bytes(std::uint64_t rows, std::uint64_t threads);

 private:
  void sort_buckets(std::span<std::uint32_t> rows, const std::vector<std::size_t>& begins) const;
  void sort_bucket(std::span<std::uint32_t> rows) const;

  Buffer<std::uint64_t> keys_;  ///< by row
};

/// Sorts rows by the bytes of a text, empty ones lowest; stable. Keeps all texts.
class TextOrder {
 public:
  explicit TextOrder(std::size_t rows) : texts_(rows) {}
  void add(std::size_t first, std::span<const std::string_view> texts,
           std::span<const std::uint32_t> kept);
  RowNumbers sorted(bool descending);
  /// `bytes`: of all texts.
  static std::uint64_t memory_bytes(std::uint64_t rows, std::uint64_t bytes) {
    constexpr std::uint64_t kBlockOverhead = 20;  // at most, per text
    return rows * (sizeof(std::string) + kBlockOverhead) + bytes;
  }

 private:
  std::vector<std::string> texts_;
};

/// The place of each row in an order of all.
RowNumbers places_by_row(const RowNumbers& order);

/// Groups the places of a run of paint order by their rows' block of the file, to read the file
/// once.
class PlacesByBlock {
 public:
  PlacesByBlock(std::span<const std::uint32_t> rows, std::size_t blocks,
                const std::function<std::size_t(std::uint32_t row)>& block_of);
  /// Ascending places.
  std::span<const std::uint32_t> of(std::size_t block) const {
    return places_.span().subspan(begins_[block], begins_[block + 1] - begins_[block]);
  }

 private:
  RowNumbers places_;
  std::vector<std::size_t> begins_;
};

}  // namespace roundel
