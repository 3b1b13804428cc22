#include "renderer/image/png_decoder.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/memory.h"
#include "renderer/image/color_space.h"
#include "renderer/image/metadata_text.h"
#include "renderer/image/png_unfilter.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

constexpr std::array<std::uint8_t, 8> kPngSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

std::uint32_t chunk_word(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | std::uint32_t{bytes[at + 3]};
}

}  // namespace

PngDecoder::PngDecoder(std::string path, std::span<const std::byte> file)
    : path_(std::move(path)),
      file_(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()),
      context_(spng_ctx_new(0), spng_ctx_free) {
  if (!context_) throw Error(ExitCode::kRuntimeFailure, path_ + ": out of memory");
  check_chunks();
  check(spng_set_image_limits(context_.get(), kMaxImageSide, kMaxImageSide));
  // Text and other side chunks, also after decompression.
  constexpr std::size_t kMaxChunk = std::size_t{1} << 20;
  constexpr std::size_t kMaxChunks = std::size_t{8} << 20;
  check(spng_set_chunk_limits(context_.get(), kMaxChunk, kMaxChunks));
  check(spng_set_png_buffer(context_.get(), file_.data(), file_.size()));
  check(spng_get_ihdr(context_.get(), &header_));
  check(spng_decoded_image_size(context_.get(), SPNG_FMT_PNG, &packed_size_));
  // Deflate makes at most 1032 bytes of one: a header that claims more is wrong.
  if (packed_size_ / 1032 > file_.size()) fail("the pixels are cut off");
}

/// Every chunk must be whole with its checksum, from the signature to IEND and nothing behind it.
/// libspng itself stops reading at the last pixel and lets damage behind it pass.
void PngDecoder::check_chunks() {
  std::span<const std::uint8_t> bytes = file_;
  if (bytes.size() < kPngSignature.size() ||
      !std::equal(kPngSignature.begin(), kPngSignature.end(), bytes.begin())) {
    fail("it does not start with the PNG signature");
  }
  bytes = bytes.subspan(kPngSignature.size());
  constexpr std::size_t kFrame = 12;  // length, type, checksum
  constexpr std::uint32_t kIdat = 0x49444154, kIend = 0x49454e44, kIccp = 0x69434350;
  constexpr std::uint32_t kCicp = 0x63494350, kExif = 0x65584966;
  constexpr std::uint32_t kActl = 0x6163544c, kFdat = 0x66644154;
  std::uint32_t type_before = 0;
  while (bytes.size() >= kFrame) {
    const std::size_t size = chunk_word(bytes, 0);
    const std::uint32_t type = chunk_word(bytes, 4);
    if (size > bytes.size() - kFrame) fail("it is cut off");
    if (chunk_word(bytes, 8 + size) != libdeflate_crc32(0, &bytes[4], size + 4)) {
      fail("a checksum is wrong");
    }
    if (type == kIdat) {
      if (!compressed_.empty() && type_before != kIdat) fail("its IDAT chunks are not together");
      compressed_.push_back(bytes.subspan(8, size));
    }
    has_profile_ |= type == kIccp;
    if (type == kCicp && compressed_.empty()) code_points_ = bytes.subspan(8, size);
    if (type == kExif) orientation_ = exif_orientation(bytes.subspan(8, size));
    is_animated_ |= type == kFdat || (type == kActl && size >= 4 && chunk_word(bytes, 8) > 1);
    bytes = bytes.subspan(kFrame + size);
    if (type == kIend) {
      if (compressed_.empty()) fail("it has no pixels");
      if (!bytes.empty()) fail("there is something behind its end");
      return;
    }
    type_before = type;
  }
  fail("it is cut off");
}

int PngDecoder::file_channels() const {
  constexpr int kOfTypes[] = {1, 0, 3, 1, 2, 0, 4};  // grey, RGB, indexed, grey and alpha, RGBA
  return kOfTypes[header_.color_type];
}

bool PngDecoder::has_transparency_chunk() {
  spng_trns transparency{};
  const int result = spng_get_trns(context_.get(), &transparency);
  if (result == SPNG_ECHUNKAVAIL) return false;
  check(result);
  return true;
}

/// True for what decode_plain() takes: whole samples of 8 bits, row after row.
bool PngDecoder::is_plain() {
  return header_.bit_depth == 8 && header_.color_type != SPNG_COLOR_TYPE_INDEXED &&
         header_.interlace_method == SPNG_INTERLACE_NONE && !has_transparency_chunk();
}

/// libspng's format for the pixels' own, and the shape that it gives.
int PngDecoder::packed_format(Pixels& pixels) {
  const bool is_grey = header_.color_type == SPNG_COLOR_TYPE_GRAYSCALE || file_channels() == 2;
  const bool is_indexed = header_.color_type == SPNG_COLOR_TYPE_INDEXED;
  const bool transparent = has_transparency_chunk();
  pixels.bit_depth = header_.bit_depth == 16 ? 16 : 8;
  pixels.channels = is_indexed ? 3 : file_channels();
  if (transparent) {
    pixels.channels = is_grey ? 2 : 4;
    if (pixels.bit_depth == 16) return is_grey ? SPNG_FMT_GA16 : SPNG_FMT_RGBA16;
    return is_grey ? SPNG_FMT_GA8 : SPNG_FMT_RGBA8;
  }
  if (is_indexed) return SPNG_FMT_RGB8;
  return header_.bit_depth < 8 ? SPNG_FMT_G8 : SPNG_FMT_PNG;
}

/// libspng leaves a profile that it cannot read away, as if the picture had none.
void PngDecoder::check_profile() {
  spng_iccp profile{};
  if (has_profile_ && spng_get_iccp(context_.get(), &profile) != SPNG_OK)
    fail("its ICC profile is damaged or out of place");
}

/// The number at x in a row of palette indices as the file packs them.
std::size_t PngDecoder::palette_index(const std::uint8_t* row, std::size_t x) const {
  const std::size_t depth = header_.bit_depth, bit = x * depth;
  return (row[bit / 8] >> (8 - depth - bit % 8)) & ((1U << depth) - 1);
}

/// libspng takes colours that the palette does not have for black.
void PngDecoder::check_indices(const std::uint8_t* row, std::size_t palette_size) const {
  if (palette_size >= std::size_t{1} << header_.bit_depth) return;
  std::size_t largest = 0;
  for (std::size_t x = 0; x < header_.width; ++x)
    largest = std::max(largest, palette_index(row, x));
  if (largest >= palette_size)
    fail(fmt::format("a pixel has colour {} of a palette of {}", largest, palette_size));
}

PngDecoder::Pixels PngDecoder::decode(DecodedPart part) {
  Pixels pixels;
  check_profile();
  const int format = packed_format(pixels);
  const std::size_t size = std::size_t{header_.width} * header_.height *
                           static_cast<std::size_t>(pixels.channels * pixels.bit_depth / 8);
  check_fits_memory(path_, "pixels", size);
  if (part == DecodedPart::kHeader) return pixels;
  if (is_plain()) {
    decode_plain(pixels);
    return pixels;
  }
  if (header_.color_type == SPNG_COLOR_TYPE_INDEXED) {
    decode_indexed(pixels);
    return pixels;
  }
  pixels.data = Buffer<std::uint8_t>(size);
  check(spng_decode_image(context_.get(), pixels.data.data(), size, format, SPNG_DECODE_TRNS));
  check(spng_decode_chunks(context_.get()));  // those behind the pixels
  return pixels;
}

/// Several times as fast as libspng, which inflates with zlib.
void PngDecoder::decode_plain(Pixels& pixels) {
  const std::size_t row_bytes = std::size_t{header_.width} * static_cast<unsigned>(file_channels());
  const std::size_t filtered_size = (row_bytes + 1) * header_.height;
  Buffer<std::uint8_t> joined;
  std::span<const std::uint8_t> compressed;
  if (compressed_.size() == 1) {
    compressed = compressed_.front();
  } else {
    std::size_t size = 0;
    for (const auto& part : compressed_) size += part.size();
    joined = Buffer<std::uint8_t>(size);
    std::uint8_t* out = joined.data();
    for (const auto& part : compressed_) out = std::copy(part.begin(), part.end(), out);
    compressed = joined.span();
  }

  pixels.data = Buffer<std::uint8_t>(filtered_size);
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw Error(ExitCode::kRuntimeFailure, path_ + ": out of memory");
  const libdeflate_result result =
      libdeflate_zlib_decompress(decompressor.get(), compressed.data(), compressed.size(),
                                 pixels.data.data(), filtered_size, nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    fail(result == LIBDEFLATE_INSUFFICIENT_SPACE ? "it has more pixels than its header says"
         : result == LIBDEFLATE_SHORT_OUTPUT     ? "the pixels are cut off"
                                                 : "the compressed pixels are damaged");
  }
  if (!unfilter_png(pixels.data.data(), row_bytes, header_.height, file_channels())) {
    fail("a row has an unknown filter");
  }
  pixels.data.shrink(row_bytes * header_.height);
}

void PngDecoder::decode_indexed(Pixels& pixels) {
  spng_plte palette{};
  check(spng_get_plte(context_.get(), &palette));
  if (pixels.channels == 4) {
    spng_trns transparency{};
    check(spng_get_trns(context_.get(), &transparency));
    for (std::size_t i = 0; i < palette.n_entries; ++i)
      palette.entries[i].alpha =
          i < transparency.n_type3_entries ? transparency.type3_alpha[i] : 255;
  }
  Buffer<std::uint8_t> packed(packed_size_);
  std::fill(packed.begin(), packed.end(), 0);  // libspng adds a pass's bits to those of the others
  check(spng_decode_image(context_.get(), packed.data(), packed_size_, SPNG_FMT_PNG, 0));
  check(spng_decode_chunks(context_.get()));  // those behind the pixels
  const auto channels = static_cast<std::size_t>(pixels.channels);
  const std::size_t row_bytes = packed_size_ / header_.height;
  pixels.data = Buffer<std::uint8_t>(channels * header_.width * header_.height);
  std::uint8_t* out = pixels.data.data();
  for (std::size_t y = 0; y < header_.height; ++y) {
    const std::uint8_t* const row = packed.data() + y * row_bytes;
    check_indices(row, palette.n_entries);
    for (std::size_t x = 0; x < header_.width; ++x, out += channels) {
      const spng_plte_entry& color = palette.entries[palette_index(row, x)];
      const std::uint8_t samples[] = {color.red, color.green, color.blue, color.alpha};
      std::copy_n(samples, channels, out);
    }
  }
}

void PngDecoder::check_pixels() {
  check_profile();
  spng_plte palette{};
  const bool is_indexed = header_.color_type == SPNG_COLOR_TYPE_INDEXED;
  if (is_indexed) check(spng_get_plte(context_.get(), &palette));
  check(spng_decode_image(context_.get(), nullptr, 0, SPNG_FMT_PNG, SPNG_DECODE_PROGRESSIVE));
  std::vector<std::uint8_t> row(packed_size_ / header_.height);
  int result = SPNG_OK;
  while (result == SPNG_OK) {
    if (is_indexed) std::fill(row.begin(), row.end(), 0);  // a pass does not fill it
    result = spng_decode_row(context_.get(), row.data(), row.size());
    if (is_indexed) check_indices(row.data(), palette.n_entries);
  }
  if (result != SPNG_EOI) check(result);
  check(spng_decode_chunks(context_.get()));
}

std::vector<std::pair<std::string, std::string>> PngDecoder::text() {
  std::uint32_t count = 0;
  const int result = spng_get_text(context_.get(), nullptr, &count);
  if (result == SPNG_ECHUNKAVAIL) return {};
  check(result);
  std::vector<spng_text> chunks(count);
  check(spng_get_text(context_.get(), chunks.data(), &count));
  std::vector<std::pair<std::string, std::string>> text;
  text.reserve(count);
  for (const spng_text& chunk : chunks) {
    text.emplace_back(chunk.keyword, std::string(chunk.text, chunk.length));
  }
  return text;
}

std::optional<ImageMetadata> PngDecoder::metadata() {
  const auto chunks = text();
  return parse_metadata([&chunks](std::string_view keyword) -> const std::string* {
    const auto found = std::find_if(chunks.begin(), chunks.end(), [keyword](const auto& chunk) {
      return chunk.first == keyword;
    });
    return found == chunks.end() ? nullptr : &found->second;
  });
}

std::string PngDecoder::color_space() {
  if (code_points_.size() == 4) return code_points_text(code_points_.first<4>());
  spng_iccp profile{};
  if (spng_get_iccp(context_.get(), &profile) == SPNG_OK)
    return profile_text(
        {reinterpret_cast<const std::uint8_t*>(profile.profile), profile.profile_len});
  std::uint8_t intent = 0;
  if (spng_get_srgb(context_.get(), &intent) == SPNG_OK) return "";
  constexpr double kSrgbGamma = 0.45455;  // what files of sRGB pictures say for old readers
  std::string text;
  double gamma = 0;
  if (spng_get_gama(context_.get(), &gamma) == SPNG_OK && std::abs(gamma - kSrgbGamma) >= 0.001)
    text = fmt::format("gamma {:.5g}", gamma);
  spng_chrm primaries{};
  if (spng_get_chrm(context_.get(), &primaries) == SPNG_OK) {
    const std::string other = primaries_text(primaries);
    text += (text.empty() || other.empty() ? "" : " and ") + other;
  }
  return text;
}

void PngDecoder::fail(std::string_view problem) const {
  throw Error(ExitCode::kInvalidScene, fmt::format("{}: not a sound PNG: {}", path_, problem));
}

void PngDecoder::check(int result) const {
  if (result == SPNG_EMEM) throw Error(ExitCode::kRuntimeFailure, path_ + ": out of memory");
  if (result == SPNG_EUSER_WIDTH || result == SPNG_EUSER_HEIGHT)
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: is not supported: a side of more than {} pixels", path_, kMaxImageSide));
  if (result != SPNG_OK) fail(spng_strerror(result));
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
  info.channels = decoder.file_channels();
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
