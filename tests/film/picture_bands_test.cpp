#include "renderer/picture_bands.h"

#include <gtest/gtest.h>

#include <string>

#include "renderer/circles/generate.h"
#include "renderer/frame_encoder.h"
#include "renderer/image/png_format.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"
#include "tests/testing.h"

namespace roundel {
namespace {

ImageSettings settings_of(int width, int height, int bits = 8, bool alpha = false) {
  ImageSettings image;
  image.width = width, image.height = height, image.bits = bits, image.alpha = alpha;
  return image;
}

TEST(PictureBands, ApplyToPngOverTwoGigabytes) {
  EXPECT_FALSE(is_drawn_in_bands(settings_of(1024, 1024), ImageFormat::kPng));
  EXPECT_FALSE(is_drawn_in_bands(settings_of(25'000, 26'000), ImageFormat::kPng));
  EXPECT_TRUE(is_drawn_in_bands(settings_of(26'000, 26'000), ImageFormat::kPng));
  EXPECT_TRUE(is_drawn_in_bands(settings_of(16'000, 16'000, 16, true), ImageFormat::kPng));
  EXPECT_FALSE(is_drawn_in_bands(settings_of(65'536, 65'536), ImageFormat::kExr));
}

TEST(PictureBands, CoverEveryRowOnceAndFitABlock) {
  for (const int bits : {8, 16}) {
    for (const bool alpha : {false, true}) {
      const ImageSettings image = settings_of(65'536, 65'500, bits, alpha);
      const int rows = rows_of_band(image, ImageFormat::kPng);
      const auto row_bytes = static_cast<std::size_t>(image.width) *
                             static_cast<std::size_t>(image.channels() * bits / 8);
      EXPECT_EQ(static_cast<std::size_t>(rows), png_format::block_rows(row_bytes + 1));
      int below = image.height;  // rows that were in no band yet
      for (int top = 0; top < image.height; top += rows) {
        const ImageSettings band = band_of(image, top, rows);
        EXPECT_EQ(band.first_row() + band.height, below);
        EXPECT_EQ(band.frame_height(), image.height);
        EXPECT_EQ(band.frame_width(), image.width);
        below -= band.height;
      }
      EXPECT_EQ(below, 0);
    }
  }
}

/// Compares the file of a picture made in bands of a block each with that of the whole at once.
void expect_same_file(const std::string& settings) {
  const std::string height = kSanitized ? "600" : "1300";  // two blocks, or three
  const Scene scene =
      parse_scene("version: 1\nimage: {width: 40000, height: " + height + ", " + settings +
                      "}\nview: {center: [15, 0.5]}\n"
                      "layers: [{generator: rand10k}, {circles: [{x: 15, y: 0.5, "
                      "radius: 14, color: \"#3377cc\", alpha: 0.3}]}]\n",
                  "test.yaml");
  const FrameEncoder encoder(scene, {ImageFormat::kPng});
  const auto rasterizer = make_cpu_rasterizer({});
  CircleSource source(scene);
  Circles memory;
  StageStats stats;
  const CircleStream circles = source.at(0, memory, &stats);
  FramePixels picture;
  std::vector<std::uint8_t> in_bands;
  PngStream png(encoder.png_shape(), encoder.metadata(picture, 0),
                [&](std::span<const std::uint8_t> bytes) {
                  in_bands.insert(in_bands.end(), bytes.begin(), bytes.end());
                });
  const auto rows = static_cast<int>(png.rows_of_block());
  ASSERT_LT(rows, scene.image.height);
  for (int top = 0; top < scene.image.height; top += rows) {
    rasterizer->draw(circles, band_of(scene.image, top, rows), encoder.target(picture), stats);
    png.add(picture.image.bytes.data(), static_cast<std::size_t>(picture.image.height));
  }
  png.finish();
  rasterizer->draw(circles, scene.image, encoder.target(picture), stats);
  EXPECT_TRUE(encoder.encode(picture, 0, false) == in_bands) << settings;
}

TEST(PictureBands, MakeTheFileOfTheWholePicture) {
  if (kThreadSanitized) GTEST_SKIP() << "export_pipeline_test starts the same threads";
  expect_same_file("background: {bottom: \"#203040\", top: \"#f0e0d0\"}");
}
TEST(PictureBands, MakeTheSameFileInSixteenBits) {
  if (kSanitized) GTEST_SKIP() << "MakeTheFileOfTheWholePicture runs the same code";
  expect_same_file("alpha: true, bits: 16");
}
TEST(PictureBands, MakeTheSameDitheredFile) {
  if (kSanitized) GTEST_SKIP() << "MakeTheFileOfTheWholePicture runs the same code";
  expect_same_file("background: {bottom: \"#203040\", top: \"#f0e0d0\"}, dither: true");
}

}  // namespace
}  // namespace roundel
