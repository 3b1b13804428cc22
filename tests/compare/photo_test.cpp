// JPEG and WebP files in the fuzzer's corpus, written by Pillow.
#include "renderer/image/photo.h"

#include <cstdlib>

#include "renderer/base/input_file.h"
#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

constexpr int kWidth = 24, kHeight = 17;

/// Sample c of pixel (x, y) before encoding.
int encoded(int x, int y, int c) {
  const int samples[] = {x * 10, y * 14, x * y, x * 9};
  return samples[c] % 256;
}

std::string corpus(const std::string& name) {
  return ROUNDEL_SOURCE_DIR "/tests/fuzz/corpus/picture/" + name;
}

Buffer<std::byte> bytes_of(const std::string& name) {
  return InputFile(corpus(name)).read_all();
}

class Photo : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"grey.jpg", "lossless.webp"}) {
      try {
        read_picture(corpus(name));
      } catch (const Error& error) {
        ASSERT_EQ(error.exit_code(), ExitCode::kRuntimeFailure) << error.what();
        GTEST_SKIP() << error.what();  // built without it
      }
    }
  }

  static std::string problem_of(const std::string& name) {
    return error_of([&] { read_picture(corpus(name)); }).what();
  }
};

TEST_F(Photo, LosslessFilesAreReadExactly) {
  const Picture picture = read_picture(corpus("lossless.webp"));
  ASSERT_EQ(picture.width, kWidth);
  ASSERT_EQ(picture.height, kHeight);
  ASSERT_EQ(picture.channels, 4);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (int c = 0; c < 4; ++c)
        ASSERT_EQ(picture.bytes[sample_at(picture, x, y, c)], encoded(x, y, c));
}

TEST_F(Photo, LossyFilesAreReadApproximately) {
  for (const char* name : {"colour.jpg", "progressive.jpg", "lossy.webp"}) {
    const Picture picture = read_picture(corpus(name));
    ASSERT_EQ(picture.width, kWidth);
    ASSERT_EQ(picture.height, kHeight);
    ASSERT_EQ(picture.channels, 3);
    int sum[3] = {};
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (int c = 0; c < 3; ++c)
          sum[c] += std::abs(picture.bytes[sample_at(picture, x, y, c)] - encoded(x, y, c));
    for (const int of_channel : sum) EXPECT_LT(of_channel, 12 * kWidth * kHeight) << name;
  }
  const Picture grey = read_picture(corpus("grey.jpg"));
  EXPECT_EQ(grey.channels, 1);
  EXPECT_NEAR(grey.bytes[sample_at(grey, 20, 0, 0)], 0.299 * encoded(20, 0, 0), 4);
}

TEST_F(Photo, ProfileAndOrientationBelongToTheShape) {
  const Picture plain = read_picture(corpus("colour.jpg"));
  EXPECT_EQ(plain.color_space, "");
  EXPECT_EQ(plain.orientation, 1);
  const Picture turned = read_picture(corpus("progressive.jpg"));
  EXPECT_EQ(compare_pictures(plain, turned, {}, {}).shape,
            "24x17 RGB and 24x17 RGB, turned by Exif orientation 6");
  const Picture tagged = read_picture(corpus("lossy.webp"));
  EXPECT_TRUE(tagged.color_space.starts_with("an ICC profile (")) << tagged.color_space;
  EXPECT_EQ(tagged.orientation, 6);
  const PngInfo info = read_photo_info(corpus("lossy.webp"));
  EXPECT_EQ(info.color_space, tagged.color_space);
  EXPECT_EQ(info.orientation, 6);
}

TEST_F(Photo, RejectsCmykAndAnimations) {
  EXPECT_EQ(
      problem_of("cmyk.jpg"),
      corpus("cmyk.jpg") + ": is not supported: expected grey or colours of three channels, got 4");
  EXPECT_EQ(
      problem_of("animated.webp"),
      corpus("animated.webp") + ": is not supported: an animation; save one frame as its own file");
}

TEST_F(Photo, RejectsTruncatedFiles) {
  for (const char* name :
       {"colour.jpg", "grey.jpg", "progressive.jpg", "lossy.webp", "lossless.webp"}) {
    const Buffer<std::byte> file = bytes_of(name);
    for (std::size_t size = 12; size < file.size(); ++size) {
      const Error error = error_of([&] { decode_picture(name, file.span().first(size)); });
      ASSERT_EQ(error.exit_code(), ExitCode::kInvalidScene) << size;
      ASSERT_TRUE(std::string(error.what()).starts_with(name + std::string(": not a valid ")))
          << error.what();
    }
  }
}

TEST_F(Photo, RejectsMorePixelsThanTheFileCanHold) {
  Buffer<std::byte> file = bytes_of("grey.jpg");
  for (std::size_t at = 2; at + 9 < file.size(); ++at) {
    if (file[at] != std::byte{0xff} || file[at + 1] != std::byte{0xc0}) continue;
    for (std::size_t k = 5; k < 9; ++k) file[at + k] = std::byte{0xef};  // height, width
  }
  EXPECT_STREQ(error_of([&] { decode_picture("a.jpg", file.span()); }).what(),
               "a.jpg: not a valid JPEG: the pixels are cut off");
}

TEST(PhotoName, MatchesKnownExtensions) {
  for (const char* name : {"a.jpg", "a.b.JPEG", "x/y.WebP"}) EXPECT_TRUE(is_photo_name(name));
  for (const char* name : {"", "jpg", "a.png", "a.jpg.txt", "webp."})
    EXPECT_FALSE(is_photo_name(name));
}

}  // namespace
}  // namespace roundel
