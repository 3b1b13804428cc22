#include "renderer/image/y4m.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

namespace roundel {
namespace {

/// ITU-R BT.709, limited range, of samples 0..top in n bits, with u = 2^(n − 8):
/// Y = u·(16 + 219·Y'), Y' = (0.2126 R + 0.7152 G + 0.0722 B)/top,
/// Cb = u·(128 + 224·(B/top − Y')/1.8556), Cr = u·(128 + 224·(R/top − Y')/1.5748).
/// Coefficients are integers over 2^shift; each chroma row sums to 0, so that greys have no chroma.
struct Bt709 {
  int shift;
  std::int64_t unit;
  std::int64_t y[3], cb[3], cr[3];
};
constexpr Bt709 kOf8Bits = {
    20, 1, {191455, 644068, 65019}, {-105533, -355018, 460551}, {460551, -418321, -42230}};
// To 10 bits, from 16.
constexpr Bt709 kOf16Bits = {32,
                             4,
                             {12205454, 41059927, 4145032},
                             {-6727806, -22632770, 29360576},
                             {29360576, -26668382, -2692194}};

/// u·offset + k·rgb/(n·2^shift), rounded; n pixels are summed in rgb.
unsigned component(const Bt709& law, const std::int64_t (&k)[3], const std::int64_t (&rgb)[3],
                   std::int64_t n, std::int64_t offset) {
  const std::int64_t sum = k[0] * rgb[0] + k[1] * rgb[1] + k[2] * rgb[2];
  const std::int64_t one = n << law.shift;
  return static_cast<unsigned>((sum + law.unit * offset * one + one / 2) / one);
}

/// 8-bit samples, or words.
template <bool kIsDeep>
std::vector<std::uint8_t> encode(const Image& image, bool is_halved) {
  constexpr std::string_view kStart = "FRAME\n";
  constexpr const Bt709& kLaw = kIsDeep ? kOf16Bits : kOf8Bits;
  constexpr std::size_t kBytes = kIsDeep ? 2 : 1;
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  const std::size_t step = is_halved ? 2 : 1;
  const std::size_t chroma_size = ((width + step - 1) / step) * ((height + step - 1) / step);
  std::vector<std::uint8_t> frame(kStart.size() + (width * height + 2 * chroma_size) * kBytes);
  std::copy(kStart.begin(), kStart.end(), frame.begin());

  const auto add = [&](std::size_t x, std::size_t y, std::int64_t(&sum)[3]) {
    const std::uint8_t* const p =
        image.bytes.data() + y * image.row_bytes() + x * image.pixel_bytes();
    for (std::size_t c = 0; c < 3; ++c) sum[c] += kIsDeep ? p[2 * c] << 8 | p[2 * c + 1] : p[c];
  };
  const auto put = [](std::uint8_t*& out, unsigned level) {
    *out++ = static_cast<std::uint8_t>(level);
    if (kIsDeep) *out++ = static_cast<std::uint8_t>(level >> 8);
  };
  std::uint8_t* luma = frame.data() + kStart.size();
  std::uint8_t* cb = luma + width * height * kBytes;
  std::uint8_t* cr = cb + chroma_size * kBytes;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::int64_t rgb[3] = {0, 0, 0};
      add(x, y, rgb);
      put(luma, component(kLaw, kLaw.y, rgb, 1, 16));
    }
  }
  for (std::size_t y = 0; y < height; y += step) {
    for (std::size_t x = 0; x < width; x += step) {
      std::int64_t sum[3] = {0, 0, 0};
      const std::size_t rows = std::min(step, height - y), columns = std::min(step, width - x);
      for (std::size_t j = 0; j < rows; ++j)
        for (std::size_t i = 0; i < columns; ++i) add(x + i, y + j, sum);
      const auto n = static_cast<std::int64_t>(rows * columns);
      put(cb, component(kLaw, kLaw.cb, sum, n, 128));
      put(cr, component(kLaw, kLaw.cr, sum, n, 128));
    }
  }
  return frame;
}

using Fraction = std::pair<std::int64_t, std::int64_t>;

/// Returns the fraction with the smallest numbers that equals `value` in binary64. If these exceed
/// `most`, the last convergent of the continued fraction below that. 0 < `value` ≤ `most`.
Fraction fraction_of(double value, std::int64_t most) {
  Fraction last{0, 1}, before{1, 0}, next{0, 1};
  for (double rest = value;; rest = 1 / (rest - std::floor(rest))) {
    const double limit = static_cast<double>(most);
    const double whole = std::floor(rest);
    if (!(whole * static_cast<double>(before.first) + static_cast<double>(last.first) <= limit &&
          whole * static_cast<double>(before.second) + static_cast<double>(last.second) <= limit))
      break;
    const auto times = static_cast<std::int64_t>(whole);
    next = {times * before.first + last.first, times * before.second + last.second};
    last = std::exchange(before, next);
    if (static_cast<double>(next.first) / static_cast<double>(next.second) == value) break;
  }
  return next.first > 0 ? next : Fraction{1, most};
}

/// NTSC's rates as people round them, which mean 24000/1001, 30000/1001 and so on.
Fraction rate_of(double fps) {
  constexpr std::pair<double, std::int64_t> kRounded[] = {
      {23.976, 24}, {29.97, 30}, {59.94, 60}, {119.88, 120}};
  for (const auto& [rounded, whole] : kRounded)
    if (fps == rounded) return {whole * 1000, 1001};
  return fraction_of(fps, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

FrameRate frame_rate(double fps, std::int64_t step) {
  const auto [numerator, frames] = rate_of(fps);
  const std::int64_t denominator = frames * step;
  const std::int64_t divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

std::string y4m_header(int width, int height, FrameRate rate, YuvFormat format) {
  return fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 {} XCOLORRANGE=LIMITED\n", width, height,
                     rate.frames, rate.seconds,
                     format == YuvFormat::k420   ? "C420jpeg"
                     : format == YuvFormat::k444 ? "C444"
                                                 : "C420p10");
}

std::vector<std::uint8_t> encode_y4m_frame(const Image& image, YuvFormat format) {
  if (format == YuvFormat::k420p10) return encode<true>(image, true);
  return encode<false>(image, format == YuvFormat::k420);
}

}  // namespace roundel
