#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/image/files.h"
#include "renderer/image/pfm.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

static_assert(std::endian::native == std::endian::little,
              "PFM files are written as memory has them");

[[noreturn]] void fail(const std::string& path, std::string_view problem) {
  throw Error(ExitCode::kInvalidScene, fmt::format("{}: not a valid PFM file: {}", path, problem));
}

/// Takes a token and the white space after it from the front of `rest`.
std::string_view next_token(const std::string& path, std::string_view& rest) {
  constexpr std::size_t kMaxTokenBytes = kMaxPfmHeaderBytes / 4;
  const std::size_t end = rest.substr(0, kMaxTokenBytes).find_first_of(" \t\r\n");
  if (end == std::string_view::npos || end == 0) fail(path, "the header is malformed");
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return token;
}

template <typename T>
T parse_header_number(const std::string& path, std::string_view token, std::string_view what) {
  const std::optional<T> value = to_number<T>(token);
  if (!value) fail(path, fmt::format("the {} is not a number", what));
  return *value;
}

float swap_bytes(float value) {
  return std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
}

}  // namespace

std::vector<std::uint8_t> encode_pfm(const Framebuffer& framebuffer, RowDiscarder* discarder) {
  const std::string header =
      fmt::format("PF\n{} {}\n-1.0\n", framebuffer.width, framebuffer.height);
  constexpr std::size_t kPixelBytes = 3 * sizeof(float);
  std::vector<std::uint8_t> file(header.begin(), header.end());
  file.reserve(header.size() + framebuffer.pixels.size() * kPixelBytes);  // untouched so far
  const Pixel* in = framebuffer.pixels.data();
  for (int row = 0; row < framebuffer.height; ++row) {
    const std::size_t begin = file.size();
    file.resize(begin + static_cast<std::size_t>(framebuffer.width) * kPixelBytes);
    for (std::size_t at = begin; at < file.size(); at += kPixelBytes, ++in) {
      const float rgb[3] = {in->red, in->green, in->blue};
      std::memcpy(file.data() + at, rgb, kPixelBytes);
    }
    if (discarder != nullptr) discarder->row_done(row);
  }
  return file;
}

void PfmHeader::to_native(std::span<float> floats) const {
  if (!is_big_endian) return;
  for (float& value : floats) value = swap_bytes(value);
}

PfmHeader parse_pfm_header(const std::string& path, std::span<const std::byte> start,
                           std::uint64_t file_size) {
  std::string_view rest(reinterpret_cast<const char*>(start.data()), start.size());
  PfmHeader header;
  const std::string_view type = next_token(path, rest);
  if (type != "PF" && type != "Pf") fail(path, "it does not start with PF or Pf");
  header.channels = type == "PF" ? 3 : 1;
  header.width = parse_header_number<int>(path, next_token(path, rest), "width");
  header.height = parse_header_number<int>(path, next_token(path, rest), "height");
  const float scale = parse_header_number<float>(path, next_token(path, rest), "scale");
  if (header.width < 1 || header.height < 1 || header.width > kMaxImageSide ||
      header.height > kMaxImageSide) {
    fail(path, fmt::format("a size of {}x{} is out of range", header.width, header.height));
  }
  // The sign is the byte order; another magnitude would scale the values.
  if (std::abs(scale) != 1.0f) fail(path, "the scale is neither -1 nor 1");
  header.is_big_endian = scale > 0;
  header.data_offset = start.size() - rest.size();
  const std::uint64_t got = file_size - header.data_offset;
  const std::uint64_t expected =
      header.row_offset(static_cast<std::size_t>(header.height)) - header.data_offset;
  if (got != expected) fail(path, fmt::format("{} bytes of pixels, expected {}", got, expected));
  return header;
}

Framebuffer read_pfm(const std::string& path) {
  const InputFile file(path);
  const std::string start = file.read(kMaxPfmHeaderBytes);
  const PfmHeader header = parse_pfm_header(path, std::as_bytes(std::span(start)), file.size());
  if (header.channels != 3) fail(path, "it has one channel, expected three");
  Framebuffer framebuffer;
  framebuffer.resize(header.width, header.height);
  std::vector<float> row(header.row_floats());
  Pixel* out = framebuffer.pixels.data();
  for (std::size_t y = 0; y < static_cast<std::size_t>(header.height); ++y) {
    file.read_at(header.row_offset(y), std::as_writable_bytes(std::span(row)));
    header.to_native(row);
    for (const float* in = row.data(); in != row.data() + row.size(); in += 3)
      *out++ = {in[0], in[1], in[2], 1.0f};
  }
  file.check_unchanged();
  return framebuffer;
}

}  // namespace roundel
