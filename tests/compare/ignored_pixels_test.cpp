#include "renderer/compare/ignored_pixels.h"

#include "renderer/compare/difference_image.h"
#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

/// Returns a picture that differs from `picture` at this pixel.
Picture changed_at(const Picture& picture, int x, int y) {
  Picture changed = copy_of(picture);
  std::uint8_t& sample = changed.bytes[sample_at(changed, x, y, 0)];
  sample = static_cast<std::uint8_t>(sample ^ 0x80);
  return changed;
}

TEST(IgnoredPixels, BoxesApplyToAllMeasures) {
  const Picture a = random_picture(100, 40, 4, 1);
  const Picture b = changed_at(changed_at(a, 70, 5), 3, 39);
  const Tolerance tolerance{.ignore = {{64, 0, 20, 6}, {60, 4, 10, 4}}};
  const PictureDifference difference = compare_pictures(a, b, tolerance, {.flip = true});
  const PictureDifference other = compare_pictures(a, changed_at(a, 3, 39), {}, {.flip = true});
  EXPECT_EQ(difference.ignored, 20u * 6 + 10 * 4 - 2 * 6);
  EXPECT_EQ(difference.ignored_different, 1u);
  EXPECT_EQ(difference.pixels, 1u);
  EXPECT_EQ(difference.rmse, other.rmse);
  EXPECT_EQ(difference.flip->mean, other.flip->mean);
  EXPECT_EQ(difference.box.x, 3);
  EXPECT_FALSE(apply_tolerance(difference, tolerance).same);

  const PictureDifference rest = compare_pictures(a, changed_at(a, 70, 5), tolerance, {});
  EXPECT_TRUE(apply_tolerance(rest, tolerance).same);
  EXPECT_EQ(rest.kind, PictureDifference::Kind::kDifferent);
  EXPECT_EQ(rest.pixels, 0u);
  EXPECT_EQ(compare_pictures(a, a, tolerance, {}).kind, PictureDifference::Kind::kEqualPixels);
}

TEST(IgnoredPixels, MayExtendBeyondThePicture) {
  const Picture a = random_picture(10, 10, 3, 1);
  const Tolerance tolerance{.ignore = {{8, 8, 65536, 65536}, {500, 500, 1, 1}}};
  EXPECT_EQ(compare_pictures(a, changed_at(a, 9, 9), tolerance, {}).ignored, 4u);
}

TEST(IgnoredPixels, AreOpaqueNonBlackPixelsOfTheMask) {
  const TemporaryFolder folder;
  const Picture a = random_picture(70, 3, 3, 1), b = changed_at(a, 66, 2);
  for (const int channels : {3, 4}) {
    Image image = random_image(70, 3, channels, 2);
    const auto samples = static_cast<std::size_t>(channels);
    for (std::size_t p = 0; p < std::size_t{70 * 3}; ++p)
      for (std::size_t c = 0; c < samples; ++c)
        image.bytes[p * samples + c] = p == 2 * 70 + 66 && c == samples - 1 ? 1 : 0;
    write_png(folder / "mask.png", image, {});
    Tolerance tolerance{.mask = read_mask(folder / "mask.png")};
    const PictureDifference difference = compare_pictures(a, b, tolerance, {});
    EXPECT_EQ(difference.ignored, 1u);
    EXPECT_EQ(difference.ignored_different, 1u);
    tolerance.ignore = {{0, 0, 2, 1}};
    EXPECT_EQ(compare_pictures(a, b, tolerance, {}).ignored, 3u);
  }
  const Picture other = random_picture(3, 70, 3, 1);
  const Tolerance tolerance{.mask = read_mask(folder / "mask.png")};
  EXPECT_EQ(message_of([&] { compare_pictures(other, other, tolerance, {}); }),
            folder / "mask.png" + ": the mask has 70x3 pixels, the pictures have 3x70");
}

TEST(IgnoredPixels, MayBeNanInFloats) {
  const Picture a = as_floats(random_picture(8, 8, 3, 1), 1);
  Picture b = copy_of(a);
  b.floats[sample_at(b, 2, 2, 1)] = std::numeric_limits<float>::quiet_NaN();
  const PictureDifference difference = compare_pictures(a, b, {.ignore = {{2, 2, 1, 1}}}, {});
  EXPECT_EQ(difference.not_finite, 0u);
  EXPECT_EQ(difference.ignored_different, 1u);
}

TEST(IgnoredPixels, AreHatchedInTheDifferenceImage) {
  const Picture a = random_picture(40, 40, 3, 1), b = changed_at(changed_at(a, 5, 5), 30, 30);
  const Image image = difference_image(a, b, {.ignore = {{0, 0, 20, 20}}});
  const auto is_red = [&](int x, int y) {
    const std::size_t at = 3 * static_cast<std::size_t>(y * 40 + x);
    return image.bytes[at] == 255 && image.bytes[at + 1] == 0;
  };
  const auto is_grey = [&](int x, int y) {
    const std::size_t at = 3 * static_cast<std::size_t>(y * 40 + x);
    return image.bytes[at] == image.bytes[at + 1] && image.bytes[at] == image.bytes[at + 2];
  };
  EXPECT_FALSE(is_red(5, 5));
  EXPECT_TRUE(is_red(30, 30));
  int lines = 0;
  for (int x = 0; x < 16; ++x) lines += is_grey(x, 3) ? 0 : 1;
  EXPECT_EQ(lines, 4);
  EXPECT_TRUE(is_grey(25, 3));
}

}  // namespace
}  // namespace roundel
