// Pictures of different size, and pictures whose content has moved.
#include "renderer/compare/picture_shift.h"

#include <random>

#include "renderer/compare/difference_image.h"
#include "renderer/compare/difference_regions.h"
#include "renderer/compare/picture_shapes.h"
#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

using Kind = PictureDifference::Kind;

Picture flat_picture(int width, int height) {
  Image image;
  image.resize(width, height, 3);
  std::fill(image.bytes.begin(), image.bytes.end(), std::uint8_t{240});
  return picture_of(std::move(image), {});
}

void set_pixel(Picture& picture, int x, int y, std::uint8_t value) {
  for (int c = 0; c < 3; ++c) picture.bytes[sample_at(picture, x, y, c)] = value;
}

/// A few flat rectangles.
Picture rectangles(int width, int height) {
  Picture picture = flat_picture(width, height);
  std::mt19937 random(3);
  for (int i = 0; i < 12; ++i) {
    const int side = 5 + static_cast<int>(random() % 30), left = static_cast<int>(random() % 200),
              top = static_cast<int>(random() % 120);
    const auto value = static_cast<std::uint8_t>(random() % 200);
    for (int y = top; y < std::min(height, top + side); ++y)
      for (int x = left; x < std::min(width, left + side); ++x) set_pixel(picture, x, y, value);
  }
  return picture;
}

/// The content moves to the right and down; the background fills the rest.
Picture moved(const Picture& picture, int dx, int dy) {
  Picture out = flat_picture(picture.width, picture.height);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const int from_x = x - dx, from_y = y - dy;
      if (from_x < 0 || from_y < 0 || from_x >= out.width || from_y >= out.height) continue;
      set_pixel(out, x, y, picture.bytes[sample_at(picture, from_x, from_y, 0)]);
    }
  return out;
}

Picture with_noise(const Picture& picture, double share, unsigned seed) {
  Picture noisy = copy_of(picture);
  std::mt19937 random(seed);
  const auto pixels = static_cast<int>(share * static_cast<double>(picture.pixels()));
  for (int i = 0; i < pixels; ++i) {
    const int x = static_cast<int>(random() % static_cast<unsigned>(picture.width));
    const int y = static_cast<int>(random() % static_cast<unsigned>(picture.height));
    set_pixel(noisy, x, y, static_cast<std::uint8_t>(random() % 256));
  }
  return noisy;
}

Picture cut(const Picture& picture, int left, int top, int width, int height) {
  Picture part = flat_picture(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      set_pixel(part, x, y, picture.bytes[sample_at(picture, left + x, top + y, 0)]);
  return part;
}

Picture words_of(const Picture& bytes) {
  Picture words = as_floats(bytes, 255);
  words.samples = Picture::Samples::kWords;
  return words;
}

PictureDifference aligned(const Picture& a, const Picture& b, const Tolerance& tolerance = {}) {
  return compare_pictures(a, b, tolerance, {.shift = true});
}

void expect_shift(const PictureDifference& difference, int x, int y) {
  ASSERT_TRUE(difference.shift);
  EXPECT_EQ(difference.shift->x, x);
  EXPECT_EQ(difference.shift->y, y);
}

TEST(PicturesOfOtherSize, AreComparedWhereTheyOverlap) {
  const Picture a = rectangles(64, 48);
  for (const auto& [width, height] : {std::pair{60, 48}, {64, 40}, {50, 50}, {70, 60}, {70, 40}}) {
    Picture b = flat_picture(width, height);
    b = placed_on(b, a);
    for (int x = 10; x < 22; ++x) set_pixel(b, x, 7, 241);
    const PictureDifference difference = compare_pictures(a, b, {}, {});
    EXPECT_EQ(difference.kind, Kind::kOtherShape);
    EXPECT_FALSE(difference.shift);
    ASSERT_TRUE(difference.overlap);
    EXPECT_EQ(difference.overlap->width, std::min(64, width));
    EXPECT_EQ(difference.overlap->height, std::min(48, height));
    EXPECT_EQ(difference.overlap->pixels_over, 12U);
    const Image image = difference_image(a, b, {});
    EXPECT_EQ(image.width, 64);
    EXPECT_EQ(image.height, 48);
    const auto places = difference_regions(a, b, image);
    ASSERT_EQ(places.size(), 1U);
    EXPECT_EQ(places[0].pixels, 12U);
    EXPECT_EQ(compare_pictures(a, b, {.ignore = {{10, 7, 9, 1}}}, {}).overlap->pixels_over, 3U);
    EXPECT_FALSE(apply_tolerance(difference, {.max_delta = 255, .max_pixels = 1e9}).same);
  }
  EXPECT_EQ(apply_tolerance(compare_pictures(a, flat_picture(60, 48), {.max_delta = 255}, {}), {})
                .reasons,
            std::vector<std::string>{
                "they are 64x48 RGB and 60x48 RGB; 0 of 2,880 shared pixels differ"});
}

TEST(PicturesOfOtherSize, AreMarkedWhereOneHasNoPixels) {
  const Picture a = flat_picture(40, 30);
  const Image image = difference_image(a, flat_picture(32, 26), {});
  int marked = 0;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) {
      const std::uint8_t* const rgb = &image.bytes[3 * static_cast<std::size_t>(y * 40 + x)];
      const bool is_grey = rgb[0] == rgb[1] && rgb[1] == rgb[2];
      EXPECT_TRUE(is_grey || x >= 32 || y >= 26);
      if (!is_grey) ++marked;
    }
  EXPECT_EQ(marked, (8 * 30 + 32 * 4) / 2);
}

TEST(PicturesOfOtherSize, HaveNoOverlapIfTheirChannelsDiffer) {
  const Picture rgb = random_picture(20, 10, 3, 1), grey = random_picture(21, 10, 1, 1);
  EXPECT_FALSE(compare_pictures(rgb, grey, {}, {.shift = true}).overlap);
  EXPECT_FALSE(has_difference_image(compare_pictures(rgb, grey, {}, {})));
}

TEST(Shift, MovedContentIsFound) {
  const Picture a = rectangles(230, 150);
  for (const auto& [x, y] : {std::pair{1, 0}, {0, 1}, {-1, -1}, {-7, 12}, {16, -16}, {-16, 3}}) {
    const Picture b = moved(a, x, y);
    const PictureDifference difference = aligned(a, b);
    expect_shift(difference, x, y);
    EXPECT_EQ(difference.shift->pixels_over, 0U);
    EXPECT_EQ(difference.shift->edge,
              static_cast<std::uint64_t>(230 * 150 - (230 - std::abs(x)) * (150 - std::abs(y))));
    EXPECT_FALSE(apply_tolerance(difference, {}).same);
    expect_shift(aligned(b, a), -x, -y);
    expect_shift(aligned(words_of(a), words_of(b)), x, y);
    expect_shift(aligned(as_floats(a, 1), as_floats(b, 1)), x, y);
  }
  EXPECT_EQ(apply_tolerance(aligned(a, moved(a, 1, 0)), {}).reasons.back(),
            "equal after a shift of 1 pixel right, 0 down; 150 pixels at the edge have no partner");
}

TEST(Shift, IsFoundInNoise) {
  const Picture a = rectangles(230, 150);
  const Picture b = with_noise(moved(a, -7, 12), 0.01, 1);
  const PictureDifference difference = aligned(a, b);
  expect_shift(difference, -7, 12);
  EXPECT_GT(difference.shift->pixels_over, 200U);
  EXPECT_LT(difference.shift->pixels_over, 345U);
  EXPECT_TRUE(apply_tolerance(difference, {}).reasons.back().starts_with("only "));
}

TEST(Shift, NoiseAloneHasNone) {
  const Picture flat = flat_picture(80, 60), a = rectangles(230, 150);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const double share : {0.0005, 0.01, 0.5}) {
      EXPECT_FALSE(aligned(a, with_noise(a, share, seed)).shift);
      EXPECT_FALSE(aligned(flat, with_noise(flat, share, seed)).shift);
      EXPECT_FALSE(
          aligned(with_noise(flat, share, seed), with_noise(flat, share, seed + 100)).shift);
    }
    EXPECT_FALSE(
        aligned(random_picture(60, 50, 3, seed), random_picture(60, 50, 3, seed + 100)).shift);
  }
}

TEST(Shift, AChangeAtTheEdgeIsNone) {
  const Picture a = flat_picture(80, 60);
  Picture b = copy_of(a);
  for (int y = 0; y < 60; ++y) set_pixel(b, 79, y, 0);
  EXPECT_FALSE(aligned(a, b).shift);
  EXPECT_FALSE(aligned(b, a).shift);
}

TEST(Shift, TheShortestOfEqualOnesIsTaken) {
  Picture stripes = flat_picture(80, 60), next = flat_picture(80, 60);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 79; x += 4) set_pixel(stripes, x, y, 0), set_pixel(next, x + 1, y, 0);
  expect_shift(aligned(stripes, next), 1, 0);
}

TEST(Shift, ExplainsACroppedPicture) {
  const Picture a = rectangles(230, 150);
  const Picture b = cut(a, 5, 3, 200, 140);
  const PictureDifference difference = aligned(a, b);
  expect_shift(difference, -5, -3);
  EXPECT_EQ(difference.shift->pixels_over, 0U);
  EXPECT_EQ(difference.shift->edge, 230U * 150 - 200 * 140);
  expect_shift(aligned(b, a), 5, 3);
  EXPECT_EQ(aligned(b, a).shift->edge, 0U);
}

TEST(Shift, CountsByTheTolerance) {
  const Picture a = rectangles(230, 150);
  Picture b = moved(a, 3, 2);
  for (std::uint8_t& value : b.bytes) value = static_cast<std::uint8_t>(value ^ 1);
  EXPECT_FALSE(aligned(a, b).shift);
  expect_shift(aligned(a, b, {.max_delta = 1}), 3, 2);
  Picture c = moved(a, 3, 2);
  for (int x = 100; x < 140; ++x) set_pixel(c, x, 60, 250);
  EXPECT_EQ(aligned(a, c).shift->pixels_over, 40U);
  EXPECT_EQ(aligned(a, c, {.ignore = {{100, 60, 30, 1}}}).shift->pixels_over, 10U);
}

TEST(Shift, OfTinyAndFlatPicturesIsNone) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {1, 40}, {17, 3}}) {
    const Picture flat = flat_picture(width, height);
    Picture spot = flat_picture(width, height);
    set_pixel(spot, 0, 0, 1);
    EXPECT_FALSE(aligned(flat, spot).shift);
    EXPECT_FALSE(aligned(spot, flat).shift);
  }
}

}  // namespace
}  // namespace roundel
