#include "renderer/image/png_stream.h"

#include <array>
#include <stdexcept>

#include "renderer/image/compare.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

std::vector<std::uint8_t> streamed(const Image& image) {
  std::vector<std::uint8_t> file;
  stream_png(image, kMetadata, [&file](std::span<const std::uint8_t> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  });
  return file;
}

TEST(PngStream, HasThePixelsAndChunksOfTheOtherEncoder) {
  const TemporaryFolder folder;
  constexpr std::array<std::array<int, 2>, 5> kSizes = {
      {{1, 1}, {1, 300}, {300, 1}, {63, 65}, {1100, 900}}};
  for (const auto& [width, height] : kSizes) {
    for (const int channels : {3, 4}) {
      const Image image = random_image(width, height, channels, 9);
      write_bytes(folder / "streamed.png", streamed(image));
      write_bytes(folder / "usual.png", encode_png(image, kMetadata));
      EXPECT_TRUE(compare(image, read_png(folder / "streamed.png")).same()) << width;
      const PngInfo info = read_png_info(folder / "streamed.png");
      EXPECT_EQ(info.text, read_png_info(folder / "usual.png").text);
      ASSERT_TRUE(info.metadata);
      EXPECT_EQ(info.metadata->frame, kMetadata.frame);
    }
  }
}

TEST(PngStream, IsForPicturesBeyondTwoGigabytes) {
  EXPECT_FALSE(is_streamed_png(1024, 1024, 3));
  EXPECT_FALSE(is_streamed_png(25'000, 26'000, 3));
  EXPECT_TRUE(is_streamed_png(26'000, 26'000, 3));
  EXPECT_TRUE(is_streamed_png(65'536, 65'536, 4));
}

TEST(PngStream, ErrorsOfTheWriterComeThrough) {
  const Image image = random_image(1000, 1000, 3, 1);
  EXPECT_THROW(stream_png(image, kMetadata,
                          [](std::span<const std::uint8_t>) {
                            throw Error(ExitCode::kRuntimeFailure, "disk full");
                          }),
               Error);
}

}  // namespace
}  // namespace roundel
