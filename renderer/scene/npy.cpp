#include "renderer/scene/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/image/files.h"
#include "renderer/scene/npy_header.h"

namespace roundel {

static_assert(std::endian::native == std::endian::little,
              "elements are used as they lie in the file");

NpyArray::NpyArray(const std::string& path) : file_(path) {
  const NpyHeader header = parse_npy_header(file_.bytes(), path);
  elements_ = file_.bytes().data() + header.data_offset;
  rows_ = header.rows;
  columns_ = header.columns;
  is_double_ = header.is_double;
}

double NpyArray::at(std::uint64_t row, std::uint64_t column) const {
  assert(row < rows_ && column < columns_);
  const std::uint64_t index = row * columns_ + column;
  if (is_double_) {
    double value = 0;
    std::memcpy(&value, elements_ + index * sizeof(value), sizeof(value));
    return value;
  }
  float value = 0;
  std::memcpy(&value, elements_ + index * sizeof(value), sizeof(value));
  return value;
}

void write_npy(const std::string& path, std::span<const float> values, std::uint64_t rows,
               std::uint64_t columns) {
  assert(values.size() == rows * columns);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  constexpr std::size_t kPreambleBytes = 10;  // magic, version, length
  constexpr std::size_t kAlignment = 64;      // of the elements, as NumPy writes them
  const std::size_t unpadded = kPreambleBytes + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';

  std::vector<std::uint8_t> bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  bytes.reserve(kPreambleBytes + header.size() + values.size_bytes());
  bytes.push_back(static_cast<std::uint8_t>(header.size() & 0xFF));
  bytes.push_back(static_cast<std::uint8_t>(header.size() >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  const auto* data = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), data, data + values.size_bytes());
  write_file_atomically(path, bytes);
}

}  // namespace roundel
