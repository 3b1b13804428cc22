#include "renderer/image/y4m.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>

namespace roundel {
namespace {

// ITU-R BT.709, limited range, in 1/2^20: Y = 16 + 219·(0.2126 R + 0.7152 G + 0.0722 B)/255,
// Cb = 128 + 224·(B − Y')/1.8556/255, Cr = 128 + 224·(R − Y')/1.5748/255. Each row of the chroma
// coefficients sums to 0, so that greys have none.
constexpr int kShift = 20;
constexpr std::int64_t kYWeights[3] = {191455, 644068, 65019};
constexpr std::int64_t kCbWeights[3] = {-105533, -355018, 460551};
constexpr std::int64_t kCrWeights[3] = {460551, -418321, -42230};

/// offset + k·rgb/(n·2^20), rounded; n pixels are summed in rgb.
std::uint8_t component(const std::int64_t k[3], const std::int64_t rgb[3], std::int64_t n,
                       std::int64_t offset) {
  const std::int64_t sum = k[0] * rgb[0] + k[1] * rgb[1] + k[2] * rgb[2];
  const std::int64_t one = n << kShift;
  return static_cast<std::uint8_t>((sum + offset * one + one / 2) / one);
}

}  // namespace

std::string y4m_header(int width, int height, double fps) {
  constexpr long long kThousand = 1000;
  const long long numerator = std::max(1LL, std::llround(fps * static_cast<double>(kThousand)));
  const long long divisor = std::gcd(numerator, kThousand);
  return fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n", width,
                     height, numerator / divisor, kThousand / divisor);
}

std::vector<std::uint8_t> encode_y4m_frame(const Image& image) {
  constexpr std::string_view kStart = "FRAME\n";
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t chroma_width = (width + 1) / 2, chroma_height = (height + 1) / 2;
  const std::size_t chroma_size = chroma_width * chroma_height;
  std::vector<std::uint8_t> frame(kStart.size() + width * height + 2 * chroma_size);
  std::copy(kStart.begin(), kStart.end(), frame.begin());

  std::uint8_t* luma = frame.data() + kStart.size();
  const std::uint8_t* pixel = image.bytes.data();
  for (std::size_t i = 0; i < width * height; ++i, pixel += channels) {
    const std::int64_t rgb[3] = {pixel[0], pixel[1], pixel[2]};
    luma[i] = component(kYWeights, rgb, 1, 16);
  }
  std::uint8_t* cb = luma + width * height;
  std::uint8_t* cr = cb + chroma_size;
  for (std::size_t y = 0; y < height; y += 2) {
    for (std::size_t x = 0; x < width; x += 2) {
      std::int64_t sum[3] = {0, 0, 0};
      const std::size_t rows = std::min<std::size_t>(2, height - y);
      const std::size_t columns = std::min<std::size_t>(2, width - x);
      for (std::size_t j = 0; j < rows; ++j) {
        for (std::size_t i = 0; i < columns; ++i) {
          const std::uint8_t* p = image.bytes.data() + ((y + j) * width + x + i) * channels;
          for (int c = 0; c < 3; ++c) sum[c] += p[c];
        }
      }
      const auto n = static_cast<std::int64_t>(rows * columns);
      *cb++ = component(kCbWeights, sum, n, 128);
      *cr++ = component(kCrWeights, sum, n, 128);
    }
  }
  return frame;
}

}  // namespace roundel
