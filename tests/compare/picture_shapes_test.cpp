#include "renderer/compare/picture_shapes.h"

#include <algorithm>

#include "renderer/image/color_space.h"
#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

/// Returns the picture in other channels, by definition: grey is spread, alpha is 255.
Picture in_channels(const Picture& picture, int channels) {
  Picture out = random_picture(picture.width, picture.height, channels, 1);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      for (int c = 0; c < channels; ++c) {
        const bool is_alpha = channels % 2 == 0 && c == channels - 1;
        const bool has_alpha = picture.channels % 2 == 0;
        const int from = is_alpha ? picture.channels - 1 : picture.channels < 3 ? 0 : c;
        out.bytes[sample_at(out, x, y, c)] =
            is_alpha && !has_alpha ? 255 : picture.bytes[sample_at(picture, x, y, from)];
      }
  return out;
}

/// Returns the values as 16 bits.
Picture in_words(const Picture& picture) {
  Picture words = as_floats(picture, 255);
  words.samples = Picture::Samples::kWords;
  for (std::size_t i = 0; i < picture.bytes.size(); ++i) words.floats[i] = picture.bytes[i];
  return words;
}

TEST(AlikePictures, StoreTheSamePixelsDifferently) {
  for (const int channels : {1, 2, 3, 4}) {
    const Picture picture = random_picture(13, 7, channels, 3);
    for (const int others : {1, 2, 3, 4}) {
      if (others < channels) continue;
      for (const bool is_deep : {false, true}) {
        if (others == 3 && channels == 2) continue;  // not a spreading
        SCOPED_TRACE(std::to_string(channels) + " and " + std::to_string(others));
        Picture a = copy_of(picture), b = in_channels(picture, others);
        if (is_deep) b = in_words(b);
        unify_shapes(a, b);
        EXPECT_TRUE(same_shape(a, b));
        EXPECT_EQ(a.channels, others);
        EXPECT_EQ(compare_pictures(a, b, {}, {}).kind, PictureDifference::Kind::kEqualPixels);
      }
    }
  }
}

TEST(AlikePictures, CompareGreyWithAlphaAndRgbAsRgba) {
  Picture a = random_picture(5, 4, 2, 3), b = random_picture(5, 4, 3, 4);
  const std::uint8_t alpha = a.bytes[sample_at(a, 2, 1, 1)];
  unify_shapes(a, b);
  EXPECT_EQ(a.channels, 4);
  EXPECT_EQ(b.bytes[sample_at(b, 2, 1, 3)], 255);
  EXPECT_EQ(a.bytes[sample_at(a, 2, 1, 3)], alpha);
  EXPECT_EQ(a.bytes[sample_at(a, 2, 1, 0)], a.bytes[sample_at(a, 2, 1, 2)]);
}

TEST(AlikePictures, TranslucentPixelIsADifference) {
  Picture a = random_picture(5, 4, 3, 3), b = in_channels(a, 4);
  b.bytes[sample_at(b, 1, 1, 3)] = 254;
  unify_shapes(a, b);
  EXPECT_EQ(compare_pictures(a, b, {}, {}).pixels, 1u);
}

TEST(AlikePictures, OtherPicturesStayUnchanged) {
  const Picture picture = random_picture(5, 4, 3, 3);
  Picture gamma = copy_of(picture), moved = copy_of(picture);
  gamma.color_space = "gamma 1";
  moved.left = 1;
  Picture others[] = {random_picture(4, 4, 3, 1), as_floats(picture, 1), std::move(gamma),
                      std::move(moved)};
  for (Picture& other : others) {
    Picture a = copy_of(picture);
    unify_shapes(a, other);
    EXPECT_FALSE(same_shape(a, other));
    EXPECT_EQ(a.channels, 3);
  }
  Picture a = copy_of(picture), b = copy_of(picture);
  b.color_space = std::string(kSrgbProfile) + " (0000)";
  unify_shapes(a, b);
  EXPECT_TRUE(same_shape(a, b));
}

}  // namespace
}  // namespace roundel
