#include <libdeflate.h>
#include <tbb/task_arena.h>

#include <array>
#include <cstring>
#include <future>
#include <random>

#include "renderer/image/compare.h"
#include "renderer/raster/rasterizer.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

std::uint32_t u32_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 |
                                    bytes[at + 3]);
}

/// The types of a PNG's chunks in order, each CRC checked.
std::vector<std::string> chunk_types(std::span<const std::uint8_t> png) {
  std::vector<std::string> types;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t size = u32_at(png, at);
    types.emplace_back(reinterpret_cast<const char*>(&png[at + 4]), 4);
    EXPECT_EQ(u32_at(png, at + 8 + size), libdeflate_crc32(0, &png[at + 4], size + 4));
    at += 12 + size;
  }
  return types;
}

Image picture(int width, int height, int channels) {
  return to_image(discs(width, height, 30, 5, 0.75f), channels == 4);
}

TEST(Png, ComesBackPixelForPixelAtEverySize) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.png";
  constexpr std::array<std::array<int, 2>, 9> kSizes = {
      {{1, 1}, {1, 300}, {300, 1}, {2, 2}, {17, 3}, {63, 65}, {64, 64}, {255, 129}, {700, 300}}};
  for (const auto& [width, height] : kSizes) {
    for (int channels : {3, 4}) {
      for (const Image& image :
           {picture(width, height, channels), random_image(width, height, channels, 9)}) {
        write_bytes(path, encode_png(image, kMetadata));
        EXPECT_TRUE(compare(image, read_png(path)).same()) << width << "x" << height;
      }
    }
  }
}

TEST(Png, SameFrameIsTheSameFile) {
  // Encoded by threads at once, with memory in other places: a compressor that looks at addresses
  // or at memory it has not set shows here.
  const Image image = picture(300, 200, 3);
  const std::vector<std::uint8_t> expected = encode_png(image, kMetadata);
  std::vector<std::future<bool>> same;
  for (int thread = 0; thread < 4; ++thread) {
    same.push_back(std::async(std::launch::async, [&, thread] {
      std::vector<std::unique_ptr<std::uint8_t[]>> ballast;
      for (int k = 0; k < 50; ++k) {
        ballast.push_back(std::make_unique<std::uint8_t[]>(
            static_cast<std::size_t>((k * 7919 + thread * 104729) % 300000 + 1)));
        std::memset(ballast.back().get(), k, 1);
        Image copy;
        copy.width = image.width, copy.height = image.height, copy.channels = image.channels;
        copy.bytes = clone_of(image.bytes);
        if (encode_png(copy, kMetadata) != expected) return false;
      }
      return true;
    }));
  }
  for (auto& result : same) EXPECT_TRUE(result.get());
}

TEST(Png, PixelsOfEveryNumberOfBitsComeBack) {
  // From nearly always the same byte, with long codes for others, to noise that just shrinks.
  const TemporaryFolder folder;
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    Image image;
    image.resize(60 + i % 7, 50, 3 + i % 2);
    std::geometric_distribution<int> step(0.006 * (1 + i % 80));
    int value = 0;
    for (std::uint8_t& byte : image.bytes)
      byte = static_cast<std::uint8_t>(value += random() % 2 == 0 ? step(random) : -step(random));
    write_bytes(folder / "a.png", encode_png(image, kMetadata));
    ASSERT_TRUE(compare(image, read_png(folder / "a.png")).same()) << i;
  }
}

TEST(Png, IsTheSameWhenThePictureIsGivenUp) {
  for (const int channels : {3, 4}) {
    const Image image = to_image(discs(1100, 800, 3, 5), channels == 4);
    Image given = to_image(discs(1100, 800, 3, 5), channels == 4);
    EXPECT_EQ(encode_png(given, kMetadata, &given.bytes), encode_png(image, kMetadata));
    EXPECT_EQ(encode_png(image, kMetadata), encode_png(image, kMetadata));  // it is whole still
  }
}

TEST(Png, BlocksAreTheSameWhoeverMakesThem) {
  // Several blocks: runs that cross their borders, and colours so rare that their codes are long.
  for (const int channels : {3, 4}) {
    Image image = to_image(discs(1100, 800, 3, 5), channels == 4);
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i)
      image.bytes[random() % image.bytes.size()] = static_cast<std::uint8_t>(random());
    const auto encode = [&image](int threads) {
      return tbb::task_arena(threads).execute([&image] { return encode_png(image, kMetadata); });
    };
    const std::vector<std::uint8_t> png = encode(1);
    EXPECT_EQ(encode(4), png);
    const TemporaryFolder folder;
    write_bytes(folder / "a.png", png);
    EXPECT_TRUE(compare(image, read_png(folder / "a.png")).same()) << channels;
  }
}

TEST(Png, BytesAreKnown) {
  // Whatever the processor, its vectors, compiler and library versions: this file has these bytes.
  Image image;
  image.resize(200, 100, 3);
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 200; ++x) {
      const bool inside = (x - 100) * (x - 100) + (y - 50) * (y - 50) < 1600;
      std::uint8_t* rgb = &image.bytes[static_cast<std::size_t>((y * 200 + x) * 3)];
      rgb[0] = static_cast<std::uint8_t>(inside ? 200 : 255 - y);
      rgb[1] = static_cast<std::uint8_t>(inside ? x * y / 97 : 255 - y);
      rgb[2] = static_cast<std::uint8_t>(inside ? x ^ y : 255 - y);
    }
  }
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    const std::vector<std::uint8_t> png = encode_png(image, kMetadata);
    EXPECT_EQ(png.size(), 6604U) << target;
    EXPECT_EQ(libdeflate_crc32(0, png.data(), png.size()), 3787358857U) << target;
  }
  force_cpu_vector_target("");
}

TEST(Png, HasItsChunksInOrderWithSoundChecksums) {
  const std::vector<std::uint8_t> png = encode_png(picture(20, 10, 4), kMetadata);
  EXPECT_EQ(chunk_types(png), (std::vector<std::string>{"IHDR", "sRGB", "tEXt", "tEXt", "tEXt",
                                                        "tEXt", "IDAT", "IEND"}));
}

TEST(Png, InfoTellsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.png";
  write_bytes(path, encode_png(picture(20, 10, 4), kMetadata));
  const PngInfo info = read_png_info(path);
  EXPECT_EQ(info.width, 20);
  EXPECT_EQ(info.height, 10);
  EXPECT_EQ(info.bit_depth, 8);
  EXPECT_EQ(info.channels, 4);
  EXPECT_EQ(info.text, (std::vector<std::pair<std::string, std::string>>{
                           {"Software", "roundel 0.1.0"},
                           {"Fingerprint", "00112233445566778899aabbccddeeff"},
                           {"Seed", "4294967295"},
                           {"Frame", "9000000000"}}));
  ASSERT_TRUE(info.metadata.has_value());
  EXPECT_EQ(info.metadata->software, kMetadata.software);
  EXPECT_EQ(info.metadata->fingerprint, kMetadata.fingerprint);
  EXPECT_EQ(info.metadata->seed, kMetadata.seed);
  EXPECT_EQ(info.metadata->frame, kMetadata.frame);
}

TEST(Png, NoiseIsStoredAndGrowsByLessThanOnePercent) {
  const Image image = random_image(400, 300, 3, 1);
  EXPECT_LT(encode_png(image, kMetadata).size(), image.bytes.size() * 101 / 100 + 500);
}

TEST(Png, CirclesShrinkToATenth) {
  const Image image = picture(512, 512, 3);
  EXPECT_LT(encode_png(image, kMetadata).size(), image.bytes.size() / 10);
}

TEST(Png, PngcheckFindsNothing) {
  if (std::system("command -v pngcheck >/dev/null") != 0)
    GTEST_SKIP() << "pngcheck is not installed";
  const TemporaryFolder folder;
  for (int channels : {3, 4}) {
    write_bytes(folder / "a.png", encode_png(picture(300, 200, channels), kMetadata));
    write_bytes(folder / "b.png", encode_png(random_image(65, 17, channels, 2), kMetadata));
    const std::string command = "pngcheck -q '" + folder / "a.png" + "' '" + folder / "b.png" + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  // The checker itself: a damaged file must fail.
  std::vector<std::uint8_t> damaged = read_bytes(folder / "a.png");
  damaged[damaged.size() / 2] ^= 1;
  write_bytes(folder / "a.png", damaged);
  EXPECT_NE(std::system(("pngcheck -q '" + folder / "a.png" + "' >/dev/null").c_str()), 0);
}

TEST(Png, PythonsZlibDecodesTheSamePixels) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const TemporaryFolder folder;
  std::ofstream(folder / "decode.py") << R"(
import struct, sys, zlib
png, at, data = open(sys.argv[1], 'rb').read(), 8, b''
while at < len(png):
    size, kind = struct.unpack('>I4s', png[at:at + 8])
    body = png[at + 8:at + 8 + size]
    if kind == b'IHDR': width, height, depth, color, *rest = struct.unpack('>IIBBBBB', body)
    if kind == b'IDAT': data += body
    at += 12 + size
assert depth == 8 and rest == [0, 0, 0]
row_bytes = width * {2: 3, 6: 4}[color]
raw, above, out = zlib.decompress(data), bytes(row_bytes), b''
assert len(raw) == (row_bytes + 1) * height
for y in range(height):
    row = raw[y * (row_bytes + 1):(y + 1) * (row_bytes + 1)]
    assert row[0] in (0, 2)
    above = bytes((a + b) & 255 for a, b in zip(row[1:], above)) if row[0] == 2 else row[1:]
    out += above
open(sys.argv[2], 'wb').write(out)
)";
  for (int channels : {3, 4}) {
    const Image image = picture(211, 97, channels);
    write_bytes(folder / "a.png", encode_png(image, kMetadata));
    const std::string command = "python3 '" + folder / "decode.py" + "' '" + folder / "a.png" +
                                "' '" + folder / "a.raw" + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_bytes(folder / "a.raw"),
              std::vector<std::uint8_t>(image.bytes.begin(), image.bytes.end()));
  }
}

}  // namespace
}  // namespace roundel
