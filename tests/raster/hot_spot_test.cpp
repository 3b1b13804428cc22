// Tiles with so many circles that several threads of the CPU share them.
#include "renderer/raster/frame_estimate.h"
#include "tests/raster/testing.h"
#include "tests/testing.h"

namespace roundel {
namespace {

/// Most circles' centres lie in an eighth of the image; radii up to `largest`.
Circles crowded_circles(std::size_t count, float largest, double snow_share) {
  Circles circles = testing::random_circles(count, largest, 0.001f, snow_share);
  for (std::size_t i = 0; i < count; ++i) {
    Shape& shape = circles.shapes[i];
    if (i % 16 == 0) continue;
    shape.x = 0.56f + 0.1f * shape.x;
    shape.y = 0.56f + 0.1f * shape.y;
  }
  return circles;
}

/// Whether circles have looks, and coverage by area.
class HotSpot : public ::testing::TestWithParam<std::tuple<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(Frames, HotSpot, ::testing::Combine(::testing::Bool(), ::testing::Bool()));

TEST_P(HotSpot, HasTheSameBitsByAnyThreads) {
  const auto [has_looks, antialias] = GetParam();
  if (kAddressSanitized && !(has_looks && antialias))
    GTEST_SKIP() << "the last of the four has all that the others have";
  if (kThreadSanitized && (has_looks || antialias))
    GTEST_SKIP() << "starts the same threads as the first of the four";
  ImageSettings image = testing::image_of(70, 70);
  image.antialias = antialias;
  constexpr std::size_t kCount = 90'000;
  for (const auto& [largest, snow_share] : {std::pair(0.02f, 0.3), {0.06f, 0.0}, {2.0f, 0.0}}) {
    if (kSanitized && largest == 2.0f) break;
    Circles circles = crowded_circles(kCount, largest, snow_share);
    if (has_looks) {
      testing::add_looks(circles, {BlendMode::kOver, BlendMode::kScreen}, 0.5, 100);
      image.looks = {.rings = true, .adds = false, .filters = true};
    }
    ASSERT_GE(estimate_frame(circles, image, 32, 3).longest_list, 32768);
    const Framebuffer expected = testing::draw_cpu(circles, image, {.threads = 1});
    for (const int threads : {2, 8})
      testing::expect_same_bits(expected, testing::draw_cpu(circles, image, {.threads = threads}),
                                std::to_string(threads) + " threads");
    // In chunks, with states in between; as lists of indices and of copies.
    testing::expect_same_bits(
        expected, testing::draw_cpu(circles, image, {.threads = 4, .chunk_circles = 80'000}),
        "chunks");
  }
}

/// Specks of which most lie in one band of a tile: on a few pixels in the middle of a tile, around
/// a corner of four tiles, at the image's.
TEST(HotSpotOfSpecks, HasTheSameBitsByAnyThreads) {
  const ImageSettings image = testing::image_of(70, 70);
  constexpr std::size_t kCount = 300'000;
  constexpr float kPixel = 1.0f / 70;
  for (const float place : {16.5f, 32.0f, 69.5f}) {
    for (const float max_alpha : {0.02f, 1e-5f}) {
      if (kSanitized && max_alpha == 1e-5f) break;
      for (const auto& [odd_one, radius] :
           {std::pair(0U, 0.5f), {100U, 20.0f}, {299'000U, 20.0f}}) {
        if (odd_one != 0 && place != 16.5f) continue;
        Circles circles = testing::random_circles(kCount, 1.5f * kPixel, max_alpha, 0);
        for (Shape& shape : circles.shapes) {
          shape.x = kPixel * (place + 2 * (shape.x - 0.5f));
          shape.y = kPixel * (place + 2 * (shape.y - 0.5f));
        }
        circles.shapes[odd_one].radius =
            radius * kPixel;  // that is no speck, far behind or in front
        ASSERT_GE(estimate_frame(circles, image, 32, 3).longest_list, 32768);
        const Framebuffer expected = testing::draw_cpu(circles, image, {.threads = 1});
        for (const int threads : {2, 8})
          testing::expect_same_bits(expected,
                                    testing::draw_cpu(circles, image, {.threads = threads}),
                                    std::to_string(threads) + " threads");
        testing::expect_same_bits(
            expected, testing::draw_cpu(circles, image, {.threads = 4, .chunk_circles = 80'000}),
            "chunks");
        if (odd_one != 0) continue;
        for (const std::string& target : cpu_vector_targets()) {
          ASSERT_TRUE(force_cpu_vector_target(target));
          testing::expect_same_bits(expected, testing::draw_cpu(circles, image, {.threads = 2}),
                                    target);
        }
        force_cpu_vector_target("");
      }
    }
  }
}

}  // namespace
}  // namespace roundel
