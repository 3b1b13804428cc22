#include "renderer/image/png_stream.h"

#include <libdeflate.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/image/deflate_block.h"
#include "renderer/image/metadata_text.h"

namespace roundel {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t crc_of(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const std::size_t count = (bytes.size() + kPart - 1) / kPart;
  const auto part = [&](std::size_t k) {
    return bytes.subspan(k * kPart, std::min(kPart, bytes.size() - k * kPart));
  };
  std::vector<std::uint32_t> crcs(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t k) {
    crcs[k] = libdeflate_crc32(0, part(k).data(), part(k).size());
  });
  uLong crc = 0;
  for (std::size_t k = 0; k < count; ++k)
    crc = crc32_combine(crc, crcs[k], static_cast<z_off_t>(part(k).size()));
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

std::vector<std::uint8_t> png_head(const PngShape& shape, const ImageMetadata& metadata) {
  Bytes head = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes header;
  append_u32(header, static_cast<std::uint32_t>(shape.width));
  append_u32(header, static_cast<std::uint32_t>(shape.height));
  constexpr std::uint8_t kRgb = 2, kRgba = 6;
  header.push_back(static_cast<std::uint8_t>(shape.bits));
  header.push_back(shape.channels == 4 ? kRgba : kRgb);
  header.resize(header.size() + 3);  // deflate, one filter per row, not interlaced
  append_chunk(head, "IHDR", {reinterpret_cast<const char*>(header.data()), header.size()});
  append_chunk(head, "sRGB", std::string_view("\0", 1));  // rendering intent: perceptual
  for (const auto& [keyword, text] : metadata_texts(metadata))
    append_chunk(head, "tEXt", keyword + std::string(1, '\0') + text);
  return head;
}

PngStream::PngStream(const PngShape& shape, const ImageMetadata& metadata, Write write,
                     std::uint64_t max_one_idat)
    : shape_(shape),
      write_(std::move(write)),
      has_one_idat_(shape.filtered_bytes() <= max_one_idat) {
  write_(png_head(shape, metadata));
}

std::size_t PngStream::rows_of_block() const {
  return png_format::block_rows(shape_.row_bytes() + 1);
}

void PngStream::add(const std::uint8_t* bytes, std::size_t count,
                    const std::function<void()>& free_rows) {
  PngRows rows{bytes, count, shape_.row_bytes() + 1, shape_.pixel_bytes(), false};
  if (rows_done_ > 0) rows.above = above_.data();
  const std::uint8_t* const end = bytes + count * shape_.row_bytes();
  Bytes last_row(end - shape_.row_bytes(), end);
  const bool is_one_block = count <= rows_of_block();
  // While a block is coded, the previous one is assembled and written.
  tbb::task_group writing;
  for (std::size_t first = 0; first < count; first += rows_of_block()) {
    const PngRows part = rows.part(first, rows_of_block());
    const bool is_first = rows_done_ == 0;
    rows_done_ += part.count;
    const bool is_last = rows_done_ == static_cast<std::size_t>(shape_.height);
    const auto block = std::make_shared<DeflateBlock>(part, is_last);
    writing.wait();
    writing.run([=, this, &free_rows] {
      add_block(
          *block, is_first, is_last, is_one_block ? free_rows : [] {});
    });
  }
  writing.wait();
  above_ = std::move(last_row);
  if (!is_one_block) free_rows();
}

void PngStream::add_block(DeflateBlock& block, bool is_first, bool is_last,
                          const std::function<void()>& free_rows) {
  const bool is_coded = block.is_coded();
  if (is_coded) free_rows();
  const std::size_t begin = is_first ? sizeof(png_format::kZlibHeader) : 0;
  constexpr std::size_t kChecksum = 4;
  Piece piece{Buffer<std::uint8_t>(begin + block.size() + (is_last ? kChecksum : 0))};
  std::copy_n(png_format::kZlibHeader, begin, piece.bytes.data());
  block.write(piece.bytes.data() + begin);
  if (!is_coded) free_rows();
  adler_ = block.adler(adler_);
  if (is_last) {
    Bytes checksum;
    append_u32(checksum, adler_);
    std::copy(checksum.begin(), checksum.end(), piece.bytes.end() - kChecksum);
  }
  piece.crc = crc_of(piece.bytes.span());
  pieces_.push_back(std::move(piece));
  if (is_last || !has_one_idat_) write_idat();
}

void PngStream::write_idat() {
  std::size_t size = 0;
  for (const Piece& piece : pieces_) size += piece.bytes.size();
  Bytes begin, end;
  append_u32(begin, static_cast<std::uint32_t>(size));
  for (const char c : {'I', 'D', 'A', 'T'}) begin.push_back(static_cast<std::uint8_t>(c));
  write_(begin);
  uLong crc = libdeflate_crc32(0, begin.data() + 4, 4);
  for (Piece& piece : pieces_) {
    write_(piece.bytes.span());
    crc = crc32_combine(crc, piece.crc, static_cast<z_off_t>(piece.bytes.size()));
    piece.bytes = {};
  }
  append_u32(end, static_cast<std::uint32_t>(crc));
  write_(end);
  pieces_.clear();
}

void PngStream::finish() {
  Bytes end;
  append_chunk(end, "IEND", {});
  write_(end);
}

}  // namespace roundel
