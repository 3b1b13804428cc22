#include "renderer/image/deflate_block.h"

#include <libdeflate.h>
#include <tbb/parallel_for.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "renderer/image/deflate_rows.h"
#include "renderer/image/png_format.h"

// Parts of 512 KiB are coded in parallel and joined bit by bit. The number of threads does not
// change the bytes.
namespace roundel {
namespace {

namespace format = png_format;

constexpr std::size_t kPartBytes = std::size_t{1} << 19;

/// Adds up counts in pieces of `piece`.
template <typename Add>
deflate::Counts sum_counts(std::size_t count, std::size_t piece, const Add& add) {
  const std::size_t pieces = (count + piece - 1) / piece;
  std::vector<deflate::Counts> counts(pieces);
  tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t k) {
    add(k * piece, std::min(count, (k + 1) * piece), counts[k]);
  });
  for (std::size_t k = 1; k < pieces; ++k) counts[0].add(counts[k]);
  return counts[0];
}

/// Counts header, symbols and end.
std::uint64_t coded_bits(const deflate::Counts& all, const deflate::SymbolTables& tables,
                         std::size_t pixel_bytes) {
  std::uint64_t bits = format::header_bits(pixel_bytes) + tables.lengths[format::kEndOfBlock];
  for (std::size_t k = 0; k < format::kNumSymbols; ++k)
    bits += std::uint64_t{all.symbols[k]} * (tables.lengths[k] + format::extra_bits(k));
  return bits + all.distances[0] +
         std::uint64_t{all.distances[1]} * format::distance_bit_count(pixel_bytes);
}

/// Copies bytes [first, end) of `in`, shifted up by `shift` bits, to `out`.
void copy_shifted(std::uint8_t* out, const std::uint8_t* in, std::size_t first, std::size_t end,
                  unsigned shift) {
  if (shift == 0) {
    if (end > first) std::memcpy(out + first, in + first, end - first);
    return;
  }
  std::size_t k = first;
  for (; k + 8 <= end; k += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + k, 8);
    word = word << shift | static_cast<unsigned>(in[k - 1] >> (8 - shift));
    std::memcpy(out + k, &word, 8);
  }
  for (; k < end; ++k)
    out[k] = static_cast<std::uint8_t>(in[k] << shift | in[k - 1] >> (8 - shift));
}

}  // namespace

DeflateBlock::DeflateBlock(const PngRows& rows, bool is_last) : rows_(rows), is_last_(is_last) {
  const std::size_t part_rows = std::max<std::size_t>(kPartBytes / rows.row_bytes, 1);
  const deflate::Counts sample = sum_counts(
      (rows.count + 7) / 8, part_rows, [&](std::size_t k, std::size_t end, deflate::Counts& sum) {
        deflate::count_rows(rows, k, end, true, sum);
      });
  const auto tables = std::make_unique<deflate::SymbolTables>(sample, rows.pixel_bytes);
  deflate::fill_pairs(*tables);

  for (std::size_t y = 0; y < rows.count; y += part_rows)
    parts_.push_back({y, std::min(rows.count, y + part_rows)});
  // Capacity for the unchanged rows plus a segment.
  const std::size_t segment =
      std::min(rows.row_bytes, format::kSegmentPixels * rows.pixel_bytes + 1);
  const std::size_t slack = deflate::max_coded_bytes(segment) + 256;
  const auto code_all = [&](std::size_t times) {
    const std::size_t capacity = times * part_rows * rows.row_bytes + slack;
    std::atomic<bool> fits = true;
    tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
      if (!fits) return;
      Buffer<std::uint8_t> coded(capacity);
      if (!deflate::code_part(rows, *tables, is_last, parts_[k], coded.data(), capacity)) {
        fits = false;
        return;
      }
      // Untouched capacity costs nothing. The zero byte after the last bits is read when parts are
      // shifted by up to seven bits.
      parts_[k].coded = std::move(coded);
    });
    return fits.load();
  };
  const std::size_t stored = format::stored_bytes(rows.size());
  if (code_all(1)) {
    std::uint64_t bits = 0;
    for (const Part& part : parts_) bits += part.bits;
    size_ = format::coded_bytes(bits, is_last);
  } else {
    const deflate::Counts all = sum_counts(
        rows.count, part_rows, [&](std::size_t y, std::size_t end, deflate::Counts& sum) {
          deflate::count_rows(rows, y, end, false, sum);
        });
    size_ = format::coded_bytes(coded_bits(all, *tables, rows.pixel_bytes), is_last);
    if (size_ <= stored) code_all(2);  // codes have at most 15 bits
  }
  if (size_ <= stored) return;
  is_stored_ = true;
  size_ = stored;
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
    parts_[k].coded = {};
    parts_[k].adler = 1;
    deflate::filter_rows(
        rows, parts_[k].first, parts_[k].end, [&](std::size_t, const std::uint8_t* row) {
          parts_[k].adler = libdeflate_adler32(parts_[k].adler, row, rows.row_bytes);
        });
  });
}

std::uint32_t DeflateBlock::adler(std::uint32_t before) const {
  uLong sum = before;
  for (const Part& part : parts_) {
    sum = adler32_combine(sum, part.adler,
                          static_cast<z_off_t>((part.end - part.first) * rows_.row_bytes));
  }
  return static_cast<std::uint32_t>(sum);
}

void DeflateBlock::write(std::uint8_t* out) {
  if (is_stored_) {
    write_stored(out);
  } else {
    write_coded(out);
  }
}

void DeflateBlock::write_coded(std::uint8_t* out) {
  // Whole bytes in parallel; then the bytes that parts share, and the end.
  std::vector<std::uint64_t> begins(parts_.size() + 1);  // bits
  for (std::size_t k = 0; k < parts_.size(); ++k) begins[k + 1] = begins[k] + parts_[k].bits;
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
    const unsigned shift = begins[k] % 8;
    const std::uint64_t byte = begins[k] / 8;
    copy_shifted(out + byte, parts_[k].coded.data(), shift > 0, begins[k + 1] / 8 - byte, shift);
  });
  for (const std::uint64_t begin : begins)
    if (begin % 8 > 0) out[begin / 8] = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::uint8_t* const in = parts_[k].coded.data();
    const unsigned shift = begins[k] % 8;
    const std::uint64_t byte = begins[k] / 8, bytes = begins[k + 1] / 8 - byte;
    if (shift > 0) out[byte] |= static_cast<std::uint8_t>(in[0] << shift);
    if (begins[k + 1] % 8 == 0 || (bytes == 0 && shift > 0)) continue;
    out[byte + bytes] |= static_cast<std::uint8_t>(in[bytes] << shift |
                                                   (shift > 0 ? in[bytes - 1] >> (8 - shift) : 0));
  }
  const std::size_t end = (begins.back() + 7) / 8;
  std::memset(out + end, 0, size_ - end);
  if (!is_last_) out[size_ - 1] = out[size_ - 2] = 0xff;  // length of an empty stored block
  for (Part& part : parts_) part.coded = {};
}

void DeflateBlock::write_stored(std::uint8_t* out) const {
  const std::size_t size = rows_.size();
  const auto copy_row = [&](std::size_t y, const std::uint8_t* row) {
    std::size_t at = y * rows_.row_bytes;
    for (std::size_t left = rows_.row_bytes; left > 0;) {
      const std::size_t piece = at / format::kMaxStored, inside = at % format::kMaxStored;
      std::uint8_t* const header = out + format::kStoredHeader * piece + at;
      if (inside == 0) {
        const std::size_t length = std::min(format::kMaxStored, size - at);
        for (std::size_t k = 0; k < format::kStoredHeader; ++k)
          header[k] = format::stored_header(k, length, is_last_ && at + length == size);
      }
      const std::size_t count = std::min(left, format::kMaxStored - inside);
      std::memcpy(header + format::kStoredHeader, row, count);
      row += count;
      at += count;
      left -= count;
    }
  };
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
    deflate::filter_rows(rows_, parts_[k].first, parts_[k].end, copy_row);
  });
}

}  // namespace roundel
