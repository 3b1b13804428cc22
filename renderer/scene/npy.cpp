#include "renderer/scene/npy.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/base/write_file.h"

namespace roundel {

static_assert(std::endian::native == std::endian::little,
              "elements are used as they lie in the file");

NpyArray::NpyArray(const std::string& path) : file_(path) {
  const std::string start = file_.read(kMaxNpyHeaderBytes);
  header_ = parse_npy_header(std::as_bytes(std::span(start)), file_.size(), path);
}

void NpyArray::read_rows(std::uint64_t first_row, std::span<double> values) const {
  assert(first_row * columns() + values.size() <= rows() * columns());
  const std::uint64_t first = first_row * columns();
  std::byte* const bytes = std::as_writable_bytes(values).data();
  if (is_double()) {
    file_.read_at(header_.data_offset + first * sizeof(double), {bytes, values.size_bytes()});
    return;
  }
  // Floats are read into the second half of the room: each is taken before its double covers it.
  const std::size_t size = values.size() * sizeof(float);
  const std::byte* in = bytes + size;
  file_.read_at(header_.data_offset + first * sizeof(float), {bytes + size, size});
  for (double& value : values) {
    float element = 0;
    std::memcpy(&element, in, sizeof(element));
    value = static_cast<double>(element);
    in += sizeof(element);
  }
}

std::vector<double> NpyArray::values() const {
  std::vector<double> values(rows() * columns());
  read_rows(0, values);
  return values;
}

std::uint64_t NpyArray::content_hash() const {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;  // stays in L2
  Buffer<std::byte> piece(std::min(kPiece, file_.size()));
  for (std::uint64_t at = 0; at < file_.size(); at += piece.size()) {
    const auto bytes = piece.span().first(std::min<std::uint64_t>(piece.size(), file_.size() - at));
    file_.read_at(at, bytes);
    XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
  }
  check_unchanged();
  return XXH3_64bits_digest(state.get());
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

  std::string file("\x93NUMPY\1\0", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  write_text_atomically(path, file);
}

}  // namespace roundel
