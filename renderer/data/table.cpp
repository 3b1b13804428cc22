#include "renderer/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/content_hash.h"

namespace roundel {
namespace {

constexpr std::uint64_t kNoRounded = std::numeric_limits<std::uint64_t>::max();

/// `with_rows`: "x (1,000 rows)" if columns differ in length.
std::vector<std::string> names_of(const Table& table, bool with_rows) {
  const std::vector<TableColumn>& columns = table.columns();
  bool differ = false;
  for (std::size_t c = 0; with_rows && c < columns.size(); ++c)
    differ |= table.rows_of(c) != table.rows_of(0);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name.empty()) continue;
    names.push_back(columns[c].name);
    if (differ) names.back() += fmt::format(" ({})", counted(table.rows_of(c), "row"));
  }
  return names;
}

/// `; not as columns: box (expected an array …)`.
std::string left_out_text(const Table::LeftOut& left_out) {
  constexpr std::size_t kListed = 5;
  std::string text;
  std::size_t listed = 0;
  for (const auto& [name, problem] : left_out) {
    if (++listed > kListed) break;
    text += fmt::format("{}{} ({})", listed == 1 ? "; not as columns: " : ", ", printable(name),
                        problem);
  }
  if (left_out.size() > kListed)
    text += fmt::format(" and {} more", with_commas(left_out.size() - kListed));
  return text;
}

/// Returns 1.5 for 1,5.
std::string with_point(std::string text) {
  std::replace(text.begin(), text.end(), ',', '.');
  return text;
}

/// True for 1,5 and -2,25.
bool has_decimal_comma(std::string_view text) {
  constexpr std::size_t kMaxDigits = 40;
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.size() > kMaxDigits) return false;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto is_digits = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return is_digits(text.substr(0, text.find(','))) && is_digits(text.substr(text.find(',') + 1));
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
    Buffer<char>& page = long_texts_[long_count_++];
    if (page.size() < text.size())  // in whole pages, so that it rarely grows
      page.resize_discard((text.size() + kTextPageBytes - 1) / kTextPageBytes * kTextPageBytes);
    copy = page.data();
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
  std::uint64_t bytes = scratch_.size() + text_buffer_.capacity() + placed_texts_.capacity();
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
  assert(std::all_of(columns.begin(), columns.end(), [&](std::size_t column) {
    return first <= rows_of(column) && count <= rows_of(column) - first;
  }));
  checkpoint();
  out.start(columns_, columns, count);
  if (count > 0) read_rows(columns, first, count, out);
}

std::string Table::column_text(std::size_t column) const {
  const std::string& name = columns_[column].name;
  return name.empty() ? fmt::format("column {}", column) : name;
}

std::uint64_t Table::text_bytes(std::span<const std::size_t> columns, std::uint64_t rows) const {
  std::uint64_t of_row = 0;
  for (const std::size_t column : columns) of_row += columns_[column].text_bytes;
  return of_row * rows;
}

bool Table::is_quick(std::span<const std::size_t> columns) const {
  return std::all_of(columns.begin(), columns.end(),
                     [this](std::size_t column) { return columns_[column].is_quick; });
}

std::string Table::row_place(std::uint64_t row) const {
  if (row_lines_.empty()) return fmt::format("row {}", row);
  const auto next = std::upper_bound(row_lines_.begin(), row_lines_.end(), row,
                                     [](std::uint64_t r, const RowLine& at) { return r < at.row; });
  const RowLine& at = *(next - 1);
  return fmt::format("line {}", at.line + (row - at.row));
}

std::string Table::place_of(std::uint64_t row, std::size_t column) const {
  const std::string& name = columns_[column].name;
  const bool has_line = !row_lines_.empty() && !name.empty();
  return fmt::format("{}: {}{}", row_place(row), has_line ? "column " : "", column_text(column));
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
  std::unordered_map<std::string_view, std::size_t> numbers_by_name;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name.empty()) continue;
    const auto [other, is_new] = numbers_by_name.emplace(columns[c].name, c);
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

void Table::visit_file(std::uint64_t begin, std::uint64_t end, const VisitBytes& visit) const {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;  // fits in L2
  Buffer<std::byte> piece(std::min(kPiece, end - begin));
  for (std::uint64_t at = begin; at < end; at += piece.size()) {
    checkpoint();
    const auto bytes = piece.span().first(std::min<std::uint64_t>(piece.size(), end - at));
    file_->read_at(at, bytes);
    visit(bytes);
  }
}

void Table::visit_bytes(const VisitBytes& visit) const {
  visit_file(0, file_->size(), visit);
}

std::uint64_t Table::content_hash() const {
  if (content_hash_) {
    check_unchanged();
    return *content_hash_;
  }
  ContentHash hash;
  visit_bytes([&](std::span<const std::byte> bytes) { hash.add(bytes); });
  check_unchanged();
  return hash.digest();
}

std::optional<std::size_t> find_column(const Table& table, std::string_view name) {
  const auto& columns = table.columns();
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const TableColumn& column) {
    return !name.empty() && column.name == name;
  });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::shared_ptr<const Table> table_for(std::shared_ptr<const Table> table,
                                       const std::vector<std::size_t>& columns) {
  if (columns.empty()) return table;
  const std::size_t first = columns.front();
  const std::uint64_t rows = table->rows_of(first);
  for (const std::size_t column : columns)
    if (table->rows_of(column) != rows)
      table->fail(fmt::format("expected columns of the same length, but {} has {}, {} {}",
                              table->column_text(first), counted(rows, "row"),
                              table->column_text(column), with_commas(table->rows_of(column))));
  return rows == table->rows() ? table : table->with_rows(rows);
}

std::string describe_columns(const Table& table) {
  const std::vector<std::string> names = names_of(table, true);
  if (!names.empty()) return list_names(names);
  const std::size_t count = table.columns().size();
  return count == 1 ? "its only column has no name"
                    : fmt::format("its {} columns have no names", count);
}

std::string missing_column_text(const Table& table, std::string_view name) {
  const auto found = table.left_out().find(name);
  if (found != table.left_out().end())
    return fmt::format("{}: {}: {}", table.path(), printable(name), found->second);
  return fmt::format("{} has no column {}{}; {}{}{}", table.path(), quoted(name),
                     did_you_mean(name, names_of(table, false)), describe_columns(table),
                     left_out_text(table.left_out()), table.hint());
}

std::string text_at(const Table& table, std::uint64_t row, std::size_t column) {
  TableRows rows;
  const std::size_t columns[] = {column};
  table.read(columns, row, 1, rows);
  return std::string(rows.texts(0)[0]);
}

std::string describe_texts(const Table& table, std::size_t column) {
  if (table.rows_of(column) == 0) return "holds texts";
  const std::optional<std::uint64_t> first = table.columns()[column].first_text;
  const std::string text = text_at(table, first.value_or(0), column);
  return fmt::format(
      "holds texts, first in {}: {}{}", table.row_place(first.value_or(0)), quoted(text),
      !first                    ? ""
      : has_decimal_comma(text) ? "; write " + with_point(text) + " with a decimal point"
                                : "; write missing numbers as empty fields, NA or nan");
}

}  // namespace roundel
