#include "renderer/image/y4m.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

namespace roundel {
namespace {

Image image_of(int width, int height, std::array<std::uint8_t, 3> rgb) {
  Image image;
  image.resize(width, height, 3);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = rgb[i % 3];
  return image;
}

constexpr std::size_t kStart = 6;  // "FRAME\n"

TEST(Y4m, HeaderHasSizeAndRate) {
  EXPECT_EQ(y4m_header(640, 480, frame_rate(60)),
            "YUV4MPEG2 W640 H480 F60:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n");
  EXPECT_NE(y4m_header(1, 1, frame_rate(0.5)).find(" F1:2 "), std::string::npos);
  EXPECT_NE(y4m_header(1, 1, frame_rate(60, 7)).find(" F60:7 "), std::string::npos);
}

/// Returns the F of a header.
std::string rate_in_header(double fps, std::int64_t step = 1) {
  const std::string header = y4m_header(1, 1, frame_rate(fps, step));
  const std::size_t start = header.find(" F") + 2;
  return header.substr(start, header.find(' ', start) - start);
}

TEST(Y4m, RatesAreExactFractions) {
  EXPECT_EQ(rate_in_header(24000.0 / 1001), "24000:1001");
  EXPECT_EQ(rate_in_header(30000.0 / 1001), "30000:1001");
  EXPECT_EQ(rate_in_header(60000.0 / 1001, 2), "30000:1001");
  EXPECT_EQ(rate_in_header(120000.0 / 1001), "120000:1001");
  EXPECT_EQ(rate_in_header(9999991.0 / 9999973), "9999991:9999973");
  EXPECT_EQ(rate_in_header(30000.0 / 1001, 3), "10000:1001");
  // NTSC's rates as people round them.
  EXPECT_EQ(rate_in_header(23.976), "24000:1001");
  EXPECT_EQ(rate_in_header(29.97), "30000:1001");
  EXPECT_EQ(rate_in_header(59.94), "60000:1001");
  EXPECT_EQ(rate_in_header(119.88), "120000:1001");
  // Other rates keep their value.
  EXPECT_EQ(rate_in_header(23.98), "1199:50");
  EXPECT_EQ(rate_in_header(23.97602397602398), "24000:1001");
  EXPECT_EQ(rate_in_header(12.3456), "7716:625");
  EXPECT_EQ(rate_in_header(1000), "1000:1");
  EXPECT_EQ(rate_in_header(0.001), "1:1000");
  EXPECT_EQ(rate_in_header(1e-300), "1:2147483647");
  EXPECT_EQ(rate_in_header(60, 10'000'000), "3:500000");
}

TEST(Y4m, GreysHaveNoChroma) {
  for (int grey = 0; grey < 256; ++grey) {
    const auto g = static_cast<std::uint8_t>(grey);
    const auto frame = encode_y4m_frame(image_of(2, 2, {g, g, g}));
    ASSERT_EQ(frame.size(), kStart + 6);
    EXPECT_EQ(frame[kStart], std::lround(16 + 219 * grey / 255.0)) << grey;
    EXPECT_EQ(frame[kStart + 4], 128) << grey;
    EXPECT_EQ(frame[kStart + 5], 128) << grey;
  }
}

TEST(Y4m, ColoursFollowBt709) {
  for (int red = 0; red < 256; red += 15) {
    for (int green = 0; green < 256; green += 17) {
      for (int blue = 0; blue < 256; blue += 51) {
        const auto frame = encode_y4m_frame(
            image_of(2, 2,
                     {static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                      static_cast<std::uint8_t>(blue)}));
        const double luma = .2126 * red + .7152 * green + .0722 * blue;
        EXPECT_NEAR(frame[kStart], 16 + 219 * luma / 255, 0.501);
        EXPECT_NEAR(frame[kStart + 4], 128 + 224 * (blue - luma) / 1.8556 / 255, 0.501);
        EXPECT_NEAR(frame[kStart + 5], 128 + 224 * (red - luma) / 1.5748 / 255, 0.501);
      }
    }
  }
}

TEST(Y4m, ChromaIsTheMeanOfFourPixels) {
  Image image = image_of(2, 2, {0, 0, 0});
  image.bytes[2] = 255;
  const auto frame = encode_y4m_frame(image);
  EXPECT_EQ(frame[kStart + 4], std::lround(128 + 224 * 0.25 * (1 - .0722) / 1.8556));
}

TEST(Y4m, OddEdgesHaveTheirOwnChroma) {
  Image image = image_of(3, 1, {0, 0, 0});
  image.bytes[8] = 255;
  const auto frame = encode_y4m_frame(image);
  ASSERT_EQ(frame.size(), kStart + 3 + 2 + 2);
  EXPECT_EQ(frame[kStart + 3], 128);
  EXPECT_EQ(frame[kStart + 4], 240);
}

TEST(Y4m, FullChromaKeepsEachPixel) {
  Image image = image_of(3, 2, {10, 200, 90});
  image.bytes[3] = 250;
  const auto frame = encode_y4m_frame(image, YuvFormat::k444);
  ASSERT_EQ(frame.size(), kStart + 3 * 6);
  for (std::size_t p = 0; p < 6; ++p) {
    const double red = image.bytes[3 * p], green = 200, blue = 90;
    const double luma = .2126 * red + .7152 * green + .0722 * blue;
    EXPECT_NEAR(frame[kStart + p], 16 + 219 * luma / 255, 0.501);
    EXPECT_NEAR(frame[kStart + 6 + p], 128 + 224 * (blue - luma) / 1.8556 / 255, 0.501);
    EXPECT_NEAR(frame[kStart + 12 + p], 128 + 224 * (red - luma) / 1.5748 / 255, 0.501);
  }
  EXPECT_NE(y4m_header(3, 2, frame_rate(60), YuvFormat::k444).find(" C444 "), std::string::npos);
}

TEST(Y4m, TenBitsFollowBt709) {
  EXPECT_NE(y4m_header(3, 2, frame_rate(60), YuvFormat::k420p10).find(" C420p10 "),
            std::string::npos);
  for (unsigned k = 0; k < 3000; ++k) {
    const unsigned words[3] = {k * 40503 % 65536, k < 1000 ? k * 40503 % 65536 : k * 7919 % 65536,
                               k < 1000 ? k * 40503 % 65536 : k * 104729 % 65536};
    Image image;
    image.resize(1, 1, 3, 16);
    for (std::size_t c = 0; c < 3; ++c) {
      image.bytes[2 * c] = static_cast<std::uint8_t>(words[c] >> 8);
      image.bytes[2 * c + 1] = static_cast<std::uint8_t>(words[c]);
    }
    const auto frame = encode_y4m_frame(image, YuvFormat::k420p10);
    ASSERT_EQ(frame.size(), kStart + 6);
    const auto level = [&](std::size_t i) {
      return frame[kStart + 2 * i] + 256 * frame[kStart + 2 * i + 1];
    };
    const double red = words[0] / 65535.0, green = words[1] / 65535.0, blue = words[2] / 65535.0;
    const double luma = .2126 * red + .7152 * green + .0722 * blue;
    ASSERT_NEAR(level(0), 64 + 876 * luma, 0.501);
    ASSERT_NEAR(level(1), 512 + 896 * (blue - luma) / 1.8556, 0.501);
    ASSERT_NEAR(level(2), 512 + 896 * (red - luma) / 1.5748, 0.501);
    if (k < 1000) {
      ASSERT_EQ(level(1), 512);
      ASSERT_EQ(level(2), 512);
    }
  }
}

}  // namespace
}  // namespace roundel
