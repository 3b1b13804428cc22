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
  EXPECT_EQ(y4m_header(640, 480, 60),
            "YUV4MPEG2 W640 H480 F60:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n");
  EXPECT_NE(y4m_header(1, 1, 29.97).find(" F2997:100 "), std::string::npos);
  EXPECT_NE(y4m_header(1, 1, 0.5).find(" F1:2 "), std::string::npos);
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

TEST(Y4m, ColoursAreThoseOfBt709) {
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
  image.bytes[2] = 255;  // one blue pixel
  const auto frame = encode_y4m_frame(image);
  EXPECT_EQ(frame[kStart + 4], std::lround(128 + 224 * 0.25 * (1 - .0722) / 1.8556));
}

TEST(Y4m, OddEdgesHaveTheirOwnChroma) {
  Image image = image_of(3, 1, {0, 0, 0});
  image.bytes[8] = 255;  // the last pixel is blue
  const auto frame = encode_y4m_frame(image);
  ASSERT_EQ(frame.size(), kStart + 3 + 2 + 2);
  EXPECT_EQ(frame[kStart + 3], 128);
  EXPECT_EQ(frame[kStart + 4], 240);
}

}  // namespace
}  // namespace roundel
