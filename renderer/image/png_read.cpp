#include <libdeflate.h>
#include <spng.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/image/files.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

/// What is wrong with a PNG file's outer form, or an empty text: every chunk whole with its
/// checksum, from the signature to IEND and nothing behind it. libspng itself stops reading at the
/// last pixel and lets damage behind it pass.
std::string_view problem_in_chunks(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (bytes.size() < kSignature.size() ||
      !std::equal(kSignature.begin(), kSignature.end(), bytes.begin())) {
    return "it does not start with the PNG signature";
  }
  const auto u32_at = [&bytes](std::size_t at) {
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
           std::uint32_t{bytes[at + 2]} << 8 | std::uint32_t{bytes[at + 3]};
  };
  bytes = bytes.subspan(kSignature.size());
  constexpr std::size_t kFrame = 12;  // length, type, checksum
  while (bytes.size() >= kFrame) {
    const std::size_t size = u32_at(0);
    if (size > bytes.size() - kFrame) return "it is cut off";
    if (u32_at(8 + size) != libdeflate_crc32(0, &bytes[4], size + 4)) return "a checksum is wrong";
    const bool last = u32_at(4) == 0x49454e44;  // "IEND"
    bytes = bytes.subspan(kFrame + size);
    if (last) return bytes.empty() ? "" : "there is something behind its end";
  }
  return "it is cut off";
}

/// A PNG file being decoded, with limits on what it may make us allocate.
class PngDecoder {
 public:
  explicit PngDecoder(const std::string& path)
      : path_(path), file_(path), context_(spng_ctx_new(0), spng_ctx_free) {
    if (!context_) throw Error(ExitCode::kRuntimeFailure, path + ": out of memory");
    const std::string_view problem = problem_in_chunks(bytes());
    if (!problem.empty()) fail(problem);
    check(spng_set_image_limits(context_.get(), kMaxImageSide, kMaxImageSide));
    // Text and other side chunks, also after decompression.
    constexpr std::size_t kMaxChunk = std::size_t{1} << 20;
    constexpr std::size_t kMaxChunks = std::size_t{8} << 20;
    check(spng_set_chunk_limits(context_.get(), kMaxChunk, kMaxChunks));
    check(spng_set_png_buffer(context_.get(), file_.bytes().data(), file_.bytes().size()));
    check(spng_get_ihdr(context_.get(), &header_));
    check(spng_decoded_image_size(context_.get(), SPNG_FMT_PNG, &decoded_size_));
    // Deflate makes at most 1032 bytes of one: a header that claims more is wrong.
    if (decoded_size_ / 1032 > file_.bytes().size()) fail("the pixels are cut off");
  }

  const spng_ihdr& header() const { return header_; }
  std::size_t decoded_size() const { return decoded_size_; }

  /// Decodes the whole picture, in the file's own format.
  void decode(std::span<std::uint8_t> out) {
    check(spng_decode_image(context_.get(), out.data(), out.size(), SPNG_FMT_PNG, 0));
    check(spng_decode_chunks(context_.get()));  // those behind the pixels
  }

  /// Decodes row by row, so that memory stays small, and throws the pixels away.
  void check_pixels() {
    check(spng_decode_image(context_.get(), nullptr, 0, SPNG_FMT_PNG, SPNG_DECODE_PROGRESSIVE));
    std::vector<std::uint8_t> row(decoded_size_ / header_.height);
    int result = SPNG_OK;
    while (result == SPNG_OK) result = spng_decode_row(context_.get(), row.data(), row.size());
    if (result != SPNG_EOI) check(result);
    check(spng_decode_chunks(context_.get()));
  }

  std::vector<std::pair<std::string, std::string>> text() {
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

  [[noreturn]] void fail(std::string_view problem) const {
    throw Error(ExitCode::kInvalidScene, fmt::format("{}: not a sound PNG: {}", path_, problem));
  }

 private:
  std::span<const std::uint8_t> bytes() const {
    const auto bytes = file_.bytes();
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  }

  void check(int result) const {
    if (result == SPNG_EMEM) throw Error(ExitCode::kRuntimeFailure, path_ + ": out of memory");
    if (result != SPNG_OK) fail(spng_strerror(result));
  }

  std::string path_;
  MappedFile file_;
  std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context_;
  spng_ihdr header_{};
  std::size_t decoded_size_ = 0;
};

int channels_of(std::uint8_t color_type) {
  switch (color_type) {
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return 3;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      return 4;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return 2;
    default:
      return 1;
  }
}

template <typename T>
bool parse_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<ImageMetadata> find_metadata(
    const std::vector<std::pair<std::string, std::string>>& text) {
  const auto find = [&](std::string_view keyword) -> const std::string* {
    for (const auto& [key, value] : text) {
      if (key == keyword) return &value;
    }
    return nullptr;
  };
  const std::string* software = find("Software");
  const std::string* fingerprint = find("Fingerprint");
  const std::string* seed = find("Seed");
  const std::string* frame = find("Frame");
  ImageMetadata metadata;
  if (software == nullptr || fingerprint == nullptr || seed == nullptr || frame == nullptr ||
      !parse_number(*seed, metadata.seed) || !parse_number(*frame, metadata.frame)) {
    return std::nullopt;
  }
  metadata.software = *software;
  metadata.fingerprint = *fingerprint;
  return metadata;
}

}  // namespace

PngInfo read_png_info(const std::string& path) {
  PngDecoder decoder(path);
  decoder.check_pixels();
  PngInfo info;
  info.width = static_cast<int>(decoder.header().width);
  info.height = static_cast<int>(decoder.header().height);
  info.bit_depth = decoder.header().bit_depth;
  info.channels = channels_of(decoder.header().color_type);
  info.text = decoder.text();
  info.metadata = find_metadata(info.text);
  return info;
}

Image read_png(const std::string& path) {
  PngDecoder decoder(path);
  const int channels = channels_of(decoder.header().color_type);
  if (decoder.header().bit_depth != 8 || channels < 3) {
    decoder.fail("expected 8-bit RGB or RGBA");
  }
  Image image;
  image.resize(static_cast<int>(decoder.header().width), static_cast<int>(decoder.header().height),
               channels);
  if (image.bytes.size() != decoder.decoded_size()) decoder.fail("unexpected pixel format");
  decoder.decode(image.bytes.span());
  return image;
}

}  // namespace roundel
