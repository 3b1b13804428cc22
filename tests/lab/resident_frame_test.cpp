#include "tools/lab/bench/resident_frame.h"

#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::Disc;
using testing::image_of;

Image draw_on_cpu(const Circles& circles, const ImageSettings& image) {
  Image out;
  StageStats stats;
  make_cpu_rasterizer({})->draw(circles, image, out, stats);
  return out;
}

void expect_replays_equal_the_cpu(const Circles& circles, const ImageSettings& image) {
  const auto frame = make_resident_frame({}, circles, image);
  const Image expected = draw_on_cpu(circles, image);
  for (int replay = 0; replay < 3; ++replay) {
    EXPECT_GT(frame->draw_wall_us(), 0);
    EXPECT_GT(frame->draw_device_us(), 0);
    Image actual;
    frame->read(actual);
    EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                           expected.bytes.end()))
        << "replay " << replay;
  }
}

TEST(ResidentFrame, ReplaysEqualTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  for (const std::size_t count : {0U, 1U, 32U, 33U, 2000U, 5000U, 60000U})
    expect_replays_equal_the_cpu(testing::random_circles(count, 0.05f, 0.5f, 0.2),
                                 image_of(333, 217));
}

TEST(ResidentFrame, FewLargeCirclesInFrontOfManyEqualTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  // The front chunk is blended without lists and leaves tiles at the right edge to the next one.
  expect_replays_equal_the_cpu(testing::random_circles(60000, 0.5f, 0.9f, 0.1), image_of(333, 217));
}

TEST(ResidentFrame, SeveralMacrotilesEqualTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  expect_replays_equal_the_cpu(testing::random_circles(20000, 0.1f, 0.9f, 0.1),
                               image_of(2500, 1100));
}

TEST(ResidentFrame, ListsGrowIfSamplesUnderestimate) {
  ROUNDEL_NEEDS_CUDA();
  // A few thousand discs over everything, adjacent in order among faint dots: their slabs have
  // hundreds of times the overlaps of the others.
  Circles circles = testing::random_circles(300000, 0.0005f, 0.001f, 0);
  for (std::size_t i = 100000; i < 104000; ++i) {
    circles.shapes[i] = {0.5f, 0.5f, 0, 2.0f};
    circles.paints[i].alpha = 0.001f;
  }
  expect_replays_equal_the_cpu(circles, image_of(1024, 1024));
}

}  // namespace
}  // namespace roundel
