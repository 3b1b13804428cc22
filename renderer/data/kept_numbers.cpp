#include "renderer/data/kept_numbers.h"

#include <algorithm>
#include <utility>

namespace roundel {

KeptNumbers::KeptNumbers(std::vector<std::size_t> columns, std::uint64_t rows,
                         std::uint64_t block_rows)
    : columns_(std::move(columns)),
      rows_(rows),
      block_rows_(block_rows),
      is_here_((rows + block_rows - 1) / block_rows) {
  for (std::size_t c = 0; c < columns_.size(); ++c) numbers_.emplace_back(rows);
}

std::size_t KeptNumbers::place_of(std::size_t column) const {
  return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) -
                                  columns_.begin());
}

bool KeptNumbers::has(std::span<const std::size_t> columns) const {
  return std::all_of(columns.begin(), columns.end(),
                     [this](std::size_t column) { return place_of(column) < columns_.size(); });
}

bool KeptNumbers::give(std::span<const std::size_t> columns, std::uint64_t first,
                       std::uint64_t count, TableRows& out) const {
  if (!has(columns)) return false;
  for (std::uint64_t b = first / block_rows_; b * block_rows_ < first + count; ++b)
    if (is_here_[b].load(std::memory_order_acquire) == 0) return false;
  for (std::size_t k = 0; k < columns.size(); ++k)
    std::copy_n(numbers_[place_of(columns[k])].begin() + first, count,
                out.numbers_to_fill(k).begin());
  return true;
}

void KeptNumbers::take(std::span<const std::size_t> columns, std::uint64_t first,
                       std::uint64_t count, const TableRows& read) {
  const std::uint64_t end = first + count;
  if (first % block_rows_ != 0 || (end % block_rows_ != 0 && end != rows_)) return;
  for (const std::size_t column : columns_)
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) return;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::size_t place = place_of(columns[k]);
    if (place == columns_.size()) continue;
    std::copy_n(read.numbers(k).begin(), count, numbers_[place].begin() + first);
  }
  for (std::uint64_t b = first / block_rows_; b * block_rows_ < end; ++b)
    is_here_[b].store(1, std::memory_order_release);
}

std::uint64_t KeptNumbers::memory_bytes() const {
  return columns_.size() * block_memory(rows_ * sizeof(double)) + is_here_.size();
}

}  // namespace roundel
