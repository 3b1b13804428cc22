#pragma once
#include <libdeflate.h>

#include <cstdint>
#include <vector>

#include "renderer/image/png_format.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// The zlib stream of a picture by the definitions of renderer/image/png_format.h, bit by bit.
class ReferencePacker {
 public:
  explicit ReferencePacker(const Image& image)
      : pixel_(image.pixel_bytes()), rows_(static_cast<std::size_t>(image.height)) {
    for (std::size_t y = 0; y < rows_; ++y) {
      filtered_.push_back(png_format::kFilterUp);
      for (std::size_t k = y * image.row_bytes(); k < (y + 1) * image.row_bytes(); ++k) {
        const int above = y > 0 ? image.bytes[k - image.row_bytes()] : 0;
        filtered_.push_back(static_cast<std::uint8_t>(image.bytes[k] - above));
      }
    }
    row_bytes_ = filtered_.size() / rows_;
  }

  std::vector<std::uint8_t> pack() {
    out_ = {png_format::kZlibHeader[0], png_format::kZlibHeader[1]};
    const std::size_t rows = png_format::block_rows(row_bytes_);
    for (std::size_t first = 0; first < rows_; first += rows)
      pack_block(first, std::min(rows_, first + rows));
    const std::uint32_t adler = libdeflate_adler32(1, filtered_.data(), filtered_.size());
    for (int shift = 24; shift >= 0; shift -= 8)
      out_.push_back(static_cast<std::uint8_t>(adler >> shift));
    return out_;
  }

 private:
  struct Token {
    std::size_t symbol;
    std::size_t length = 0, distance = 0;  ///< match
  };

  std::vector<Token> tokens_of_row(std::size_t y) const {
    const std::uint8_t* const row = &filtered_[y * row_bytes_];
    std::vector<Token> tokens = {{row[0]}};
    const std::size_t pixels = row_bytes_ / pixel_;
    const auto byte = [&](std::size_t x, std::size_t k) { return row[1 + x * pixel_ + k]; };
    const auto repeats = [&](std::size_t x) {
      if (x >= pixels || x % png_format::kSegmentPixels == 0) return false;
      bool same = true;
      for (std::size_t k = 0; k < pixel_; ++k) same &= byte(x, k) == byte(x - 1, k);
      return same;
    };
    std::size_t in_piece = 0;
    for (std::size_t x = 0; x < pixels; ++x) {
      const bool before = x > 0 && repeats(x - 1) && x % png_format::kSegmentPixels != 0;
      if (!repeats(x) || (!before && !repeats(x + 1))) {
        for (std::size_t k = 0; k < pixel_; ++k) tokens.push_back({byte(x, k)});
        continue;
      }
      ++in_piece;
      if (repeats(x + 1) && in_piece < 258 / pixel_) continue;
      bool is_one_byte = true;
      for (std::size_t k = 1; k < pixel_; ++k) is_one_byte &= byte(x, k) == byte(x, 0);
      const std::size_t length = in_piece * pixel_;
      tokens.push_back({png_format::length_symbol(length), length, is_one_byte ? 1 : pixel_});
      in_piece = 0;
    }
    return tokens;
  }

  void pack_block(std::size_t first, std::size_t end) {
    std::uint32_t counts[png_format::kNumSymbols] = {};
    png_format::add_possible(pixel_, counts);
    for (std::uint32_t k = 0; first + png_format::sample_row(k) < end; ++k)
      for (const Token& token : tokens_of_row(first + png_format::sample_row(k)))
        ++counts[token.symbol];
    std::uint8_t lengths[png_format::kNumSymbols];
    std::uint32_t codes[png_format::kNumSymbols];
    png_format::code_lengths(counts, lengths);
    png_format::make_codes(lengths, codes);

    const std::size_t begin = out_.size();
    const bool is_last = end == rows_;
    num_bits_ = 0;
    const auto put = [this](std::uint32_t bits, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) {
        if (num_bits_++ % 8 == 0) out_.push_back(0);
        out_.back() =
            static_cast<std::uint8_t>(out_.back() | (bits >> k & 1) << (num_bits_ - 1) % 8);
      }
    };
    png_format::put_header(lengths, pixel_, is_last, put);
    for (std::size_t y = first; y < end; ++y) {
      for (const Token& token : tokens_of_row(y)) {
        put(codes[token.symbol], lengths[token.symbol]);
        if (token.length == 0) continue;
        const unsigned extra = png_format::extra_bits(token.symbol);
        put(static_cast<std::uint32_t>(token.length - 3) & ((1U << extra) - 1), extra);
        put(png_format::distance_bits(token.distance),
            png_format::distance_bit_count(token.distance));
      }
    }
    put(codes[png_format::kEndOfBlock], lengths[png_format::kEndOfBlock]);
    if (!is_last) {
      put(0, 3);
      out_.insert(out_.end(), {0, 0, 0xff, 0xff});
    }
    const std::size_t size = (end - first) * row_bytes_;
    if (out_.size() - begin <= png_format::stored_bytes(size)) return;
    out_.resize(begin);
    for (std::size_t at = 0; at < size; at += png_format::kMaxStored) {
      const std::size_t count = std::min(png_format::kMaxStored, size - at);
      out_.push_back(is_last && at + count == size);
      for (const std::size_t word : {count, ~count}) {
        out_.push_back(static_cast<std::uint8_t>(word));
        out_.push_back(static_cast<std::uint8_t>(word >> 8));
      }
      const auto from = filtered_.begin() + static_cast<std::ptrdiff_t>(first * row_bytes_ + at);
      out_.insert(out_.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
  }

  std::size_t pixel_, rows_, row_bytes_ = 0;
  std::vector<std::uint8_t> filtered_, out_;
  std::size_t num_bits_ = 0;
};

}  // namespace roundel
