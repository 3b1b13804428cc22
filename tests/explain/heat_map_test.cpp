#include "renderer/explain/heat_map.h"

#include "renderer/explain/explain_pixel.h"
#include "renderer/image/magma.h"
#include "renderer/raster/tile_grid.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::add_looks;
using testing::image_of;
using testing::random_circles;

constexpr std::uint64_t kLittleMemory = 4096;  // bytes: tiles get their lists in many chunks

struct Example {
  Circles circles;
  ImageSettings image;
};

std::vector<Example> examples() {
  std::vector<Example> examples;
  examples.push_back({random_circles(2000, 0.2f, 0.5f, 0.3), image_of(70, 50)});
  examples.push_back({random_circles(3000, 0.05f, 0.9f, 0), image_of(33, 97)});
  examples.push_back({random_circles(500, 2.0f, 0.01f, 0), image_of(65, 64)});
  examples.push_back({Circles(), image_of(5, 3)});
  examples.push_back({random_circles(2000, 0.1f, 0.5f, 0.3), image_of(50, 41)});
  examples.back().image.antialias = true;
  for (const bool antialias : {false, true}) {
    examples.push_back({random_circles(2000, 0.2f, 0.5f, 0.3), image_of(50, 41)});
    add_looks(examples.back().circles,
              {BlendMode::kOver, BlendMode::kAdd, BlendMode::kMultiply, BlendMode::kScreen}, 0.4);
    examples.back().image.antialias = antialias;
    examples.back().image.styles = {true, true, true};
  }
  examples.push_back({random_circles(2000, 0.2f, 0.5f, 0.3), image_of(50, 41)});
  examples.back().image.crop = CropOrigin{120, 90, 33, 21};
  return examples;
}

TEST(HeatMap, LayersAndStopMatchEveryExplainedPixel) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const Example& example : examples()) {
    const auto& [circles, image] = example;
    for (const std::uint64_t budget : {std::uint64_t{0}, kLittleMemory}) {
      const HeatMap layers = make_heat_map(circles, image, HeatMapKind::kLayers, budget);
      const HeatMap stop = make_heat_map(circles, image, HeatMapKind::kStop, budget);
      std::size_t i = 0;
      for (int row = 0; row < image.height; ++row) {
        for (int x = 0; x < image.width; ++x, ++i) {
          const PixelExplanation explanation = explain_pixel(circles, image, x, row, 0);
          ASSERT_EQ(stop.values[i], explanation.composited) << x << "," << row;
          ASSERT_EQ(layers.values[i], explanation.composited + explanation.unseen)
              << x << "," << row;
        }
      }
    }
  }
}

TEST(HeatMap, PartsEqualTheWhole) {
  for (const auto& [circles, image] : examples()) {
    if (image.crop || image.width < 30) continue;
    ImageSettings part = image;
    part.crop = CropOrigin{image.width, image.height, 7, 11};
    part.width = 20;
    part.height = 22;
    for (const HeatMapKind kind : {HeatMapKind::kLayers, HeatMapKind::kStop}) {
      const HeatMap whole = make_heat_map(circles, image, kind, 0);
      const HeatMap cut = make_heat_map(circles, part, kind, 0);
      for (int row = 0; row < part.height; ++row)
        for (int x = 0; x < part.width; ++x)
          ASSERT_EQ(cut.values[static_cast<std::size_t>(row * part.width + x)],
                    whole.values[static_cast<std::size_t>((11 + row) * image.width + 7 + x)])
              << x << "," << row;
    }
  }
}

TEST(HeatMap, OverlapsMatchTheTileLists) {
  for (const auto& [circles, image] : examples()) {
    const HeatMap map = make_heat_map(circles, image, HeatMapKind::kOverlaps, 0);
    std::uint64_t sum = 0;
    for (int row = 0; row < image.height; row += kCpuTileSize)
      for (int x = 0; x < image.width; x += kCpuTileSize)
        sum += map.values[static_cast<std::size_t>(row * image.width + x)];
    EXPECT_EQ(sum, count_overlaps(circles.shapes.span(), TileGrid::make(image, kCpuTileSize)));
    const HeatMap layers = make_heat_map(circles, image, HeatMapKind::kLayers, 0);
    for (std::size_t i = 0; i < map.values.size(); ++i)
      ASSERT_GE(map.values[i], layers.values[i]) << i;
  }
}

TEST(HeatMap, PicturesScaleToTheLargestValueAndGoTopToBottom) {
  HeatMap map{2, 3, Buffer<std::uint32_t>(6)};
  for (std::uint32_t i = 0; i < 6; ++i) map.values[i] = 100 * i;
  const HeatMapSummary summary = summarize(map);
  EXPECT_EQ(summary.largest, 500U);
  EXPECT_EQ(summary.x, 1);
  EXPECT_EQ(summary.row, 2);
  EXPECT_EQ(summary.sum, 1500U);
  const Image image = heat_map_image(map, summary.largest);
  const auto pixel = [&](int x, int y) {
    const std::uint8_t* const rgb = image.bytes.data() + (y * 2 + x) * 3;
    return std::array<std::uint8_t, 3>{rgb[0], rgb[1], rgb[2]};
  };
  EXPECT_EQ(pixel(1, 0), magma(1));
  EXPECT_EQ(pixel(0, 2), magma(0));
  EXPECT_EQ(pixel(1, 1), magma(300 / 500.0));
  const Framebuffer values = heat_map_framebuffer(map);
  EXPECT_EQ(values.pixels[5], (Pixel{500, 500, 500, 1}));
}

TEST(Magma, MatchesThePublishedMapWithinFiveLevels) {
  // From the table in matplotlib, at 0, 1/5, … 1.
  constexpr int kTable[6][3] = {{0, 0, 4},      {59, 15, 112},   {140, 41, 129},
                                {222, 73, 104}, {254, 159, 109}, {252, 253, 191}};
  for (int i = 0; i < 6; ++i) {
    const std::array<std::uint8_t, 3> rgb = magma(i / 5.0);
    for (std::size_t channel = 0; channel < 3; ++channel)
      EXPECT_NEAR(rgb[channel], kTable[i][channel], 5) << i << " " << channel;
  }
}

TEST(Magma, GrowsInLightnessAndClamps) {
  const auto lightness = [](double t) {
    const std::array<std::uint8_t, 3> rgb = magma(t);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  };
  for (int i = 0; i < 255; ++i) EXPECT_LE(lightness(i / 255.0), lightness((i + 1) / 255.0) + 0.8);
  for (int i = 0; i < 32; ++i) EXPECT_LT(lightness(i / 32.0), lightness((i + 1) / 32.0));
  EXPECT_EQ(magma(-1), magma(0));
  EXPECT_EQ(magma(2), magma(1));
  EXPECT_EQ(magma(std::numeric_limits<double>::quiet_NaN()), magma(0));
}

}  // namespace
}  // namespace roundel
