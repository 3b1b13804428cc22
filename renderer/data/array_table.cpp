#include "renderer/data/array_table.h"

#include <algorithm>
#include <numeric>

namespace roundel {
namespace {

std::uint64_t piece_rows(const RecordRun& run) {
  return std::max<std::uint64_t>(1, run.bytes->run_bytes() / run.record_bytes);
}

}  // namespace

ArrayTable::ArrayTable(std::shared_ptr<const InputFile> file, std::vector<RecordRun> runs,
                       std::vector<ArrayColumn> columns, std::uint64_t rows)
    : Table(std::move(file)), runs_(std::move(runs)), array_columns_(std::move(columns)) {
  std::vector<TableColumn> form;
  form.reserve(array_columns_.size());
  for (const ArrayColumn& column : array_columns_) {
    form.push_back(column.element.column(column.name));
    form.back().rows = runs_[column.run].rows;
    form.back().is_quick = runs_[column.run].bytes->is_plain();
    // Lengths of texts are unknown; the file bounds them.
    if (column.element.kind == Element::Kind::kPlace)
      form.back().text_bytes = this->file().size() / std::max<std::uint64_t>(1, rows) + 1;
  }
  std::uint64_t run_rows = 0;
  for (const RecordRun& run : runs_) run_rows = std::max(run_rows, piece_rows(run));
  set_form(std::move(form), rows, run_rows);
}

std::shared_ptr<const Table> ArrayTable::with_rows(std::uint64_t rows) const {
  auto table = std::make_shared<ArrayTable>(shared_file(), runs_, array_columns_, rows);
  table->leave_out(left_out());
  table->set_hint(hint());
  return table;
}

std::uint64_t ArrayTable::memory_bytes() const {
  std::uint64_t sum = 0;
  const ByteSource* counted = nullptr;  // adjacent columns may share a source
  for (const RecordRun& run : runs_) {
    if (run.bytes.get() != counted) sum += run.bytes->memory_bytes();
    counted = run.bytes.get();
  }
  return sum;
}

void ArrayTable::read_rows(std::span<const std::size_t> columns, std::uint64_t first,
                           std::uint64_t count, TableRows& out) const {
  // Columns of one run share its records.
  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto run_of = [&](std::size_t k) { return array_columns_[columns[k]].run; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return run_of(a) < run_of(b); });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const RecordRun& run = runs_[run_of(order[begin])];
    while (end < order.size() && run_of(order[end]) == run_of(order[begin])) ++end;
    const std::uint64_t piece = piece_rows(run);
    for (std::uint64_t row = 0; row < count; row += piece) {
      const auto rows = static_cast<std::size_t>(std::min(piece, count - row));
      if (out.scratch().size() < rows * run.record_bytes)
        out.scratch().resize_discard(rows * run.record_bytes);
      const std::span<std::byte> bytes = out.scratch().span().first(rows * run.record_bytes);
      run.bytes->read_records(run.offset + (first + row) * run.record_bytes, bytes,
                              out.placed_texts());
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t k = order[i];
        const ArrayColumn& column = array_columns_[columns[k]];
        const std::byte* const in = bytes.data() + column.offset;
        if (column.element.is_text())
          read_texts(column.element, in, run.record_bytes, out.texts_to_fill(k).subspan(row, rows),
                     out);
        else
          read_column(columns[k], in, first + row, out.numbers_to_fill(k).subspan(row, rows));
      }
    }
  }
}

void ArrayTable::read_column(std::size_t column, const std::byte* in, std::uint64_t first,
                             std::span<double> out) const {
  const Element& element = array_columns_[column].element;
  const std::size_t stride = runs_[array_columns_[column].run].record_bytes;
  if (!read_numbers(element, in, stride, out) || !is_before_rounded(column, first)) return;
  if (const auto rounded = find_rounded(element, in, stride, out))
    note_rounded(column, first + rounded->index, rounded->digits, out[rounded->index]);
}

void ArrayTable::read_order_keys(std::size_t column, std::uint64_t first, bool descending,
                                 std::span<std::uint64_t> keys) const {
  const ArrayColumn& of = array_columns_[column];
  const RecordRun& run = runs_[of.run];
  const std::uint64_t piece = piece_rows(run);
  Buffer<std::byte> bytes(std::min<std::uint64_t>(piece, keys.size()) * run.record_bytes);
  for (std::uint64_t row = 0; row < keys.size(); row += piece) {
    const auto part = keys.subspan(row, std::min<std::uint64_t>(piece, keys.size() - row));
    const std::span<std::byte> records = bytes.span().first(part.size() * run.record_bytes);
    run.bytes->read_at(run.offset + (first + row) * run.record_bytes, records);
    roundel::read_order_keys(of.element, records.data() + of.offset, run.record_bytes, descending,
                             part);
  }
}

}  // namespace roundel
