#include "renderer/image/png_chunks.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"
#include "renderer/image/color_space.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::uint32_t kMaxPngWord = 0x7fffffff;  ///< largest number of the format

constexpr std::uint32_t chunk_type(std::string_view name) {
  std::uint32_t type = 0;
  for (const char c : name) type = type << 8 | static_cast<std::uint8_t>(c);
  return type;
}
constexpr std::uint32_t kIhdr = chunk_type("IHDR"), kPlte = chunk_type("PLTE"),
                        kIdat = chunk_type("IDAT"), kIend = chunk_type("IEND"),
                        kTrns = chunk_type("tRNS"), kBkgd = chunk_type("bKGD"),
                        kCicp = chunk_type("cICP"), kIccp = chunk_type("iCCP"),
                        kSrgb = chunk_type("sRGB"), kGama = chunk_type("gAMA"),
                        kChrm = chunk_type("cHRM"), kExif = chunk_type("eXIf"),
                        kText = chunk_type("tEXt"), kZtxt = chunk_type("zTXt"),
                        kItxt = chunk_type("iTXt"), kActl = chunk_type("acTL"),
                        kFdat = chunk_type("fdAT");

bool is_critical(std::uint32_t type) {
  return (type & 0x20000000) == 0;  // the first letter is a capital
}

std::uint32_t word_at(PngChunks::Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | std::uint32_t{bytes[at + 3]};
}

std::string_view as_text(PngChunks::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Takes text up to a zero byte. Nothing without one.
std::optional<std::string_view> take_string(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return text;
}

/// Or a profile's name. Nothing if it is not valid.
std::optional<std::string_view> take_keyword(std::string_view& rest) {
  constexpr std::size_t kMaxKeyword = 79;
  const auto keyword = take_string(rest);
  const auto is_printed = [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return (byte >= 32 && byte <= 126) || byte >= 161;
  };
  if (!keyword || keyword->empty() || keyword->size() > kMaxKeyword || keyword->front() == ' ' ||
      keyword->back() == ' ' || keyword->find("  ") != std::string_view::npos ||
      !std::all_of(keyword->begin(), keyword->end(), is_printed))
    return std::nullopt;
  return keyword;
}

}  // namespace

void fail_png(const std::string& path, std::string_view problem) {
  throw Error(ExitCode::kInvalidScene, fmt::format("{}: not a valid PNG: {}", path, problem));
}

int PngHeader::channels() const {
  if (color == PngColor::kIndexed) return 1;
  return (is_grey() ? 1 : 3) + (has_alpha() ? 1 : 0);
}

PngChunks::PngChunks(std::string path, Bytes file) : path_(std::move(path)) {
  if (!as_text(file).starts_with(kPngSignature)) fail("it does not start with the PNG signature");
  constexpr std::size_t kFrame = 12;  // length, type, checksum
  for (Bytes rest = file.subspan(kPngSignature.size()); rest.size() >= kFrame;) {
    const std::size_t size = word_at(rest, 0);
    const std::uint32_t type = word_at(rest, 4);
    if (size > rest.size() - kFrame || size > kMaxPngWord) fail("it is cut off");
    if (word_at(rest, 8 + size) != libdeflate_crc32(0, &rest[4], size + 4))
      fail("a checksum is wrong");
    read_chunk(type, rest.subspan(8, size));
    rest = rest.subspan(kFrame + size);
    if (type == kIend) {
      if (!rest.empty()) fail("there are bytes after its end");
      return;
    }
    previous_type_ = type;
  }
  fail("it is cut off");
}

void PngChunks::read_chunk(std::uint32_t type, Bytes content) {
  if ((type == kIhdr) != (previous_type_ == 0)) fail("its header is not its first chunk");
  const bool is_before_pixels = pixels_.empty();
  const bool is_before_palette = is_before_pixels && palette_.empty();
  switch (type) {
    case kIhdr:
      return read_header(content);
    case kPlte:
      return read_palette(content);
    case kIdat:
      if (!is_before_pixels && previous_type_ != kIdat) fail("its IDAT chunks are not together");
      if (header_.color == PngColor::kIndexed && palette_.empty()) fail("its palette is missing");
      pixels_.push_back(content);
      return;
    case kIend:
      if (is_before_pixels) fail("it has no pixels");
      if (!content.empty()) fail("its last chunk is not empty");
      return;
    case kTrns:
      if (is_before_pixels) read_transparency(content);
      return;
    case kBkgd:
      forbids_palette_ |= is_before_pixels && header_.color != PngColor::kIndexed &&
                          content.size() == (header_.is_grey() ? 2U : 6U);
      return;
    case kCicp:
      if (is_before_pixels) code_points_ = content;
      return;
    case kIccp:
      if (!has_profile_) read_profile(content);
      return;
    case kSrgb:
      is_srgb_ |= is_before_palette && content.size() == 1 && content[0] <= 3;
      return;
    case kGama:
      if (is_before_palette && gamma_ == 0 && content.size() == 4 &&
          word_at(content, 0) <= kMaxPngWord)
        gamma_ = word_at(content, 0);
      return;
    case kChrm: {
      std::array<double, 8> primaries{};
      if (!is_before_palette || primaries_ || content.size() != 4 * primaries.size()) return;
      for (std::size_t k = 0; k < primaries.size(); ++k) {
        const std::uint32_t value = word_at(content, 4 * k);
        if (value > kMaxPngWord) return;
        primaries[k] = value / 100000.0;
      }
      primaries_ = primaries;
      return;
    }
    case kExif:
      orientation_ = exif_orientation(content);
      return;
    case kText:
    case kZtxt:
    case kItxt:
      return read_text(type, content);
    case kActl:
      is_animated_ |= content.size() >= 4 && word_at(content, 0) > 1;
      return;
    case kFdat:
      is_animated_ = true;
      return;
    default:
      if (is_critical(type)) fail("it has an unknown critical chunk");
  }
}

void PngChunks::read_header(Bytes content) {
  if (content.size() != 13) fail("its header is not 13 bytes long");
  header_.width = word_at(content, 0);
  header_.height = word_at(content, 4);
  header_.bit_depth = content[8];
  header_.color = static_cast<PngColor>(content[9]);
  const auto has_depth = [this](std::string_view depths) {
    return depths.find(static_cast<char>(header_.bit_depth)) != std::string_view::npos;
  };
  const auto is_kind = [&] {
    switch (header_.color) {
      case PngColor::kGrey:
        return has_depth("\x1\x2\x4\x8\x10");
      case PngColor::kIndexed:
        return has_depth("\x1\x2\x4\x8");
      case PngColor::kRgb:
      case PngColor::kGreyAlpha:
      case PngColor::kRgba:
        return has_depth("\x8\x10");
    }
    return false;
  };
  const auto is_side = [](std::uint32_t side) { return side > 0 && side <= kMaxPngWord; };
  if (!is_kind() || !is_side(header_.width) || !is_side(header_.height) || content[10] != 0 ||
      content[11] != 0 || content[12] > 1)
    fail(fmt::format(
        "its header is damaged: {}x{} pixels, {} bits, colour type {}, compression {}, filter {}, "
        "interlace {}",
        header_.width, header_.height, content[8], content[9], content[10], content[11],
        content[12]));
  header_.is_interlaced = content[12] == 1;
  if (std::max(header_.width, header_.height) > kMaxImageSide)
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: is not supported: a side of more than {} pixels", path_, kMaxImageSide));
}

void PngChunks::read_palette(Bytes content) {
  const std::size_t limit =
      header_.color == PngColor::kIndexed ? std::size_t{1} << header_.bit_depth : 256;
  if (content.empty() || content.size() % 3 != 0 || content.size() / 3 > limit || forbids_palette_)
    fail("its palette is damaged or out of place");
  if (pixels_.empty()) palette_ = content;
}

void PngChunks::read_transparency(Bytes content) {
  const bool is_indexed = header_.color == PngColor::kIndexed;
  const bool is_sound = is_indexed ? content.size() <= palette_.size() / 3
                                   : content.size() == (header_.is_grey() ? 2U : 6U);
  if (!is_sound || header_.has_alpha() || !transparency_.empty()) return;
  transparency_ = content;
  forbids_palette_ |= !content.empty();
}

void PngChunks::read_profile(Bytes content) {
  has_profile_ = true;
  constexpr std::size_t kMaxProfile = std::size_t{1} << 20;
  std::string_view rest = as_text(content);
  std::string profile;
  if (pixels_.empty() && palette_.empty() && take_keyword(rest) && rest.starts_with('\0'))
    profile = unpacked(rest.substr(1), kMaxProfile);
  if (profile.empty()) fail("its ICC profile is damaged or out of place");
  profile_ = profile_text({reinterpret_cast<const std::uint8_t*>(profile.data()), profile.size()});
}

void PngChunks::read_text(std::uint32_t type, Bytes content) {
  constexpr std::size_t kMaxTexts = 1000, kMaxTextBytes = std::size_t{8} << 20;
  if (++text_chunks_ > kMaxTexts) fail(fmt::format("it has more than {} texts", kMaxTexts));
  std::string_view rest = as_text(content);
  const auto keyword = take_keyword(rest);
  if (!keyword) return;
  bool is_packed = type == kZtxt;
  if (type == kItxt) {
    if (rest.size() < 2 || rest[0] < 0 || rest[0] > 1) return;
    is_packed = rest[0] == 1;
    rest.remove_prefix(1);
  }
  if (type != kText) {  // the compression's method
    if (!rest.starts_with('\0')) return;
    rest.remove_prefix(1);
  }
  // An international text's language, and the keyword in it.
  if (type == kItxt && (!take_string(rest) || !take_string(rest))) return;
  std::string unpacked_text;
  if (is_packed) {
    constexpr std::size_t kMaxText = std::size_t{512} << 10;
    unpacked_text = unpacked(rest, kMaxText);
    if (unpacked_text.empty()) return;
    rest = unpacked_text;
  }
  const std::string_view value = rest.substr(0, rest.find('\0'));
  text_bytes_ += keyword->size() + rest.size();
  if (text_bytes_ > kMaxTextBytes) fail("its texts take more than 8 MiB");
  text_.emplace_back(*keyword, value);
}

/// Nothing if the stream is damaged. Fails above `limit` bytes.
std::string PngChunks::unpacked(std::string_view packed, std::size_t limit) const {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  Buffer<char> out(limit);
  std::size_t size = 0;
  const libdeflate_result result = libdeflate_zlib_decompress(
      decompressor.get(), packed.data(), packed.size(), out.data(), limit, &size);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
    fail(fmt::format("one of its texts or profiles takes more than {} KiB", limit >> 10));
  return result == LIBDEFLATE_SUCCESS ? std::string(out.data(), size) : std::string();
}

std::string PngChunks::color_space() const {
  if (code_points_.size() == 4) return code_points_text(code_points_.first<4>());
  if (!profile_.empty()) return profile_;
  if (is_srgb_) return "";
  constexpr double kSrgbGamma = 0.45455;  // gAMA of sRGB pictures, for old readers
  const double gamma = gamma_ / 100000.0;
  std::string text;
  if (gamma_ != 0 && std::abs(gamma - kSrgbGamma) >= 0.001)
    text = fmt::format("gamma {:.5g}", gamma);
  if (primaries_) {
    const std::string other = primaries_text(*primaries_);
    text += (text.empty() || other.empty() ? "" : " and ") + other;
  }
  return text;
}

}  // namespace roundel
