#include "renderer/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "renderer/base/error.h"

namespace roundel {

namespace {

std::string column_name(const std::string& array, const NpyHeader& header, std::uint64_t c,
                        const std::string& field) {
  if (header.dimensions < 2 && (array.empty() || field.empty())) return array + field;
  if (array.empty()) return "";
  const std::string start = header.dimensions < 2 ? array : fmt::format("{}[{}]", array, c);
  return field.empty() ? start : start + "." + field;
}

}  // namespace

void add_npy_columns(const NpyHeader& header, const std::shared_ptr<const ByteSource>& bytes,
                     const std::string& name, std::vector<RecordRun>& runs,
                     std::vector<ArrayColumn>& columns) {
  const bool one_run = !header.is_fortran_order;
  const std::uint64_t record =
      one_run ? header.columns * header.element_bytes : header.element_bytes;
  for (std::uint64_t c = 0; c < header.columns; ++c) {
    const std::uint64_t run_bytes = header.rows * header.element_bytes;
    if (c == 0 || !one_run)
      runs.push_back({bytes, header.data_offset + (one_run ? 0 : c * run_bytes), record});
    for (const NpyField& field : header.fields)
      columns.push_back({column_name(name, header, c, field.name), field.element, runs.size() - 1,
                         (one_run ? c * header.element_bytes : 0) + field.offset});
  }
}

std::unique_ptr<Table> open_npy(std::shared_ptr<const InputFile> file) {
  const std::string start = file->read(kMaxNpyHeaderBytes);
  const NpyHeader header =
      parse_npy_header(std::as_bytes(std::span(start)), file->size(), file->path());
  if (header.dimensions == 0)
    throw Error(ExitCode::kInvalidScene,
                file->path() + ": expected an array [n] or [n, k], got 0 dimensions");
  std::vector<RecordRun> runs;
  std::vector<ArrayColumn> columns;
  add_npy_columns(header, std::make_shared<FileBytes>(file), "", runs, columns);
  return std::make_unique<ArrayTable>(std::move(file), std::move(runs), std::move(columns),
                                      header.rows);
}

std::string npy_header(std::string_view type, std::string_view shape) {
  std::string header =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", type, shape);
  // Version 1 is for ASCII below 64 KiB, version 3 for UTF-8 of any length.
  const bool is_ascii = std::all_of(header.begin(), header.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  constexpr std::size_t kAlignment = 64;  // alignment of the elements, as in NumPy
  const std::size_t length_bytes = is_ascii && header.size() + kAlignment < 0x10000 ? 2 : 4;
  const std::size_t unpadded = 8 + length_bytes + header.size() + 1;  // magic and version: 8
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string start(length_bytes == 2 ? "\x93NUMPY\1\0" : "\x93NUMPY\3\0", 8);
  for (std::size_t i = 0; i < length_bytes; ++i)
    start += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return start + header;
}

namespace {

template <typename Number>
std::string file_of(std::span<const Number> values, std::uint64_t rows, std::uint64_t columns) {
  assert(values.size() == rows * columns);
  std::string file =
      npy_header(fmt::format("'<f{}'", sizeof(Number)), fmt::format("({}, {})", rows, columns));
  file.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return file;
}

}  // namespace

std::string npy_file(std::span<const float> values, std::uint64_t rows, std::uint64_t columns) {
  return file_of(values, rows, columns);
}
std::string npy_file(std::span<const double> values, std::uint64_t rows, std::uint64_t columns) {
  return file_of(values, rows, columns);
}

}  // namespace roundel
