#include "tests/fuzz/fuzz_targets.h"

#include <libdeflate.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/circles/generate.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/data/npy_header.h"
#include "renderer/data/table.h"
#include "renderer/image/photo.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "tests/fuzz/scene_from_bytes.h"

void try_scene(const std::uint8_t* data, std::size_t size) {
  try {
    const roundel::Scene scene =
        roundel::parse_scene({reinterpret_cast<const char*>(data), size}, "no/such/folder/s.yaml");
    if (roundel::fingerprint(scene).size() != 32) std::abort();
    if (roundel::count_circles(scene) > roundel::kMaxCircles) std::abort();
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

void try_scene_form(const std::uint8_t* data, std::size_t size) {
  const std::string text = scene_from_bytes({data, size});
  try_scene(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

void try_npy(const std::uint8_t* data, std::size_t size) {
  try {
    const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
    const roundel::NpyHeader header = roundel::parse_npy_header(
        file.first(std::min(size, roundel::kMaxNpyHeaderBytes)), size, "a.npy");
    const std::uint64_t row = header.columns * header.element_bytes;
    if (header.data_offset + header.rows * row != size) std::abort();
    for (const roundel::NpyField& field : header.fields)
      if (field.offset + field.element.size > header.element_bytes) std::abort();
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

void try_table(const std::uint8_t* data, std::size_t size, const char* suffix) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("roundel_fuzz_" + std::to_string(::getpid()) + suffix))
                               .string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const std::unique_ptr<roundel::Table> table = roundel::open_table(path);
    const std::uint64_t count = std::min<std::uint64_t>(table->rows(), 50);
    const std::uint64_t first = table->rows() - count;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < std::min<std::size_t>(table->columns().size(), 20); ++c) {
      if (table->rows_of(c) != table->rows()) continue;
      columns.push_back(c);
      if (table->columns()[c].is_text && table->columns()[c].first_text >= table->rows())
        std::abort();
    }
    roundel::TableRows all, one;
    table->read(columns, first, count, all);
    for (std::size_t i = 0; i < count; ++i) {
      table->read(columns, first + i, 1, one);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const bool is_text = table->columns()[columns[k]].is_text;
        if (is_text ? all.texts(k)[i] != one.texts(k)[0]
                    : std::memcmp(&all.numbers(k)[i], &one.numbers(k)[0], sizeof(double)) != 0)
          std::abort();
        if (table->place_of(first + i, columns[k]).empty()) std::abort();
      }
    }
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
    if (error.exit_code() != roundel::ExitCode::kInvalidScene) std::abort();
  }
  std::filesystem::remove(path);
}

void try_csv(const std::uint8_t* data, std::size_t size) {
  try_table(data, size, ".csv");
}
void try_npz(const std::uint8_t* data, std::size_t size) {
  try_table(data, size, ".npz");
}
void try_ply(const std::uint8_t* data, std::size_t size) {
  try_table(data, size, ".ply");
}
void try_hdf5(const std::uint8_t* data, std::size_t size) {
  try_table(data, size, ".h5");
}

namespace {

/// WebP makes a gigabyte from a hundred bytes; the size is near the start in one of three forms.
/// Such pictures would only waste the fuzzer's time.
bool is_large_webp(std::span<const std::byte> file) {
  constexpr std::size_t kHeader = 30;
  const auto number = [file](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t k = bytes; k-- > 0;)
      value = value << 8 | std::to_integer<std::size_t>(file[at + k]);
    return value;
  };
  if (roundel::photo_format(file) != roundel::PhotoFormat::kWebp || file.size() < kHeader)
    return false;
  const std::string_view kind(reinterpret_cast<const char*>(file.data()) + 12, 4);
  constexpr std::size_t kMaxSide = 1024;
  const auto is_large = [](std::size_t width, std::size_t height) {
    return width > kMaxSide || height > kMaxSide;
  };
  if (kind == "VP8X") return is_large(number(24, 3), number(27, 3));
  if (kind == "VP8L") return is_large(number(21, 4) & 0x3fff, number(21, 4) >> 14 & 0x3fff);
  return is_large(number(26, 2) & 0x3fff, number(28, 2) & 0x3fff);
}

void decode_and_check(std::span<const std::byte> file) {
  if (is_large_webp(file)) return;
  try {
    const roundel::Picture picture = roundel::decode_picture("a.png", file);
    const std::size_t samples = static_cast<std::size_t>(picture.width) *
                                static_cast<std::size_t>(picture.height) *
                                static_cast<std::size_t>(picture.channels);
    const bool is_bytes = picture.samples == roundel::Picture::Samples::kBytes;
    if ((is_bytes ? picture.bytes.size() : picture.floats.size()) != samples) std::abort();
    for (const roundel::ExrLevel& level : picture.levels)
      if (level.samples.size() != level.all_samples()) std::abort();
    if (roundel::compare_pictures(picture, picture, {}, {}).pixels != 0) std::abort();
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

/// Corrects the checksums of a PNG's chunks, so that the code after these checks is reached.
void repair_checksums(std::vector<std::uint8_t>& file) {
  const auto word = [&file](std::size_t at) {
    return std::size_t{file[at]} << 24 | std::size_t{file[at + 1]} << 16 |
           std::size_t{file[at + 2]} << 8 | file[at + 3];
  };
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t size = word(at);
    if (size > file.size() - at - 12) return;
    const std::uint32_t checksum = libdeflate_crc32(0, &file[at + 4], size + 4);
    for (std::size_t k = 0; k < 4; ++k)
      file[at + 8 + size + k] = static_cast<std::uint8_t>(checksum >> (24 - 8 * k));
    at += 12 + size;
  }
}

}  // namespace

void try_picture(const std::uint8_t* data, std::size_t size) {
  decode_and_check({reinterpret_cast<const std::byte*>(data), size});
  if (size < 4 || std::string_view(reinterpret_cast<const char*>(data), 4) != "\x89PNG") return;
  std::vector<std::uint8_t> file(data, data + size);
  repair_checksums(file);
  decode_and_check(std::as_bytes(std::span(file)));
}
