#include "renderer/data/column_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "renderer/base/atomic_file.h"
#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/npy.h"

namespace roundel {
namespace {

/// NumPy's header for a structured array; its parser does not know escapes in names.
std::string header_of(const std::string& table, const std::vector<MemoryColumn>& columns,
                      std::uint64_t rows) {
  std::string types;
  for (const MemoryColumn& column : columns) {
    const auto is_special = [](char c) {
      return c == '\'' || c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    };
    if (column.name.empty() || std::any_of(column.name.begin(), column.name.end(), is_special))
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: expected columns with names, without quotes and backslashes, "
                              "got {}",
                              table, roundel::quoted(column.name)));
    types += fmt::format("('{}', '{}'), ", column.name, column.type);
  }
  return npy_header(fmt::format("[{}]", types), fmt::format("({},)", rows));
}

}  // namespace

ColumnTable::ColumnTable(std::string name, std::vector<MemoryColumn> columns, std::uint64_t rows)
    : Table(std::move(name)),
      memory_(std::move(columns)),
      header_(header_of(path(), memory_, rows)) {
  std::vector<TableColumn> form;
  for (const MemoryColumn& column : memory_) {
    const std::string alone =
        npy_header(fmt::format("[('{}', '{}')]", column.name, column.type), "(0,)");
    const NpyHeader header =
        parse_npy_header(std::as_bytes(std::span(alone)), alone.size(), path());
    for (const NpyField& field : header.fields) {
      form.push_back(field.element.column(field.name));
      places_.push_back({field.element, column.first + field.offset, column.stride});
    }
    parts_.push_back({record_bytes_, header.element_bytes});
    record_bytes_ += header.element_bytes;
  }
  constexpr std::uint64_t kRunRows = 1;
  set_form(std::move(form), rows, kRunRows);
}

void ColumnTable::read_rows(std::span<const std::size_t> columns, std::uint64_t first,
                            std::uint64_t count, TableRows& out) const {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto& [element, begin, stride] = places_[columns[k]];
    const std::byte* const in = begin + first * stride;
    if (element.is_text()) {
      read_texts(element, in, stride, out.texts_to_fill(k).first(count), out);
      continue;
    }
    const std::span<double> numbers = out.numbers_to_fill(k).first(count);
    if (!read_numbers(element, in, stride, numbers) || !is_before_rounded(columns[k], first))
      continue;
    if (const auto rounded = find_rounded(element, in, stride, numbers))
      note_rounded(columns[k], first + rounded->index, rounded->digits, numbers[rounded->index]);
  }
}

void ColumnTable::read_order_keys(std::size_t column, std::uint64_t first, bool descending,
                                  std::span<std::uint64_t> keys) const {
  const auto& [element, begin, stride] = places_[column];
  roundel::read_order_keys(element, begin + first * stride, stride, descending, keys);
}

void ColumnTable::visit_bytes(const VisitBytes& visit) const {
  visit(std::as_bytes(std::span(header_)));
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;  // fits in L2
  const std::uint64_t block = std::max<std::uint64_t>(1, kBlockBytes / record_bytes_);
  Buffer<std::byte> records(block * record_bytes_);
  for (std::uint64_t row = 0; row < rows(); row += block) {
    checkpoint();
    const std::uint64_t count = std::min(block, rows() - row);
    for (std::size_t c = 0; c < memory_.size(); ++c) {
      const std::byte* in = memory_[c].first + row * memory_[c].stride;
      std::byte* out = records.data() + parts_[c].offset;
      for (std::uint64_t i = 0; i < count; ++i) {
        std::memcpy(out, in, parts_[c].size);
        in += memory_[c].stride;
        out += record_bytes_;
      }
    }
    visit(records.span().first(count * record_bytes_));
  }
}

void ColumnTable::write(AtomicFile& file) const {
  visit_bytes([&](std::span<const std::byte> bytes) {
    file.write({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  });
}

}  // namespace roundel
