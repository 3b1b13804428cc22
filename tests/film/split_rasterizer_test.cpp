#include "renderer/film/split_rasterizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "renderer/base/error.h"
#include "renderer/image/bit_difference.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::draw_cpu;
using testing::image_of;
using testing::random_circles;

std::unique_ptr<Rasterizer> split_cpu(int parts) {
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  for (int i = 0; i < parts; ++i) rasterizers.push_back(make_cpu_rasterizer({}));
  return make_split_rasterizer(std::move(rasterizers));
}

TEST(SplitRasterizer, PartsEqualTheWhole) {
  for (const int rows : {1, 2, 7, 64, 1000}) {
    for (const int count : {1, 2, 3, 8}) {
      int next = 0;
      for (int i = 0; i < count; ++i) {
        const RowBand part = band_of(rows, i, count);
        EXPECT_EQ(part.first, next);
        EXPECT_LE(part.end - part.first, rows / count + 1);
        next = part.end;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(SplitRasterizer, FramesHaveTheSameBits) {
  const Circles circles = random_circles(20'000, 0.08f, 0.6f, 0.3);
  for (const auto& [width, height] : {std::pair{130, 97}, {64, 256}, {300, 5}, {17, 1}}) {
    const ImageSettings image = image_of(width, height);
    const Framebuffer expected = draw_cpu(circles, image);
    for (const int parts : {1, 2, 3, 8}) {
      Framebuffer framebuffer;
      StageStats stats;
      split_cpu(parts)->draw(circles, image, framebuffer, stats);
      ASSERT_EQ(framebuffer.pixels.size(), expected.pixels.size());
      EXPECT_EQ(std::memcmp(framebuffer.pixels.data(), expected.pixels.data(),
                            expected.pixels.size() * sizeof(Pixel)),
                0)
          << width << "x" << height << " in " << parts;
    }
  }
}

TEST(SplitRasterizer, ImagesHaveTheSameBytes) {
  const Circles circles = random_circles(5'000, 0.1f, 0.9f, 0);
  ImageSettings image = image_of(200, 150);
  for (const bool alpha : {false, true}) {
    image.alpha = alpha;
    Image expected, split;
    StageStats stats;
    make_cpu_rasterizer({})->draw(circles, image, expected, stats);
    split_cpu(3)->draw(circles, image, split, stats);
    ASSERT_EQ(split.bytes.size(), expected.bytes.size());
    EXPECT_EQ(std::memcmp(split.bytes.data(), expected.bytes.data(), expected.bytes.size()), 0);
  }
}

TEST(SplitRasterizer, BandsFetchOnlyTheirCircles) {
  const Circles circles = random_circles(10'000, 0.01f, 0.5f, 0);
  const ImageSettings image = image_of(1000, 1000);
  std::size_t together = 0;
  for (int i = 0; i < 10; ++i) {
    Circles selected;
    select_band(circles, image, band_of(1000, i, 10), selected);
    together += selected.count();
  }
  EXPECT_LT(together, circles.count() * 13 / 10);
}

TEST(SplitRasterizer, AcceptsCirclesMadeOnDemand) {
  const Circles circles = random_circles(20'000, 0.1f, 0.3f, 0.2);
  const CircleStream memory(circles);
  const CircleStream stream(circles.count(), [&](auto... run) { memory.fetch(run...); });
  Image expected, out;
  StageStats stats;
  make_cpu_rasterizer({})->draw(circles, image_of(90, 70), expected, stats);
  split_cpu(3)->draw(stream, image_of(90, 70), out, stats);
  EXPECT_TRUE(compare(expected, out).same());
}

TEST(SplitRasterizer, ErrorsOfPartsReachTheCaller) {
  class Failing : public Rasterizer {
   public:
    void draw_circles(const CircleStream&, const ImageSettings&, const FrameTarget&,
                      StageStats&) override {
      throw Error(ExitCode::kRuntimeFailure, "the device is gone");
    }
  };
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  rasterizers.push_back(make_cpu_rasterizer({}));
  rasterizers.push_back(std::make_unique<Failing>());
  Image out;
  StageStats stats;
  EXPECT_THROW(make_split_rasterizer(std::move(rasterizers))
                   ->draw(random_circles(10, 0.1f, 0.5f, 0), image_of(20, 20), out, stats),
               Error);
}

}  // namespace
}  // namespace roundel
