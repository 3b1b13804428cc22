#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/data/table.h"

namespace roundel {

/// Numbers of some of a table's columns, block by block as they are read for the first time.
class KeptNumbers {
 public:
  /// `columns` of numbers, each once.
  KeptNumbers(std::vector<std::size_t> columns, std::uint64_t rows, std::uint64_t block_rows);

  /// True if all of these columns are among them.
  bool has(std::span<const std::size_t> columns) const;
  /// The numbers of these rows, if all are there.
  bool give(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
            TableRows& out) const;
  /// Keeps what has been read, if that is whole blocks of all columns. From many threads at once,
  /// each with rows of its own.
  void take(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
            const TableRows& read);
  std::uint64_t memory_bytes() const;

 private:
  /// Its place in columns_, or their number.
  std::size_t place_of(std::size_t column) const;

  std::vector<std::size_t> columns_;
  std::uint64_t rows_, block_rows_;
  std::vector<Buffer<double>> numbers_;             ///< by column, [rows]
  std::vector<std::atomic<std::uint8_t>> is_here_;  ///< by block
};

}  // namespace roundel
