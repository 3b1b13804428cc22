#include "renderer/image/png_decoder.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/memory.h"
#include "renderer/image/metadata_text.h"
#include "renderer/image/png_unfilter.h"

namespace roundel {
namespace {

/// A part of the picture with its own rows: every `dx`-th pixel of every `dy`-th row, from (x, y)
/// on.
struct Pass {
  std::uint32_t x, y, dx, dy;
};
constexpr Pass kWholePicture[] = {{0, 0, 1, 1}};
constexpr Pass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                           {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

/// To every `step`-th pixel of `out`.
template <std::size_t kPixel>
void spread(const std::uint8_t* pixels, std::size_t count, std::uint8_t* out, std::size_t step) {
  for (std::size_t k = 0; k < count; ++k, out += step * kPixel)
    std::memcpy(out, pixels + k * kPixel, kPixel);
}

using Palette = std::array<std::array<std::uint8_t, 4>, 256>;  ///< RGBA

/// To every `step`-th pixel of `out`.
template <std::size_t kChannels>
void spread_palette(const Palette& colors, const std::uint8_t* indices, std::size_t count,
                    std::uint8_t* out, std::size_t step) {
  for (std::size_t k = 0; k < count; ++k, out += step * kChannels)
    std::memcpy(out, colors[indices[k]].data(), kChannels);
}

}  // namespace

PngDecoder::PngDecoder(std::string path, std::span<const std::byte> file)
    : path_(std::move(path)),
      file_(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()),
      chunks_(path_, file_) {
  const std::size_t row_bits =
      std::size_t{header().width} * static_cast<unsigned>(header().channels() * header().bit_depth);
  // Deflate makes at most 1032 bytes of one: a header with larger pixels is wrong.
  if ((row_bits + 7) / 8 * header().height / 1032 > file_.size()) fail("the pixels are cut off");
}

/// True for whole 8-bit samples, row after row.
bool PngDecoder::is_plain() const {
  return header().bit_depth == 8 && header().color != PngColor::kIndexed &&
         !header().is_interlaced && chunks_.transparency().empty();
}

PngDecoder::Pixels PngDecoder::empty_pixels() const {
  Pixels pixels;
  pixels.bit_depth = header().bit_depth == 16 ? 16 : 8;
  pixels.channels = header().color == PngColor::kIndexed ? 3 : header().channels();
  if (!chunks_.transparency().empty()) ++pixels.channels;
  return pixels;
}

PngDecoder::Pixels PngDecoder::decode(DecodedPart part) const {
  Pixels pixels = empty_pixels();
  const std::size_t size = std::size_t{header().width} * header().height *
                           static_cast<std::size_t>(pixels.channels * pixels.bit_depth / 8);
  check_fits_memory(path_, "pixels", size);
  if (part == DecodedPart::kHeader) return pixels;
  if (is_plain()) {
    decode_plain(pixels);
    return pixels;
  }
  pixels.data = Buffer<std::uint8_t>(size);
  if (header().color == PngColor::kIndexed) {
    decode_indexed(pixels);
  } else {
    decode_rows(pixels);
  }
  return pixels;
}

/// Several times as fast as libpng, which inflates with zlib.
void PngDecoder::decode_plain(Pixels& pixels) const {
  const std::size_t row_bytes =
      std::size_t{header().width} * static_cast<unsigned>(pixels.channels);
  const std::size_t filtered_size = (row_bytes + 1) * header().height;
  Buffer<std::uint8_t> joined;
  std::span<const std::uint8_t> compressed;
  if (chunks_.pixels().size() == 1) {
    compressed = chunks_.pixels().front();
  } else {
    std::size_t size = 0;
    for (const auto& part : chunks_.pixels()) size += part.size();
    joined = Buffer<std::uint8_t>(size);
    std::uint8_t* out = joined.data();
    for (const auto& part : chunks_.pixels()) out = std::copy(part.begin(), part.end(), out);
    compressed = joined.span();
  }

  pixels.data = Buffer<std::uint8_t>(filtered_size);
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  const libdeflate_result result =
      libdeflate_zlib_decompress(decompressor.get(), compressed.data(), compressed.size(),
                                 pixels.data.data(), filtered_size, nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    fail(result == LIBDEFLATE_INSUFFICIENT_SPACE ? "it has more pixels than its header says"
         : result == LIBDEFLATE_SHORT_OUTPUT     ? "the pixels are cut off"
                                                 : "the compressed pixels are damaged");
  }
  if (!unfilter_png(pixels.data.data(), row_bytes, header().height, pixels.channels)) {
    fail("a row has an unknown filter");
  }
  pixels.data.shrink(row_bytes * header().height);
}

/// Calls use(row, pass, y, columns) for PngRowReader's rows.
template <typename Use>
void PngDecoder::read_rows(PngSamples samples, const Use& use) const {
  PngRowReader rows(path_, file_, chunks_, samples);
  const Pixels shape = empty_pixels();
  std::vector<std::uint8_t> row(std::size_t{header().width} *
                                static_cast<unsigned>(shape.channels * shape.bit_depth / 8));
  const std::span<const Pass> passes =
      header().is_interlaced ? std::span<const Pass>(kAdam7) : std::span<const Pass>(kWholePicture);
  for (const Pass& pass : passes) {
    if (pass.x >= header().width) continue;
    const std::size_t columns = (header().width - pass.x + pass.dx - 1) / pass.dx;
    for (std::size_t y = pass.y; y < header().height; y += pass.dy) {
      rows.read(row.data());
      use(row.data(), pass, y, columns);
    }
  }
}

void PngDecoder::decode_rows(Pixels& pixels) const {
  const auto pixel_bytes = static_cast<std::size_t>(pixels.channels * pixels.bit_depth / 8);
  read_rows(PngSamples::kWhole, [&](const std::uint8_t* row, const Pass& pass, std::size_t y,
                                    std::size_t columns) {
    std::uint8_t* const out = pixels.data.data() + (y * header().width + pass.x) * pixel_bytes;
    if (pass.dx == 1) {
      std::memcpy(out, row, columns * pixel_bytes);
      return;
    }
    constexpr decltype(&spread<1>) kSpread[] = {nullptr, spread<1>, spread<2>, spread<3>, spread<4>,
                                                nullptr, spread<6>, nullptr,   spread<8>};
    kSpread[pixel_bytes](row, columns, out, pass.dx);
  });
}

/// True if an index can exceed the palette.
bool PngDecoder::has_short_palette() const {
  return header().color == PngColor::kIndexed &&
         chunks_.palette().size() / 3 < std::size_t{1} << header().bit_depth;
}

/// Fails if an index exceeds the palette.
void PngDecoder::check_indices(const std::uint8_t* row, std::size_t columns) const {
  if (!has_short_palette()) return;
  std::uint8_t largest = 0;
  for (std::size_t k = 0; k < columns; ++k) largest = std::max(largest, row[k]);
  const std::size_t colors = chunks_.palette().size() / 3;
  if (largest >= colors)
    fail(fmt::format("a pixel has colour {} of a palette of {}", largest, colors));
}

void PngDecoder::decode_indexed(Pixels& pixels) const {
  Palette colors{};
  for (std::size_t k = 0; k < chunks_.palette().size() / 3; ++k) {
    std::copy_n(&chunks_.palette()[3 * k], 3, colors[k].begin());
    colors[k][3] = k < chunks_.transparency().size() ? chunks_.transparency()[k] : 255;
  }
  const auto channels = static_cast<std::size_t>(pixels.channels);
  const auto spread_colors = channels == 3 ? spread_palette<3> : spread_palette<4>;
  read_rows(PngSamples::kWhole, [&](const std::uint8_t* row, const Pass& pass, std::size_t y,
                                    std::size_t columns) {
    check_indices(row, columns);
    std::uint8_t* const out = pixels.data.data() + (y * header().width + pass.x) * channels;
    spread_colors(colors, row, columns, out, pass.dx);
  });
}

void PngDecoder::check_pixels() const {
  read_rows(has_short_palette() ? PngSamples::kWhole : PngSamples::kPacked,
            [&](const std::uint8_t* row, const Pass&, std::size_t, std::size_t columns) {
              check_indices(row, columns);
            });
}

std::optional<ImageMetadata> PngDecoder::metadata() const {
  return parse_metadata([this](std::string_view keyword) -> const std::string* {
    const auto found = std::find_if(text().begin(), text().end(), [keyword](const auto& chunk) {
      return chunk.first == keyword;
    });
    return found == text().end() ? nullptr : &found->second;
  });
}

namespace {

PngInfo info_of(const std::string& path, bool decodes) {
  const Buffer<std::byte> file = InputFile(path).read_all();
  PngDecoder decoder(path, file.span());
  if (decodes) decoder.check_pixels();
  PngInfo info;
  info.width = static_cast<int>(decoder.header().width);
  info.height = static_cast<int>(decoder.header().height);
  info.bit_depth = decoder.header().bit_depth;
  info.channels = decoder.header().channels();
  info.color_space = decoder.color_space();
  info.orientation = decoder.orientation();
  info.text = decoder.text();
  info.metadata = decoder.metadata();
  return info;
}

}  // namespace

PngInfo read_png_info(const std::string& path) {
  return info_of(path, true);
}

PngInfo read_png_checksums(const std::string& path) {
  return info_of(path, false);
}

}  // namespace roundel
