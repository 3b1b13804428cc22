#include "renderer/image/bit_difference.h"

#include <bit>
#include <limits>

#include "tests/describe_difference.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

Framebuffer copy_of(const Framebuffer& from) {
  return {from.width, from.height, clone_of(from.pixels)};
}

class CompareFramebuffers : public testing::Test {
 protected:
  const Framebuffer a_ = discs(40, 30, 20, 3);
  Framebuffer b_ = copy_of(a_);
  Pixel& pixel(int x, int y) { return b_.pixels[static_cast<std::size_t>(y * 40 + x)]; }
};

TEST_F(CompareFramebuffers, EqualFramebuffersAreTheSame) {
  EXPECT_TRUE(compare(a_, b_).same());
  EXPECT_EQ(describe(compare(a_, b_)), "pixels are the same");
}

TEST_F(CompareFramebuffers, FindsOneWrongPixel) {
  pixel(17, 5).green += 0.25f;
  const Difference difference = compare(a_, b_);
  EXPECT_FALSE(difference.same());
  EXPECT_EQ(difference.pixels, 1U);
  EXPECT_EQ(difference.x, 17);
  EXPECT_EQ(difference.y, 5);
  EXPECT_EQ(difference.channel, 1);
  EXPECT_NEAR(difference.largest, 0.25, 1e-6);
  EXPECT_EQ(describe(difference),
            "1 pixel differs, the first at (17, 5) in green; largest difference 0.25");
}

TEST_F(CompareFramebuffers, FindsADifferenceOfOneUlp) {
  pixel(39, 29).blue = std::nextafter(pixel(39, 29).blue, 2.0f);
  const Difference difference = compare(a_, b_);
  EXPECT_EQ(difference.pixels, 1U);
  EXPECT_EQ(difference.x, 39);
  EXPECT_EQ(difference.y, 29);
  EXPECT_GT(difference.largest, 0);
}

TEST_F(CompareFramebuffers, FindsWrongAlpha) {
  pixel(0, 0).alpha = 0.5f;
  const Difference difference = compare(a_, b_);
  EXPECT_EQ(difference.pixels, 1U);
  EXPECT_EQ(difference.channel, 3);
  EXPECT_EQ(difference.largest, 0.5);
}

TEST_F(CompareFramebuffers, NanIsAnInfiniteDifference) {
  pixel(3, 4).red = std::numeric_limits<float>::quiet_NaN();
  const Difference difference = compare(a_, b_);
  EXPECT_EQ(difference.pixels, 1U);
  EXPECT_EQ(difference.x, 3);
  EXPECT_EQ(difference.y, 4);
  EXPECT_EQ(difference.largest, std::numeric_limits<double>::infinity());
}

TEST_F(CompareFramebuffers, NanEqualsNanOnly) {
  Framebuffer with_nan = copy_of(a_);
  with_nan.pixels[7].red = std::bit_cast<float>(0x7fc00001U);
  pixel(7, 0).red = std::bit_cast<float>(0x7fc00001U);
  EXPECT_TRUE(compare(with_nan, b_).same());
  pixel(7, 0).red = std::bit_cast<float>(0x7fc00002U);
  EXPECT_EQ(compare(with_nan, b_).pixels, 1U);
}

TEST_F(CompareFramebuffers, MinusZeroDiffersFromZero) {
  pixel(1, 1).red = 0.0f;
  Framebuffer other = copy_of(b_);
  pixel(1, 1).red = -0.0f;
  EXPECT_EQ(compare(other, b_).pixels, 1U);
  EXPECT_EQ(compare(other, b_).largest, 0);
}

TEST_F(CompareFramebuffers, CountsDifferencesAndReportsTheFirstAndLargest) {
  pixel(30, 2).red += 0.125f;
  pixel(2, 3).red += 0.5f;
  pixel(2, 3).blue += 0.25f;
  const Difference difference = compare(a_, b_);
  EXPECT_EQ(difference.pixels, 2U);
  EXPECT_EQ(difference.x, 30);
  EXPECT_EQ(difference.y, 2);
  EXPECT_NEAR(difference.largest, 0.5, 1e-6);
}

TEST_F(CompareFramebuffers, DifferentSizeIsADifference) {
  EXPECT_TRUE(compare(a_, discs(30, 40, 20, 3)).size);
  EXPECT_FALSE(compare(a_, discs(30, 40, 20, 3)).same());
  EXPECT_EQ(describe(compare(a_, discs(40, 29, 20, 3))), "sizes or channels differ");
}

TEST(CompareImages, FindsWrongPixelAlphaAndSize) {
  const Framebuffer framebuffer = discs(40, 30, 20, 3, 0.5f);
  const Image a = to_image(framebuffer, true);
  Image b = to_image(framebuffer, true);
  EXPECT_TRUE(compare(a, b).same());

  const std::size_t at = (5 * 40 + 17) * 4;
  const std::uint8_t before = b.bytes[at + 2];
  b.bytes[at + 2] = static_cast<std::uint8_t>(before ^ 64);
  Difference difference = compare(a, b);
  EXPECT_EQ(difference.pixels, 1U);
  EXPECT_EQ(difference.x, 17);
  EXPECT_EQ(difference.y, 5);
  EXPECT_EQ(difference.channel, 2);
  EXPECT_EQ(difference.largest, 64);

  b.bytes[at + 2] = before;
  b.bytes[at + 3] -= 1;
  difference = compare(a, b);
  EXPECT_EQ(difference.pixels, 1U);
  EXPECT_EQ(difference.channel, 3);
  EXPECT_EQ(difference.largest, 1);

  EXPECT_TRUE(compare(a, to_image(framebuffer, false)).size);
  EXPECT_TRUE(compare(a, to_image(discs(40, 31, 1, 1), true)).size);
}

}  // namespace
}  // namespace roundel
