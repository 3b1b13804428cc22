#include <cmath>
#include <cstdint>

#include "tests/api/api_testing.h"

namespace api_test {
namespace {

using roundel::compare;
using roundel::CompareOptions;
using roundel::Comparison;
using roundel::Picture;
using roundel::UsageError;

/// Returns 16x16 grey pixels, the first of them raised by the levels in `differing`.
Picture grey(const std::vector<std::uint8_t>& differing = {}) {
  std::vector<std::uint8_t> samples(16 * 16, 100);
  for (std::size_t i = 0; i < differing.size(); ++i)
    samples[i] = static_cast<std::uint8_t>(samples[i] + differing[i]);
  return {16, 16, 1, samples};
}

TEST(ApiCompare, EqualPicturesAreTheSame) {
  const Comparison comparison = compare(grey(), grey(), {.flip = true, .ssim = true});
  EXPECT_TRUE(comparison.same());
  EXPECT_TRUE(comparison.reasons().empty());
  EXPECT_EQ(comparison.pixels(), 0u);
  EXPECT_EQ(comparison.rmse(), 0);
  EXPECT_EQ(comparison.psnr(), INFINITY);
}

TEST(ApiCompare, MeasuresAndJudges) {
  const Comparison comparison = compare(grey(), grey({3, 5}), {.flip = true, .ssim = true});
  EXPECT_FALSE(comparison.same());
  EXPECT_EQ(comparison.reasons(), std::vector<std::string>{"2 pixels differ, at most 0 may"});
  EXPECT_EQ(comparison.pixels(), 2u);
  EXPECT_EQ(comparison.largest(), 5);
  EXPECT_NEAR(comparison.rmse(), std::sqrt((9 + 25) / 256.0) / 255, 1e-12);
  EXPECT_NEAR(comparison.psnr(), -20 * std::log10(comparison.rmse()), 1e-9);
  EXPECT_GT(comparison.flip_mean().value(), 0);
  EXPECT_LT(comparison.ssim().value(), 1);
  EXPECT_NE(comparison.json().find(R"("same":false)"), std::string::npos);
}

TEST(ApiCompare, LimitsAreOptions) {
  const Picture other = grey({3, 5});
  for (const CompareOptions& options :
       std::vector<CompareOptions>{{.max_delta = 5},
                                   {.max_delta = 3, .max_pixels = 1},
                                   {.max_pixels = 2},
                                   {.max_percent = 1},
                                   {.max_flip_mean = 0.5},
                                   {.ignore = {{0, 0, 2, 1}}}})
    EXPECT_TRUE(compare(grey(), other, options).same());
  for (const CompareOptions& options : std::vector<CompareOptions>{{.max_delta = 4},
                                                                   {.max_pixels = 1},
                                                                   {.max_percent = 0.5},
                                                                   {.max_flip_mean = 0},
                                                                   {.ignore = {{0, 0, 1, 1}}}})
    EXPECT_FALSE(compare(grey(), other, options).same());
}

/// Returns 64x64 pixels without a period, moved right.
Picture moved(std::size_t right) {
  std::vector<std::uint8_t> samples;
  for (std::size_t y = 0; y < 64; ++y)
    for (std::size_t x = 64 - right; x < 128 - right; ++x)
      samples.push_back(static_cast<std::uint8_t>((x * x * 7 + y * y * 13 + x * y * 5) % 251));
  return {64, 64, 1, samples};
}

TEST(ApiCompare, FindsAShift) {
  const Comparison comparison = compare(moved(0), moved(3), {.align = true});
  EXPECT_FALSE(comparison.same());
  EXPECT_NE(comparison.json().find(R"("shift":{"x":3,"y":0,"pixels_over":0)"), std::string::npos);
  EXPECT_EQ(compare(moved(0), moved(3)).json().find("shift"), std::string::npos);
}

TEST(ApiCompare, DifferentShapesAndTypesDiffer) {
  const std::vector<std::uint16_t> words(16 * 16, 100 * 257);
  const std::vector<float> floats(16 * 16, 0.5f);
  const Picture of_words(16, 16, 1, words), of_floats(16, 16, 1, floats);
  EXPECT_FALSE(compare(grey(), of_words).same());
  EXPECT_FALSE(compare(of_words, of_floats).same());
  EXPECT_TRUE(compare(of_words, Picture(of_words)).same());
  EXPECT_TRUE(compare(of_floats, of_floats).same());
  const Comparison comparison = compare(grey(), Picture(8, 32, 1, grey().uint8()));
  EXPECT_EQ(
      comparison.reasons(),
      std::vector<std::string>{"they are 16x16 grey and 8x32 grey; 0 of 128 shared pixels differ"});
  EXPECT_TRUE(std::isnan(comparison.psnr()) && std::isnan(comparison.rmse()));
}

TEST(ApiCompare, ComparesFilesAndPictures) {
  const Folder folder;
  const roundel::Scene scene = roundel::Scene::from_text(kDiscs);
  roundel::Renderer renderer;
  renderer.save(scene, folder / "golden.png");
  EXPECT_TRUE(compare(Picture::from_file(folder / "golden.png"), renderer.render(scene)).same());
  EXPECT_TRUE(roundel::compare_files(folder / "golden.png", folder / "golden.png").same());
  renderer.save(scene, folder / "golden.exr");
  EXPECT_FALSE(roundel::compare_files(folder / "golden.png", folder / "golden.exr").same());
  EXPECT_TRUE(compare(Picture::from_file(folder / "golden.exr"),
                      renderer.render(scene, {}, roundel::Samples::kFloat32))
                  .same());
  EXPECT_NE(message_of<roundel::SceneError>([&] { Picture::from_file(folder / "none.png"); }), "");
}

TEST(ApiCompare, ReportsWrongOptionsAndExpectedValues) {
  const auto refusal = [](const CompareOptions& options) {
    return message_of<UsageError>([&] { compare(grey(), grey(), options); });
  };
  EXPECT_EQ(refusal({.max_delta = -1}), "max_delta: expected 0 to 1000000000, got -1");
  EXPECT_EQ(refusal({.max_pixels = NAN}), "max_pixels: expected a number >= 0, got nan");
  EXPECT_EQ(refusal({.max_percent = 101}), "max_percent: expected 0 to 100, got 101");
  EXPECT_EQ(refusal({.max_pixels = 1, .max_percent = 1}),
            "max_percent: expected max_pixels or max_percent, got both");
  EXPECT_EQ(refusal({.max_flip_mean = 2}), "max_flip_mean: expected 0 to 1, got 2");
  EXPECT_EQ(refusal({.ignore = {{0, 0, 0, 1}}}),
            "ignore: expected x and y >= 0, width and height > 0, got 0, 0, 0 and 1");
  EXPECT_EQ(refusal({.pixels_per_degree = 0}), "pixels_per_degree: expected 1 to 1000, got 0");
  const std::vector<std::uint8_t> samples(12);
  EXPECT_EQ(message_of<UsageError>([&] { Picture(2, 2, 4, samples); }),
            "samples: expected 16 of 2x2 pixels with 4 channels, got 12");
  EXPECT_EQ(message_of<UsageError>([&] { Picture(0, 2, 3, samples); }),
            "width: expected 1 to 65536, got 0");
  EXPECT_EQ(message_of<UsageError>([&] { Picture(2, 2, 5, samples); }),
            "channels: expected 1 to 4, got 5");
}

}  // namespace
}  // namespace api_test
