#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/image/files.h"
#include "renderer/image/pfm.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

static_assert(std::endian::native == std::endian::little,
              "PFM files are written as memory has them");

[[noreturn]] void fail(const std::string& path, std::string_view problem) {
  throw Error(ExitCode::kInvalidScene, fmt::format("{}: not a sound PFM file: {}", path, problem));
}

/// Takes the text up to the next white space, and that one character, from the front of `rest`.
std::string_view next_token(const std::string& path, std::string_view& rest) {
  constexpr std::size_t kLongestToken = 32;
  const std::size_t end = rest.substr(0, kLongestToken).find_first_of(" \t\r\n");
  if (end == std::string_view::npos || end == 0) fail(path, "the header is malformed");
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return token;
}

template <typename T>
T parse_number(const std::string& path, std::string_view token, std::string_view what) {
  T value{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) {
    fail(path, fmt::format("the {} is not a number", what));
  }
  return value;
}

float swap_bytes(float value) {
  return std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
}

}  // namespace

namespace {

/// Calls row_done(row) behind each row, from the bottom.
template <typename RowDone>
std::vector<std::uint8_t> pfm_file(const Framebuffer& framebuffer, const RowDone& row_done) {
  const std::string header =
      fmt::format("PF\n{} {}\n-1.0\n", framebuffer.width, framebuffer.height);
  constexpr std::size_t kPixelBytes = 3 * sizeof(float);
  std::vector<std::uint8_t> file(header.begin(), header.end());
  file.reserve(header.size() + framebuffer.pixels.size() * kPixelBytes);  // not touched yet
  const Pixel* in = framebuffer.pixels.data();
  for (int row = 0; row < framebuffer.height; ++row) {
    const std::size_t begin = file.size();
    file.resize(begin + static_cast<std::size_t>(framebuffer.width) * kPixelBytes);
    for (std::size_t at = begin; at < file.size(); at += kPixelBytes, ++in) {
      const float rgb[3] = {in->red, in->green, in->blue};
      std::memcpy(file.data() + at, rgb, kPixelBytes);
    }
    row_done(row);
  }
  return file;
}

}  // namespace

std::vector<std::uint8_t> encode_pfm(const Framebuffer& framebuffer) {
  return pfm_file(framebuffer, [](int /*row*/) {});
}

std::vector<std::uint8_t> encode_pfm(Framebuffer&& framebuffer) {
  Framebuffer own = std::move(framebuffer);
  RowDiscarder discarder(own);
  return pfm_file(own, [&discarder](int row) { discarder.row_done(row); });
}

void PfmPixels::copy_row(std::size_t row, float* out) const {
  const std::size_t floats = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  std::memcpy(out, data + row * floats * sizeof(float), floats * sizeof(float));
  if (!is_big_endian) return;
  for (std::size_t i = 0; i < floats; ++i) out[i] = swap_bytes(out[i]);
}

PfmPixels parse_pfm(const std::string& path, std::span<const std::byte> file) {
  std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
  PfmPixels pixels;
  const std::string_view type = next_token(path, rest);
  if (type != "PF" && type != "Pf") fail(path, "it does not start with PF or Pf");
  pixels.channels = type == "PF" ? 3 : 1;
  pixels.width = parse_number<int>(path, next_token(path, rest), "width");
  pixels.height = parse_number<int>(path, next_token(path, rest), "height");
  const float scale = parse_number<float>(path, next_token(path, rest), "scale");
  if (pixels.width < 1 || pixels.height < 1 || pixels.width > kMaxImageSide ||
      pixels.height > kMaxImageSide) {
    fail(path, fmt::format("a size of {}x{} is out of range", pixels.width, pixels.height));
  }
  // The sign is the byte order; another magnitude would ask for other values than the file has.
  if (std::abs(scale) != 1.0f) fail(path, "the scale is neither -1 nor 1");
  const std::size_t expected = static_cast<std::size_t>(pixels.width) *
                               static_cast<std::size_t>(pixels.height) *
                               static_cast<std::size_t>(pixels.channels) * sizeof(float);
  if (rest.size() != expected) {
    fail(path, fmt::format("{} bytes of pixels, expected {}", rest.size(), expected));
  }
  pixels.is_big_endian = scale > 0;
  pixels.data = reinterpret_cast<const std::byte*>(rest.data());
  return pixels;
}

Framebuffer read_pfm(const std::string& path) {
  const MappedFile file(path);
  const PfmPixels pixels = parse_pfm(path, file.bytes());
  if (pixels.channels != 3) fail(path, "it has one channel, expected three");
  Framebuffer framebuffer;
  framebuffer.resize(pixels.width, pixels.height);
  std::vector<float> row(static_cast<std::size_t>(pixels.width) * 3);
  Pixel* out = framebuffer.pixels.data();
  for (std::size_t y = 0; y < static_cast<std::size_t>(pixels.height); ++y) {
    pixels.copy_row(y, row.data());
    for (const float* in = row.data(); in != row.data() + row.size(); in += 3)
      *out++ = {in[0], in[1], in[2], 1.0f};
  }
  return framebuffer;
}

}  // namespace roundel
