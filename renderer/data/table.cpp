#include "renderer/data/table.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr std::uint64_t kNoRounded = std::numeric_limits<std::uint64_t>::max();

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns())
    if (!column.name.empty()) names.push_back(column.name);
  return names;
}

constexpr std::size_t kTextPageBytes = std::size_t{1} << 16;

}  // namespace

void TableRows::start(const std::vector<TableColumn>& of_table,
                      std::span<const std::size_t> columns, std::size_t count) {
  count_ = count;
  page_ = used_ = long_count_ = 0;
  columns_.resize(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool is_text = of_table[columns[k]].is_text;
    columns_[k].numbers.resize(is_text ? 0 : count);
    columns_[k].texts.resize(is_text ? count : 0);
  }
}

void TableRows::select(std::span<const std::uint32_t> rows) {
  const auto select_of = [rows](auto& values, auto& spare) {
    if (values.empty()) return;
    spare.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) spare[i] = values[rows[i]];
    values.swap(spare);
  };
  count_ = rows.size();
  for (Column& column : columns_) {
    select_of(column.numbers, column.spare_numbers);
    select_of(column.texts, column.spare_texts);
  }
}

std::string_view TableRows::keep(std::string_view text) {
  if (text.empty()) return {};
  char* copy = nullptr;
  if (text.size() > kTextPageBytes / 2) {
    if (long_count_ == long_texts_.size()) long_texts_.emplace_back();
    Buffer<char>& room = long_texts_[long_count_++];
    if (room.size() < text.size())  // by whole pages, so that it need not grow often
      room.resize_discard((text.size() + kTextPageBytes - 1) / kTextPageBytes * kTextPageBytes);
    copy = room.data();
  } else {
    if (page_ < pages_.size() && kTextPageBytes - used_ < text.size()) {
      ++page_;
      used_ = 0;
    }
    if (page_ == pages_.size()) pages_.emplace_back(kTextPageBytes);
    copy = pages_[page_].data() + used_;
    used_ += text.size();
  }
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

std::uint64_t TableRows::memory_bytes() const {
  std::uint64_t bytes = scratch_.size() + text_room_.capacity();
  for (const Column& column : columns_) {
    bytes += (column.numbers.capacity() + column.spare_numbers.capacity()) * sizeof(double);
    bytes += (column.texts.capacity() + column.spare_texts.capacity()) * sizeof(std::string_view);
  }
  for (const Buffer<char>& text : long_texts_) bytes += text.size();
  return bytes + pages_.size() * kTextPageBytes;
}

bool Table::fits_float() const {
  return std::all_of(columns_.begin(), columns_.end(),
                     [](const TableColumn& column) { return column.fits_float; });
}

void Table::read(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const {
  assert(first <= rows_ && count <= rows_ - first);
  checkpoint();
  out.start(columns_, columns, count);
  if (count > 0) read_rows(columns, first, count, out);
}

std::string Table::column_text(std::size_t column) const {
  const std::string& name = columns_[column].name;
  return name.empty() ? fmt::format("column {}", column) : name;
}

std::string Table::place_of(std::uint64_t row, std::size_t column) const {
  return fmt::format("row {}: {}", row, column_text(column));
}

void Table::forget_rounded() const {
  const std::lock_guard lock(rounded_mutex_);
  for (std::atomic<std::uint64_t>& row : first_rounded_) row = kNoRounded;
}

std::optional<std::string> Table::rounding_of(std::size_t column) const {
  const std::lock_guard lock(rounded_mutex_);
  const std::uint64_t row = first_rounded_[column];
  if (row == kNoRounded) return std::nullopt;
  return fmt::format("{}: {}: {}", path(), place_of(row, column), rounded_texts_[column]);
}

void Table::note_rounded(std::size_t column, std::uint64_t row, const std::string& digits,
                         double number) const {
  const std::lock_guard lock(rounded_mutex_);
  if (!is_before_rounded(column, row)) return;
  first_rounded_[column] = row;
  rounded_texts_[column] = rounding_text(digits, number);
}

void Table::fail(const std::string& problem) const {
  throw Error(ExitCode::kInvalidScene, path() + ": " + problem);
}

void Table::fail_as_changed() const {
  throw Error(ExitCode::kRuntimeFailure, path() + ": has changed while it was read");
}

void Table::set_form(std::vector<TableColumn> columns, std::uint64_t rows, std::uint64_t run_rows) {
  if (columns.empty()) fail("expected at least one column");
  if (columns.size() > kMaxTableColumns)
    fail(fmt::format("{} columns are too many (at most {})", columns.size(), kMaxTableColumns));
  std::unordered_map<std::string_view, std::size_t> known;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name.empty()) continue;
    const auto [other, is_new] = known.emplace(columns[c].name, c);
    if (!is_new)
      fail(fmt::format("columns {} and {} (counted from 0) are both named {}", other->second, c,
                       quoted(columns[c].name)));
  }
  columns_ = std::move(columns);
  first_rounded_ = std::vector<std::atomic<std::uint64_t>>(columns_.size());
  forget_rounded();
  rows_ = rows;
  run_rows_ = std::max<std::uint64_t>(1, run_rows);
}

void Table::visit_bytes(const VisitBytes& visit) const {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;  // stays in L2
  Buffer<std::byte> piece(std::min(kPiece, file_->size()));
  for (std::uint64_t at = 0; at < file_->size(); at += piece.size()) {
    checkpoint();
    const auto bytes =
        piece.span().first(std::min<std::uint64_t>(piece.size(), file_->size() - at));
    file_->read_at(at, bytes);
    visit(bytes);
  }
}

std::uint64_t Table::content_hash() const {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  visit_bytes([&](std::span<const std::byte> bytes) {
    XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
  });
  check_unchanged();
  return XXH3_64bits_digest(state.get());
}

std::optional<std::size_t> find_column(const Table& table, std::string_view name) {
  const auto& columns = table.columns();
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const TableColumn& column) {
    return !name.empty() && column.name == name;
  });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::string columns_there(const Table& table) {
  const std::vector<std::string> names = names_of(table);
  if (!names.empty()) return there_are(names);
  const std::size_t count = table.columns().size();
  return count == 1 ? "its only column has no name"
                    : fmt::format("its {} columns have no names", count);
}

std::string no_such_column(const Table& table, std::string_view name) {
  const auto found = table.left_out().find(name);
  if (found != table.left_out().end()) return found->second;
  return fmt::format("{} has no column {}{}; {}", table.path(), quoted(name),
                     did_you_mean(name, names_of(table)), columns_there(table));
}

}  // namespace roundel
