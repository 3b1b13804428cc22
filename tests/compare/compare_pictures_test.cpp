// Planted defects must be found and rightly described, and all numbers must equal those of plain
// loops.
#include <cmath>
#include <limits>

#include "renderer/compare/opaque_pixel.h"
#include "renderer/raster/rasterizer.h"
#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

using Kind = PictureDifference::Kind;

PictureDifference difference_of(const Picture& a, const Picture& b,
                                const Tolerance& tolerance = {}) {
  return compare_pictures(a, b, tolerance, {});
}

void expect_box(const PixelBox& box, int x, int y, int width, int height) {
  EXPECT_EQ(box.x, x);
  EXPECT_EQ(box.y, y);
  EXPECT_EQ(box.width, width);
  EXPECT_EQ(box.height, height);
}

TEST(ComparePictures, PictureEqualsItself) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Picture picture = random_picture(65, 17, channels, 1);
    const PictureDifference difference = difference_of(picture, picture);
    EXPECT_EQ(difference.kind, Kind::kEqualPixels);
    EXPECT_EQ(difference.pixels, 0U);
    EXPECT_EQ(difference.rmse, 0);
    EXPECT_EQ(difference.psnr, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(apply_tolerance(difference, {}).same);
  }
}

TEST(ComparePictures, FindsOneLevelInOneChannelOfAnyPixel) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Picture a = random_picture(131, 9, channels, 2);
    for (const int x : {0, 1, 15, 16, 63, 64, 65, 127, 128, 130}) {
      for (int c = 0; c < channels; ++c) {
        Picture b = copy_of(a);
        b.bytes[sample_at(b, x, 7, c)] ^= 1;
        const PictureDifference difference = difference_of(a, b);
        ASSERT_EQ(difference.kind, Kind::kDifferent);
        EXPECT_EQ(difference.pixels, 1U);
        EXPECT_EQ(difference.pixels_over, 1U);
        expect_box(difference.box, x, 7, 1, 1);
        for (int k = 0; k < channels; ++k) {
          const auto& channel = difference.channels[static_cast<std::size_t>(k)];
          EXPECT_EQ(channel.largest, k == c ? 1 : 0);
          EXPECT_DOUBLE_EQ(channel.mean, k == c ? 1.0 / (131 * 9) : 0);
        }
        EXPECT_EQ(apply_tolerance(difference, {}).reasons,
                  std::vector<std::string>{"1 pixel differs, at most 0 may"});
      }
    }
  }
}

TEST(ComparePictures, ReportsADifferenceInAlphaAlone) {
  const Picture a = random_picture(20, 10, 4, 3);
  Picture b = copy_of(a);
  b.bytes[sample_at(b, 3, 4, 3)] ^= 128;
  const PictureDifference difference = difference_of(a, b);
  EXPECT_EQ(difference.channels[3].name, "alpha");
  EXPECT_EQ(difference.channels[3].largest, 128);
  EXPECT_EQ(difference.channels[0].largest, 0);
  EXPECT_EQ(difference.pixels, 1U);
}

TEST(ComparePictures, ShiftedPictureDiffersAtItsEdges) {
  Image image;
  image.resize(64, 64, 3);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = (i / 3 % 64) < 32 ? 0 : 200;
  const Picture a = picture_of(std::move(image), {});
  Picture b = copy_of(a);
  for (int y = 0; y < 64; ++y)
    for (int c = 0; c < 3; ++c) b.bytes[sample_at(b, 32, y, c)] = 0;
  const PictureDifference difference = difference_of(a, b);
  EXPECT_EQ(difference.pixels, 64U);
  expect_box(difference.box, 32, 0, 1, 64);
  EXPECT_EQ(difference.densest_pixels, 16U);
  EXPECT_EQ(difference.channels[1].largest, 200);
}

TEST(ComparePictures, DifferentShapeIsTheOnlyReason) {
  const Picture a = random_picture(20, 10, 3, 1);
  Picture gamma = copy_of(a), moved = copy_of(a);
  gamma.color_space = "gamma 1";
  moved.left = 2;
  const std::pair<Picture, const char*> others[] = {
      {random_picture(20, 11, 3, 1), "20x10 RGB and 20x11 RGB"},
      {random_picture(21, 10, 3, 1), "20x10 RGB and 21x10 RGB"},
      {random_picture(20, 10, 4, 1), "20x10 RGB and 20x10 RGBA"},
      {random_picture(20, 10, 1, 1), "20x10 RGB and 20x10 grey"},
      {random_picture(20, 10, 2, 1), "20x10 RGB and 20x10 grey and alpha"},
      {as_floats(a, 1), "20x10 RGB and 20x10 RGB of floats"},
      {std::move(gamma), "20x10 RGB and 20x10 RGB with gamma 1"},
      {std::move(moved), "20x10 RGB and 20x10 RGB at (2, 0)"},
  };
  for (const auto& [b, shape] : others) {
    const PictureDifference difference = difference_of(a, b);
    EXPECT_EQ(difference.kind, Kind::kOtherShape);
    EXPECT_EQ(difference.shape, shape);
    EXPECT_FALSE(apply_tolerance(difference, {.max_delta = 255, .max_pixels = 1e9}).same);
  }
}

void expect_numbers_of_plain_loops(const Picture& a, const Picture& b, double limit,
                                   const PictureDifference& difference) {
  double squares = 0;
  std::uint64_t pixels = 0, over = 0;
  std::vector<double> largest(4), sums(4);
  for (int p = 0; p < a.width * a.height; ++p) {
    double farthest = 0;
    for (int c = 0; c < a.channels; ++c) {
      const auto i = static_cast<std::size_t>(p * a.channels + c);
      const double delta = std::abs(static_cast<double>(a.bytes[i]) - b.bytes[i]);
      const auto k = static_cast<std::size_t>(c);
      largest[k] = std::max(largest[k], delta);
      sums[k] += delta;
      squares += delta * delta;
      farthest = std::max(farthest, delta);
    }
    pixels += farthest > 0 ? 1 : 0;
    over += farthest > limit ? 1 : 0;
  }
  const double count = static_cast<double>(a.width) * a.height;
  EXPECT_EQ(difference.pixels, pixels);
  EXPECT_EQ(difference.pixels_over, over);
  for (std::size_t c = 0; c < difference.channels.size(); ++c) {
    EXPECT_EQ(difference.channels[c].largest, largest[c]);
    EXPECT_DOUBLE_EQ(difference.channels[c].mean, sums[c] / count);
  }
  const double rmse = std::sqrt(squares / (count * a.channels)) / 255;
  EXPECT_NEAR(difference.rmse, rmse, 1e-15);
  EXPECT_NEAR(difference.psnr, -20 * std::log10(rmse), 1e-9);
}

TEST(ComparePictures, EveryVectorWidthMatchesPlainLoops) {
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    SCOPED_TRACE(target);
    for (int channels = 1; channels <= 4; ++channels) {
      for (const auto& [width, height] :
           {std::pair{1, 1}, {63, 3}, {64, 2}, {257, 70}, {1000, 5}}) {
        const Picture a = random_picture(width, height, channels, 5);
        const Picture b = random_picture(width, height, channels, 6);
        for (const double limit : {0.0, 0.5, 17.0, 254.0, 255.0, 1000.0}) {
          expect_numbers_of_plain_loops(a, b, limit, difference_of(a, b, {.max_delta = limit}));
        }
      }
    }
  }
  force_cpu_vector_target("");
}

TEST(ComparePictures, TheWidestRowsDoNotOverflow) {
  Image black, white;
  black.resize(65536, 2, 1), white.resize(65536, 2, 1);
  std::fill(black.bytes.begin(), black.bytes.end(), std::uint8_t{0});
  std::fill(white.bytes.begin(), white.bytes.end(), std::uint8_t{255});
  const PictureDifference difference =
      difference_of(picture_of(std::move(black), {}), picture_of(std::move(white), {}));
  EXPECT_DOUBLE_EQ(difference.rmse, 1);
  EXPECT_DOUBLE_EQ(difference.psnr, 0);
  EXPECT_EQ(difference.pixels, 131072U);
}

TEST(ComparePictures, SixteenBitsAreLevelsWithFractions) {
  Picture a = as_floats(random_picture(9, 9, 3, 1), 255);
  a.samples = Picture::Samples::kWords;
  Picture b = copy_of(a);
  b.floats[5] += 1.0f / 257;
  const PictureDifference difference = difference_of(a, b);
  EXPECT_NEAR(difference.channels[2].largest, 1.0 / 257, 1e-4);
  EXPECT_NEAR(difference.rmse, 1.0 / 65535 / std::sqrt(9 * 9 * 3), 1e-7);
  EXPECT_EQ(difference_of(a, b, {.max_delta = 0.01}).pixels_over, 0U);
}

TEST(ComparePictures, LevelsOfWordsAreExact) {
  for (const int levels : {1, 2, 3, 100}) {
    std::vector<float> values, more;
    for (int word = 0; word + 257 * levels <= 65535; word += 7) {
      values.push_back(static_cast<float>(word) / 257.0f);
      more.push_back(static_cast<float>(word + 257 * levels) / 257.0f);
    }
    Picture a = as_floats(random_picture(static_cast<int>(values.size()), 1, 1, 1), 1);
    a.samples = Picture::Samples::kWords;
    Picture b = copy_of(a);
    std::copy(values.begin(), values.end(), a.floats.begin());
    std::copy(more.begin(), more.end(), b.floats.begin());
    const double limit = levels;
    EXPECT_EQ(difference_of(a, b, {.max_delta = limit}).pixels_over, 0U);
    EXPECT_EQ(difference_of(a, b, {.max_delta = limit - 0.001}).pixels_over, values.size());
    EXPECT_EQ(difference_of(a, b).channels[0].largest, limit);
  }
}

TEST(ComparePictures, NanAndInfinityOnOneSideExceedEveryLimitAndAreExcludedFromMeans) {
  const Picture a = as_floats(random_picture(16, 16, 3, 1), 1);
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    Picture b = copy_of(a);
    b.floats[sample_at(b, 5, 6, 1)] = value;
    const PictureDifference difference = difference_of(a, b, {.max_delta = 1e6});
    EXPECT_EQ(difference.not_finite, 1U);
    EXPECT_EQ(difference.pixels_over, 1U);
    expect_box(difference.box, 5, 6, 1, 1);
    EXPECT_EQ(difference.rmse, 0);
    EXPECT_FALSE(apply_tolerance(difference, {.max_delta = 1e6}).same);
    for (const Tolerance& tolerance :
         {Tolerance{.max_pixels = 1e9}, Tolerance{.max_pixels = 100, .pixels_in_percent = true},
          Tolerance{.max_density = Tolerance::Density{1, 8, 8}}, Tolerance{.flip_mean = 1},
          Tolerance{.max_delta = 1e9, .max_pixels = 1e9, .ignores_antialiasing = true}}) {
      const Verdict verdict =
          apply_tolerance(compare_pictures(a, b, tolerance, {.flip = true}), tolerance);
      EXPECT_EQ(verdict.reasons,
                std::vector<std::string>{"1 pixel differs by NaN or infinity, at most 0 may"});
    }
    const Tolerance ignoring{.ignore = {{5, 6, 1, 1}}};
    EXPECT_TRUE(apply_tolerance(difference_of(a, b, ignoring), ignoring).same);
    EXPECT_EQ(difference_of(b, b).kind, Kind::kEqualPixels);
  }
}

TEST(ComparePictures, SignsOfZeroAndNanPayloadsAreEqual) {
  Picture a = as_floats(random_picture(8, 8, 1, 1), 1);
  Picture b = copy_of(a);
  a.floats[3] = 0.0f, b.floats[3] = -0.0f;
  a.floats[4] = std::bit_cast<float>(0x7fc00001U), b.floats[4] = std::bit_cast<float>(0x7fc00002U);
  EXPECT_EQ(difference_of(a, b).kind, Kind::kEqualPixels);
}

TEST(ComparePictures, PsnrOfFloatsUsesTheLargestValueAboveOne) {
  Picture a = as_floats(random_picture(8, 8, 3, 1), 1);
  a.floats[0] = 100;
  Picture b = copy_of(a);
  for (float& value : b.floats) value += 0.5f;
  const PictureDifference difference = difference_of(a, b);
  EXPECT_NEAR(difference.rmse, 0.5, 1e-6);
  EXPECT_NEAR(difference.psnr, 20 * std::log10(100.5 / 0.5), 1e-5);
}

TEST(ComparePictures, FlipAndSsimNeedSrgb) {
  Picture a = random_picture(16, 16, 3, 1);
  a.color_space = "gamma 1";
  const Error error = error_of([&] { compare_pictures(a, a, {}, {.flip = true}); });
  EXPECT_EQ(std::string(error.what()), "FLIP and SSIM: expected sRGB pictures, got gamma 1");
}

TEST(ComparePictures, PicturesShownDifferentlyDiffer) {
  const Picture a = as_floats(random_picture(4, 3, 3, 1), 1);
  Picture b = copy_of(a);
  b.display = {"red (1, 0)", 0, 0, 9, 9, false, 2};
  EXPECT_EQ(difference_of(b, copy_of(b)).kind, Kind::kEqualPixels);
  const PictureDifference difference = difference_of(a, b);
  EXPECT_EQ(difference.kind, Kind::kOtherShape);
  EXPECT_EQ(difference.shape,
            "pictures of different chromaticities (Rec. 709's; red (1, 0)), "
            "display windows (4x3 at (0, 0); 9x9 at (0, 0)), pixel aspect ratios (1; 2)");
  b.display = {"", 0, 0, 4, 3, true, 1};
  EXPECT_EQ(difference_of(a, b).kind, Kind::kEqualPixels);
}

TEST(Judge, EveryLimitIncludesItsValue) {
  PictureDifference difference;
  difference.kind = Kind::kDifferent;
  difference.width = 100, difference.height = 10;
  difference.pixels = difference.pixels_over = 20;
  difference.densest = {3, 4, 8, 8};
  difference.densest_pixels = 7;
  difference.flip = FlipStatistics{0.25, 0, 0, 0};
  const auto same = [&](const Tolerance& tolerance) {
    return apply_tolerance(difference, tolerance).same;
  };
  EXPECT_FALSE(same({}));
  EXPECT_TRUE(same({.max_pixels = 20}));
  EXPECT_FALSE(same({.max_pixels = 19}));
  EXPECT_TRUE(same({.max_pixels = 2, .pixels_in_percent = true}));
  EXPECT_FALSE(same({.max_pixels = 1.99, .pixels_in_percent = true}));
  EXPECT_TRUE(same({.max_density = Tolerance::Density{7, 8, 8}}));
  EXPECT_FALSE(same({.max_density = Tolerance::Density{6, 8, 8}}));
  EXPECT_TRUE(same({.flip_mean = 0.25}));
  EXPECT_FALSE(same({.flip_mean = 0.2499}));
  EXPECT_FALSE(same({.max_pixels = 0, .flip_mean = 1}));
  EXPECT_EQ(apply_tolerance(
                difference,
                {.max_pixels = 19, .max_density = Tolerance::Density{6, 8, 8}, .flip_mean = 0.125})
                .reasons,
            (std::vector<std::string>{"20 pixels differ, at most 19 may",
                                      "7 pixels differ in the 8x8 pixels at (3, 4), at most 6 may",
                                      "FLIP's mean is 0.250000, at most 0.125 is allowed"}));
  difference.not_finite = 1;
  EXPECT_FALSE(same({.flip_mean = 1}));
}

TEST(DifferingBox, IsTheSmallestAroundAllDifferences) {
  const Picture a = random_picture(50, 40, 3, 1);
  Picture b = copy_of(a);
  EXPECT_EQ(differing_box(a, b).width, 0);
  b.bytes[sample_at(b, 7, 30, 2)] ^= 1;
  b.bytes[sample_at(b, 44, 12, 0)] ^= 1;
  expect_box(differing_box(a, b), 7, 12, 38, 19);
  b.bytes[sample_at(b, 0, 0, 0)] ^= 1;
  b.bytes[sample_at(b, 49, 39, 2)] ^= 1;
  expect_box(differing_box(a, b), 0, 0, 50, 40);
}

}  // namespace
}  // namespace roundel
