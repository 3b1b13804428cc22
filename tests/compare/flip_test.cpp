// ꟻLIP against the authors' own values, and pixel by pixel against the papers' formulas in double.
#include "renderer/compare/flip.h"

#include <cmath>
#include <sstream>

#include "renderer/compare/difference_image.h"
#include "renderer/raster/rasterizer.h"
#include "tests/compare/compare_test_support.h"
#include "tests/compare/flip_oracle.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

OraclePicture oracle_of(const Picture& picture, double background = 0) {
  OraclePicture out{picture.width, picture.height, {}};
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t pixels =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (picture.is_linear()) {
        out.rgb.push_back(static_cast<double>(picture.floats[p * channels + c]));
        continue;
      }
      double value = picture.bytes[p * channels + (channels < 3 ? 0 : c)] / 255.0;
      if (channels == 4) {
        const double alpha = picture.bytes[p * 4 + 3] / 255.0;
        value = value * alpha + (1 - alpha) * background;
      }
      out.rgb.push_back(value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
    }
  }
  return out;
}

void expect_errors(const FlipMap& map, const std::vector<double>& expected) {
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(map.width * map.height));
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const PixelBox& box = map.box;
      const bool inside =
          x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
      const float error =
          inside ? map.errors[static_cast<std::size_t>((y - box.y) * box.width + x - box.x)] : 0;
      ASSERT_NEAR(error, expected[static_cast<std::size_t>(y * map.width + x)], 2e-4)
          << "at " << x << ", " << y;
    }
  }
}

Picture discs_picture(int width, int height, unsigned seed, bool alpha = false) {
  return picture_of(to_image(discs(width, height, 12, seed, alpha ? 0.5f : 1.0f), alpha), {});
}

TEST(Flip, MatchesTheAuthorsValues) {
  std::string folder = ROUNDEL_SOURCE_DIR "/../shared/reference/diff/";
  if (!fs::exists(folder)) folder = ROUNDEL_SOURCE_DIR "/tests/compare/pairs/";  // two of the pairs
  std::ifstream table(folder + "expected.tsv");
  std::string line;
  std::getline(table, line);
  int pairs = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string name;
    FlipStatistics expected;
    double mean_error = 0, rmse = 0, psnr = 0, largest = 0;
    fields >> name >> expected.mean >> expected.weighted_median >> expected.min >> expected.max >>
        mean_error >> rmse >> psnr >> largest;
    if (!fs::exists(folder + name + "_a.png")) continue;
    SCOPED_TRACE(name);
    const Picture a = read_picture(folder + name + "_a.png"),
                  b = read_picture(folder + name + "_b.png");
    const PictureDifference difference = compare_pictures(a, b, {}, {.flip = true});
    EXPECT_NEAR(difference.flip->mean, expected.mean, 1e-4);
    EXPECT_NEAR(difference.flip->weighted_median, expected.weighted_median, 1e-4);
    EXPECT_NEAR(difference.flip->min, expected.min, 1e-4);
    EXPECT_NEAR(difference.flip->max, expected.max, 1e-4);
    // OpenImageIO's idiff
    double mean = 0, farthest = 0;
    for (const auto& channel : difference.channels) {
      mean += channel.mean / 3 / 255;
      farthest = std::max(farthest, channel.largest / 255);
    }
    EXPECT_NEAR(mean, mean_error, 1e-6);
    EXPECT_NEAR(difference.rmse, rmse, 1e-6);
    EXPECT_NEAR(difference.psnr, psnr, 1e-4);
    EXPECT_NEAR(farthest, largest, 1e-6);
    ++pairs;
  }
  EXPECT_GE(pairs, 2);
}

TEST(Flip, EveryPixelMatchesTheFormulas) {
  for (const double ppd : {20.0, kDefaultPixelsPerDegree, 90.0}) {
    const Picture a = discs_picture(37, 21, 1), b = discs_picture(37, 21, 2);
    expect_errors(flip_map(a, b, ppd), ldr_flip_oracle(oracle_of(a), oracle_of(b), ppd));
  }
  const Picture grey_a = random_picture(20, 15, 1, 1), grey_b = random_picture(20, 15, 1, 2);
  expect_errors(flip_map(grey_a, grey_b, 40),
                ldr_flip_oracle(oracle_of(grey_a), oracle_of(grey_b), 40));
}

TEST(Flip, TiledAndCroppedMapsMatchTheOracle) {
  // Wider and higher than a tile, with one differing spot: the map is cropped around it.
  const Picture a = discs_picture(150, 80, 3);
  Picture b = copy_of(a);
  for (int y = 60; y < 63; ++y)
    for (int x = 125; x < 131; ++x) b.bytes[sample_at(b, x, y, 0)] ^= 200;
  const FlipMap map = flip_map(a, b, 30);
  EXPECT_LT(map.box.width, 30);
  expect_errors(map, ldr_flip_oracle(oracle_of(a), oracle_of(b), 30));
}

TEST(Flip, HdrIsTheMaximumOverExposures) {
  const Picture bytes_a = discs_picture(30, 20, 5), bytes_b = discs_picture(30, 20, 6);
  Picture a = as_floats(bytes_a, 1), b = as_floats(bytes_b, 1);
  for (std::size_t i = 0; i < a.floats.size(); ++i) {  // over eight stops
    const float scale = std::exp2(static_cast<float>(i % 90) / 10.0f - 4);
    a.floats[i] *= scale, b.floats[i] *= scale;
  }
  expect_errors(flip_map(a, b, 40), hdr_flip_oracle(oracle_of(a), oracle_of(b), 40));
  for (float& value : a.floats) value = 0;
  const FlipStatistics from_black = flip_statistics(a, b, 40);
  EXPECT_GT(from_black.mean, 0);
  EXPECT_LE(from_black.max, 1);
}

TEST(Flip, EveryVectorWidthGivesTheSameBits) {
  const Picture a = discs_picture(150, 70, 1), b = discs_picture(150, 70, 2);
  std::vector<float> first;
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    const FlipMap map = flip_map(a, b, kDefaultPixelsPerDegree);
    const std::vector<float> errors(map.errors.begin(), map.errors.end());
    if (first.empty()) first = errors;
    EXPECT_EQ(errors, first) << target;
  }
  force_cpu_vector_target("");
}

TEST(Flip, AlphaIsComposedOverBlackAndWhite) {
  const Picture a = discs_picture(24, 18, 1, true), b = discs_picture(24, 18, 2, true);
  const std::vector<double> black = ldr_flip_oracle(oracle_of(a, 0), oracle_of(b, 0), 40);
  std::vector<double> expected = ldr_flip_oracle(oracle_of(a, 1), oracle_of(b, 1), 40);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(expected[i], black[i]);
  expect_errors(flip_map(a, b, 40), expected);
}

TEST(Flip, EqualPicturesAndHostileValuesGiveNumbersInRange) {
  const Picture a = discs_picture(24, 18, 1);
  EXPECT_EQ(flip_statistics(a, a, 67).max, 0);
  Picture linear = as_floats(a, 1), other = copy_of(linear);
  const float hostile[] = {NAN, INFINITY, -INFINITY, -1, 3e38f, 1e-40f, 0};
  for (std::size_t i = 0; i < other.floats.size(); ++i) other.floats[i] = hostile[i % 7];
  for (const auto& [x, y] : {std::pair{&linear, &other}, {&other, &linear}}) {
    for (const double ppd : {kMinPixelsPerDegree, 67.0}) {
      const FlipStatistics statistics = flip_statistics(*x, *y, ppd);
      EXPECT_GE(statistics.min, 0);
      EXPECT_LE(statistics.max, 1);
      EXPECT_TRUE(statistics.mean > 0 && statistics.mean <= 1) << statistics.mean;
    }
  }
}

TEST(DifferenceImage, MarksPixelsOverTheLimitRedAndOthersYellow) {
  const Picture a = random_picture(20, 10, 3, 1);
  Picture b = copy_of(a);
  b.bytes[sample_at(b, 3, 4, 1)] ^= 1;
  b.bytes[sample_at(b, 5, 6, 2)] ^= 128;
  const Image image = difference_image(a, b, {.max_delta = 1});
  const auto rgb = [&](int x, int y) {
    const std::size_t i = static_cast<std::size_t>(y * 20 + x) * 3;
    return std::vector<int>{image.bytes[i], image.bytes[i + 1], image.bytes[i + 2]};
  };
  EXPECT_EQ(rgb(3, 4), (std::vector<int>{255, 200, 0}));
  EXPECT_EQ(rgb(5, 6), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(rgb(0, 0)[0], rgb(0, 0)[2]);
  EXPECT_GE(rgb(0, 0)[0], 153);
}

TEST(DifferenceImage, FadesEqualPixelsToTheirLuma) {
  for (int channels = 1; channels <= 4; ++channels) {
    const bool is_grey = channels < 3;
    Picture a = random_picture(3, 1, channels, 1);  // black, then white, then red or a grey
    for (int x = 0; x < 3; ++x)
      for (int c = 0; c < (is_grey ? 1 : 3); ++c)
        a.bytes[sample_at(a, x, 0, c)] = x == 0 || (x == 2 && c > 0) ? 0 : x == 2 ? 200 : 255;
    const Image image = difference_image(a, copy_of(a), {});
    ASSERT_EQ(image.channels, 3);
    const int last = is_grey ? 153 + 200 * 102 / 255 : 153 + 60 * 102 / 255;
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_EQ(image.bytes[i], i < 3 ? 153 : i < 6 ? 255 : last) << channels << " channels, " << i;
  }
}

TEST(FlipImage, GoesFromBlackToLightYellow) {
  FlipMap map{4, 2, {1, 0, 2, 1}, Buffer<float>(2)};
  map.errors[0] = 1, map.errors[1] = 0.5f;
  const Image image = flip_image(map);
  const auto near = [&](int x, int red, int green, int blue) {
    const std::size_t i = static_cast<std::size_t>(x) * 3;
    EXPECT_NEAR(image.bytes[i], red, 6);
    EXPECT_NEAR(image.bytes[i + 1], green, 6);
    EXPECT_NEAR(image.bytes[i + 2], blue, 6);
  };
  near(0, 0, 0, 4);  // as in matplotlib's table
  near(1, 252, 253, 191);
  near(2, 183, 55, 121);
}

}  // namespace
}  // namespace roundel
