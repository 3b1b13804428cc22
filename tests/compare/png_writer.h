#pragma once
#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

using PngBytes = std::vector<std::uint8_t>;

inline void put_word(PngBytes& out, std::size_t at, std::size_t value) {
  for (std::size_t k = 0; k < 4; ++k)
    out[at + k] = static_cast<std::uint8_t>(value >> (24 - 8 * k));
}

inline PngBytes png_chunk(std::string_view type, const PngBytes& data) {
  PngBytes chunk(12 + data.size());
  put_word(chunk, 0, data.size());
  std::copy(type.begin(), type.end(), chunk.begin() + 4);
  std::copy(data.begin(), data.end(), chunk.begin() + 8);
  put_word(chunk, 8 + data.size(), libdeflate_crc32(0, &chunk[4], data.size() + 4));
  return chunk;
}

inline PngBytes zlib_packed(const PngBytes& data) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  PngBytes packed(libdeflate_zlib_compress_bound(compressor.get(), data.size()));
  packed.resize(libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), packed.data(),
                                         packed.size()));
  return packed;
}

/// Writes PNG files of every kind by the specification; row after row with the filters 0 to 4 in
/// turn, or in a seeded order.
struct PngWriter {
  int width = 1, height = 1;
  int bit_depth = 8;
  int color_type = 2;
  bool is_interlaced = false;
  std::size_t pieces = 1;  ///< IDAT chunks
  std::function<unsigned(int x, int y, int c)> sample;
  std::function<int(int y)> filter = [](int y) { return y % 5; };
  PngBytes chunks_before = {};  ///< whole chunks between IHDR and IDAT

  int channels() const {
    return color_type == 2 ? 3 : color_type == 6 ? 4 : color_type == 4 ? 2 : 1;
  }

  PngBytes file() const {
    PngBytes header(13);
    put_word(header, 0, static_cast<std::size_t>(width));
    put_word(header, 4, static_cast<std::size_t>(height));
    header[8] = static_cast<std::uint8_t>(bit_depth);
    header[9] = static_cast<std::uint8_t>(color_type);
    header[12] = is_interlaced ? 1 : 0;
    const std::string_view signature("\x89PNG\r\n\x1a\n", 8);
    PngBytes out(signature.begin(), signature.end());
    const auto append = [&out](const PngBytes& bytes) {
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    append(png_chunk("IHDR", header));
    append(chunks_before);
    const PngBytes packed = zlib_packed(filtered());
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const auto at = [&](std::size_t k) {
        return packed.begin() + static_cast<std::ptrdiff_t>(packed.size() * k / pieces);
      };
      append(png_chunk("IDAT", PngBytes(at(piece), at(piece + 1))));
    }
    append(png_chunk("IEND", {}));
    return out;
  }

 private:
  PngBytes filtered() const {
    PngBytes out;
    if (!is_interlaced) {
      filter_pass(0, 0, 1, 1, out);
      return out;
    }
    constexpr int kPasses[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                   {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    for (const auto& [x0, y0, dx, dy] : kPasses) {
      if (x0 < width && y0 < height) filter_pass(x0, y0, dx, dy, out);
    }
    return out;
  }

  void filter_pass(int x0, int y0, int dx, int dy, PngBytes& out) const {
    const std::size_t pixel = static_cast<std::size_t>(std::max(1, channels() * bit_depth / 8));
    PngBytes above;
    for (int y = y0, row_number = 0; y < height; y += dy, ++row_number) {
      const PngBytes row = packed_row(x0, y, dx);
      above.resize(row.size());
      const int kind = filter(row_number);
      out.push_back(static_cast<std::uint8_t>(kind));
      for (std::size_t i = 0; i < row.size(); ++i) {
        const int left = i >= pixel ? row[i - pixel] : 0, up = above[i];
        const int corner = i >= pixel ? above[i - pixel] : 0;
        const int estimate = left + up - corner;
        const int to_left = std::abs(estimate - left), to_up = std::abs(estimate - up);
        const int to_corner = std::abs(estimate - corner);
        const int nearest = to_left <= to_up && to_left <= to_corner ? left
                            : to_up <= to_corner                     ? up
                                                                     : corner;
        const int predictions[] = {0, left, up, (left + up) / 2, nearest};
        out.push_back(static_cast<std::uint8_t>(row[i] - predictions[kind]));
      }
      above = row;
    }
  }

  PngBytes packed_row(int x0, int y, int dx) const {
    PngBytes row;
    unsigned bits = 0;
    int count = 0;
    for (int x = x0; x < width; x += dx) {
      for (int c = 0; c < channels(); ++c) {
        const unsigned value = sample(x, y, c);
        if (bit_depth == 16) row.push_back(static_cast<std::uint8_t>(value >> 8));
        if (bit_depth >= 8) {
          row.push_back(static_cast<std::uint8_t>(value));
          continue;
        }
        bits = bits << bit_depth | value;
        count += bit_depth;
        if (count == 8) row.push_back(static_cast<std::uint8_t>(bits)), bits = 0, count = 0;
      }
    }
    if (count > 0) row.push_back(static_cast<std::uint8_t>(bits << (8 - count)));
    return row;
  }
};

}  // namespace roundel
