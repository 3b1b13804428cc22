#include "renderer/scene/npy.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/scene/input_file.h"
#include "renderer/scene/npy_header.h"

namespace roundel {

static_assert(std::endian::native == std::endian::little,
              "elements are used as they lie in the file");

namespace {

void unmap(const std::byte* map, std::size_t size) {
  if (map != nullptr) ::munmap(const_cast<std::byte*>(map), size);
}

}  // namespace

NpyArray::NpyArray(const std::string& path) {
  const std::span<const std::byte> bytes = InputFile(path).map();
  try {
    const NpyHeader header = parse_npy_header(bytes, path);
    map_ = bytes.data();
    map_size_ = bytes.size();
    elements_ = map_ + header.data_offset;
    rows_ = header.rows;
    columns_ = header.columns;
    is_double_ = header.is_double;
  } catch (...) {
    unmap(bytes.data(), bytes.size());
    throw;
  }
  // Both hashing and generating circles go through the file from front to back.
  ::madvise(const_cast<std::byte*>(map_), map_size_, MADV_SEQUENTIAL);
}

NpyArray::~NpyArray() {
  unmap(map_, map_size_);
}

NpyArray::NpyArray(NpyArray&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)),
      map_size_(std::exchange(other.map_size_, 0)),
      elements_(std::exchange(other.elements_, nullptr)),
      rows_(std::exchange(other.rows_, 0)),
      columns_(std::exchange(other.columns_, 0)),
      is_double_(other.is_double_) {}

NpyArray& NpyArray::operator=(NpyArray&& other) noexcept {
  std::swap(map_, other.map_);
  std::swap(map_size_, other.map_size_);
  std::swap(elements_, other.elements_);
  std::swap(rows_, other.rows_);
  std::swap(columns_, other.columns_);
  std::swap(is_double_, other.is_double_);
  return *this;
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
