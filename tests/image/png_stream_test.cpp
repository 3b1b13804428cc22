#include "renderer/image/png_stream.h"

#include <tbb/task_arena.h>

#include "renderer/image/bit_difference.h"
#include "renderer/image/png_format.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

PngShape shape_of(const Image& image) {
  return {image.width, image.height, image.channels, image.bits};
}

/// Encodes in calls of `blocks` blocks.
std::vector<std::uint8_t> streamed(const Image& image, std::size_t blocks = 1000,
                                   std::uint64_t max_idat_bytes = png_format::kMaxIdatBytes) {
  std::vector<std::uint8_t> file;
  const auto write = [&file](std::span<const std::uint8_t> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  PngStream stream(shape_of(image), kMetadata, write, max_idat_bytes);
  const auto height = static_cast<std::size_t>(image.height);
  const std::size_t rows = blocks * stream.rows_of_block();
  for (std::size_t y = 0; y < height; y += rows)
    stream.add(image.bytes.data() + y * image.row_bytes(), std::min(rows, height - y));
  stream.finish();
  return file;
}

int count_idat(const std::vector<std::uint8_t>& png) {
  int count = 0;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    count += std::equal(png.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                        png.begin() + static_cast<std::ptrdiff_t>(at) + 8, "IDAT");
    std::size_t size = 0;
    for (std::size_t k = 0; k < 4; ++k) size = size << 8 | png[at + k];
    at += 12 + size;
  }
  return count;
}

TEST(PngStream, MatchesTheOtherEncoders) {
  std::mt19937 random(5);
  for (int k = 0; k < 60; ++k) {
    const Image image =
        mixed_image(static_cast<int>(1 + random() % 2200), static_cast<int>(1 + random() % 90),
                    3 + k % 2, 8, static_cast<unsigned>(k));
    EXPECT_EQ(streamed(image), encode_png(image, kMetadata)) << image.width << "x" << image.height;
  }
}

TEST(PngStream, PicturesOfSeveralBlocksMatchForAllEncodersAndThreads) {
  if (kAddressSanitized) GTEST_SKIP() << "packs large pictures";
  // Three blocks, one of them noise, which is stored.
  const Image image = [] {
    Image mixed = mixed_image(60'000, 900, 3, 8, 1);
    std::mt19937 random(2);
    const std::size_t block = png_format::block_rows(mixed.row_bytes() + 1) * mixed.row_bytes();
    for (std::size_t k = block; k < 2 * block; ++k)
      mixed.bytes[k] = static_cast<std::uint8_t>(random());
    return mixed;
  }();
  const auto with_threads = [](int threads, const auto& encode) {
    return tbb::task_arena(threads).execute(encode);
  };
  const std::vector<std::uint8_t> png =
      with_threads(1, [&] { return encode_png(image, kMetadata); });
  EXPECT_TRUE(with_threads(4, [&] { return encode_png(image, kMetadata); }) == png);
  EXPECT_TRUE(with_threads(4, [&] { return streamed(image); }) == png);
  EXPECT_TRUE(with_threads(3, [&] { return streamed(image, 1); }) == png);
  const TemporaryFolder folder;
  write_bytes(folder / "a.png", png);
  EXPECT_TRUE(compare(image, read_png(folder / "a.png")).same());
  // As beyond two gigabytes: an equal stream, with an IDAT chunk a block.
  const std::vector<std::uint8_t> chunks = streamed(image, 1, 0);
  EXPECT_EQ(chunks.size(), png.size() + 2 * 12);
  EXPECT_EQ(count_idat(chunks), 3);
  write_bytes(folder / "b.png", chunks);
  EXPECT_TRUE(compare(image, read_png(folder / "b.png")).same());
}

TEST(PngStream, AppliesToPicturesOverTwoGigabytesAndSixteenBits) {
  EXPECT_FALSE(is_streamed_png({1024, 1024, 3, 8}));
  EXPECT_FALSE(is_streamed_png({25'000, 26'000, 3, 8}));
  EXPECT_TRUE(is_streamed_png({26'000, 26'000, 3, 8}));
  EXPECT_TRUE(is_streamed_png({65'536, 65'536, 4, 8}));
  EXPECT_TRUE(is_streamed_png({16, 16, 3, 16}));
}

TEST(PngStream, ErrorsOfTheWriterReachTheCaller) {
  const Image image = random_image(1000, 1000, 3, 1);
  int calls = 0;
  const auto fail_at = [&](int failing) {
    calls = 0;
    PngStream stream(shape_of(image), kMetadata, [&](std::span<const std::uint8_t>) {
      if (++calls == failing) throw Error(ExitCode::kRuntimeFailure, "disk full");
    });
    stream.add(image.bytes.data(), 1000);
    stream.finish();
  };
  for (int failing = 1; failing <= 5; ++failing) EXPECT_THROW(fail_at(failing), Error) << failing;
  EXPECT_NO_THROW(fail_at(6));
}

}  // namespace
}  // namespace roundel
