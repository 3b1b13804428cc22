#include "tools/lab/bench/frame_work.h"

#include <cmath>

#include "renderer/explain/heat_map.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::Disc;
using testing::image_of;
using testing::make_circles;

TEST(FrameWork, StackedDiscsCountUntilThePixelStops) {
  // At alpha 1/2 a pixel stops after 20 circles, at 1/4 after 49.
  for (const auto& [alpha, layers] : {std::pair{0.5f, 20U}, {0.25f, 49U}, {1.0f, 1U}}) {
    const std::vector<Disc> discs(100, {{0.5f, 0.5f, 0, 2.0f}, {1, 1, 1, alpha}});
    const FrameWork work = count_work(make_circles(discs), image_of(33, 18));
    EXPECT_EQ(work.fragments, 33U * 18U * layers) << alpha;
    EXPECT_EQ(work.visible, layers) << alpha;
  }
}

TEST(FrameWork, FragmentsAreTheCoveredPixels) {
  const Circles circles = testing::random_circles(300, 0.2f, 0.01f, 0.3);
  const ImageSettings image = image_of(70, 50);
  std::uint64_t covered = 0;
  for (const Shape& shape : circles.shapes) {
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        const float s = 1.0f / 50.0f;
        const float dx = shape.x - s * (static_cast<float>(x) + 0.5f);
        const float dy = shape.y - s * (static_cast<float>(y) + 0.5f);
        covered += dx * dx + dy * dy <= shape.radius * shape.radius ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(count_work(circles, image).fragments, covered);
}

TEST(FrameWork, FragmentsAreTheSumOfTheHeatMap) {
  for (const bool antialias : {false, true}) {
    Circles circles = testing::random_circles(2000, 0.2f, 0.5f, 0.3);
    ImageSettings image = image_of(50, 41);
    image.antialias = antialias;
    for (const bool with_style : {false, true}) {
      if (with_style) {
        testing::add_looks(
            circles, {BlendMode::kOver, BlendMode::kAdd, BlendMode::kMultiply, BlendMode::kScreen},
            0.4);
        image.styles = {true, true, true};
      }
      const HeatMap stop = make_heat_map(circles, image, HeatMapKind::kStop, 0);
      EXPECT_EQ(count_work(circles, image).fragments, summarize(stop).sum)
          << antialias << with_style;
    }
  }
  const Circles circles = testing::random_circles(2000, 0.2f, 0.5f, 0.3);
  ImageSettings crop = image_of(50, 41);
  crop.crop = CropOrigin{120, 90, 33, 21};
  EXPECT_EQ(count_work(circles, crop).fragments,
            summarize(make_heat_map(circles, crop, HeatMapKind::kStop, 0)).sum);
}

TEST(FrameWork, CirclesThatCoverNothingAreNotVisible) {
  const Disc off{{3.0f, 0.5f, 0, 0.1f}, {1, 1, 1, 0.5f}};
  const Disc between_centres{{0.5f, 0.5f, 0, 1e-4f}, {1, 1, 1, 0.5f}};
  const FrameWork work = count_work(make_circles({off, between_centres}), image_of(10, 10));
  EXPECT_EQ(work.fragments, 0U);
  EXPECT_EQ(work.visible, 0U);
}

}  // namespace
}  // namespace roundel
