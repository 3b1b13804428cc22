#include <libdeflate.h>
#include <tbb/task_arena.h>

#include <array>
#include <cstring>
#include <future>
#include <random>
#include <set>

#include "renderer/image/bit_difference.h"
#include "renderer/image/png_format.h"
#include "renderer/raster/rasterizer.h"
#include "tests/image/image_test_support.h"
#include "tests/image/png_reference.h"

namespace roundel {
namespace {

std::uint32_t u32_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 |
                                    bytes[at + 3]);
}

/// Returns the types of a PNG's chunks in order, after checking each CRC.
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

TEST(Png, RoundTripsAtEverySize) {
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

TEST(Png, EqualFramesMakeEqualFiles) {
  // Encoded by several threads, with memory at other addresses: this reveals a compressor that
  // depends on addresses or on uninitialized memory.
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

TEST(Png, RoundTripsAtEveryBitDepth) {
  // From almost constant bytes, with long codes for others, to noise that barely shrinks.
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

TEST(Png, ConsumingThePictureMakesTheSameFile) {
  for (const int channels : {3, 4}) {
    const Image image = to_image(discs(1100, 800, 3, 5), channels == 4);
    Image given = to_image(discs(1100, 800, 3, 5), channels == 4);
    EXPECT_EQ(encode_png(given, kMetadata, &given.bytes), encode_png(image, kMetadata));
    EXPECT_EQ(encode_png(image, kMetadata), encode_png(image, kMetadata));  // it is still complete
  }
}

TEST(Png, AllEncodersMakeEqualBlocks) {
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

/// Returns the cost of the best length-limited code, by dynamic programming over the levels of its
/// tree: the most frequent symbols have the shortest codes, and a level with `free` nodes gives
/// some to symbols.
std::uint64_t least_limited_cost(const std::uint32_t* counts, std::size_t n, std::size_t limit) {
  std::vector<std::uint64_t> frequent(counts, counts + n);
  std::sort(frequent.rbegin(), frequent.rend());
  std::vector<std::uint64_t> left(n + 1);  // counts of all but the first k
  for (std::size_t k = n; k-- > 0;) left[k] = left[k + 1] + frequent[k];
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // least[k][free]: k symbols have codes, and the level has `free` nodes for others.
  std::vector<std::vector<std::uint64_t>> least(n + 1, std::vector<std::uint64_t>(n + 1, kNone));
  least[0][1] = 0;
  std::uint64_t best = kNone;
  for (std::size_t level = 1; level <= limit; ++level) {
    auto next = std::vector(n + 1, std::vector<std::uint64_t>(n + 1, kNone));
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t free = 1; free <= n; ++free) {
        if (least[k][free] == kNone) continue;
        const std::uint64_t cost = least[k][free] + left[k];  // all others get a bit longer
        for (std::size_t more = 0; more <= std::min(2 * free, n - k); ++more) {
          const std::size_t rest = std::min(2 * free - more, n);
          if (k + more == n) best = std::min(best, cost);
          if (rest > 0) next[k + more][rest] = std::min(next[k + more][rest], cost);
        }
      }
    }
    least = next;
  }
  return best;
}

/// Returns the contents of IDAT.
std::vector<std::uint8_t> zlib_stream_of(const std::vector<std::uint8_t>& png) {
  std::vector<std::uint8_t> stream;
  for (std::size_t at = 8; at + 12 <= png.size(); at += 12 + u32_at(png, at)) {
    const auto data = png.begin() + static_cast<std::ptrdiff_t>(at) + 8;
    if (std::equal(data - 4, data, "IDAT"))
      stream.insert(stream.end(), data, data + u32_at(png, at));
  }
  return stream;
}

TEST(Png, FollowsTheFormat) {
  if (kAddressSanitized) GTEST_SKIP() << "packs large pictures";
  std::mt19937 random(11);
  const TemporaryFolder folder;
  for (int k = 0; k < 400; ++k) {
    const int width = static_cast<int>(1 + random() % (k % 10 == 0 ? 3000 : 200));
    const int height = static_cast<int>(1 + random() % (k % 20 == 1 ? 1000 : 60));
    const Image image =
        mixed_image(width, height, 3 + k % 2, k % 4 < 2 ? 8 : 16, static_cast<unsigned>(k));
    const std::vector<std::uint8_t> png = encode_png(image, kMetadata);
    ASSERT_EQ(zlib_stream_of(png), ReferencePacker(image).pack())
        << k << ": " << width << "x" << height;
    write_bytes(folder / "a.png", png);
    ASSERT_TRUE(compare(image, read_png(folder / "a.png")).same()) << k;
  }
}

TEST(Png, PacksHalfOfNoiseIfSmaller) {
  if (kAddressSanitized) GTEST_SKIP() << "packs large pictures";
  // The buffer has no space for the unchanged noisy half; pictures of noise alone are stored.
  for (const int quiet : {0, 1, 8, 20, 500}) {
    Image image = random_image(1000, 500 + quiet, 3, 3);
    std::fill(image.bytes.begin() + 500 * 3000, image.bytes.end(), std::uint8_t{7});
    const std::vector<std::uint8_t> stream = zlib_stream_of(encode_png(image, kMetadata));
    ASSERT_EQ(stream, ReferencePacker(image).pack()) << quiet;
    EXPECT_EQ((stream[2] & 6) == 4, quiet >= 8) << quiet;
  }
}

TEST(PngFormat, CodesAreOptimal) {
  std::mt19937 random(3);
  for (int k = 0; k < 500; ++k) {
    std::uint32_t counts[png_format::kNumSymbols] = {};
    std::geometric_distribution<std::uint32_t> skewed(0.5 / (1 << k % 20));
    const std::size_t used = 2 + random() % 285;
    for (std::size_t i = 0; i < used; ++i) counts[i] = 1 + skewed(random);
    std::uint8_t lengths[png_format::kNumSymbols];
    png_format::code_lengths(counts, lengths);
    // Huffman's cost is the sum of all its merged nodes, and the least without a limit.
    std::multiset<std::uint64_t> nodes(counts, counts + used);
    std::uint64_t least = 0, cost = 0, kraft = 0;
    while (nodes.size() > 1) {
      std::uint64_t merged = 0;
      for (int node = 0; node < 2; ++node) merged += nodes.extract(nodes.begin()).value();
      nodes.insert(merged);
      least += merged;
    }
    unsigned longest = 0;
    for (std::size_t i = 0; i < png_format::kNumSymbols; ++i) {
      cost += std::uint64_t{counts[i]} * lengths[i];
      if (lengths[i] > 0) kraft += 1U << (15 - lengths[i]);
      longest = std::max<unsigned>(longest, lengths[i]);
      ASSERT_EQ(lengths[i] > 0, i < used);
    }
    ASSERT_EQ(kraft, 1U << 15) << k;
    if (longest < 15) {
      ASSERT_EQ(cost, least) << k;
    }
    ASSERT_GE(cost, least);
  }
}

TEST(PngFormat, LimitedCodesMatchKnownOnes) {
  // Fibonacci's numbers need 29 bits. Their best code of 15 was found by exhaustive search.
  std::uint32_t counts[png_format::kNumSymbols] = {1, 1};
  for (std::size_t i = 2; i < 30; ++i) counts[i] = counts[i - 1] + counts[i - 2];
  std::uint8_t lengths[png_format::kNumSymbols];
  png_format::code_lengths(counts, lengths);
  std::uint64_t kraft = 0, cost = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    ASSERT_LE(lengths[i], 15);
    kraft += 1U << (15 - lengths[i]);
    cost += std::uint64_t{counts[i]} * lengths[i];
  }
  EXPECT_EQ(kraft, 1U << 15);
  EXPECT_EQ(cost, least_limited_cost(counts, 30, 15));
}

TEST(Png, BytesAreKnown) {
  // This file has these bytes for every processor, vector width, compiler and library version.
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
  // Reads equal bytes as pixels of other kinds.
  Image words, translucent;
  words.resize(100, 100, 3, 16);
  translucent.resize(75, 100, 4, 16);
  words.bytes = clone_of(image.bytes);
  translucent.bytes = clone_of(image.bytes);
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    const auto expect = [&](const Image& a, std::size_t size, std::uint32_t crc) {
      const std::vector<std::uint8_t> png = encode_png(a, kMetadata);
      EXPECT_EQ(png.size(), size) << target;
      EXPECT_EQ(libdeflate_crc32(0, png.data(), png.size()), crc) << target;
    };
    expect(image, 6582, 3343564085U);
    expect(words, 6185, 691983114U);
    expect(translucent, 6996, 268313197U);
  }
  force_cpu_vector_target("");
}

TEST(Png, ChunksAreInOrderWithValidChecksums) {
  const std::vector<std::uint8_t> png = encode_png(picture(20, 10, 4), kMetadata);
  EXPECT_EQ(chunk_types(png), (std::vector<std::string>{"IHDR", "sRGB", "tEXt", "tEXt", "tEXt",
                                                        "tEXt", "IDAT", "IEND"}));
}

TEST(Png, InfoRoundTrips) {
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

TEST(Png, StoresAxesAsText) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.png";
  ImageMetadata metadata = kMetadata;
  metadata.axes = R"({"window":[[0.0,1.0],[0.0,1.0]]})";
  write_bytes(path, encode_png(picture(20, 10, 3), metadata));
  const PngInfo info = read_png_info(path);
  EXPECT_EQ(info.text.back(), (std::pair<std::string, std::string>{"Axes", metadata.axes}));
  ASSERT_TRUE(info.metadata.has_value());
  EXPECT_EQ(info.metadata->axes, metadata.axes);
}

TEST(Png, NoiseIsStoredAndGrowsByLessThanOnePercent) {
  const Image image = random_image(400, 300, 3, 1);
  EXPECT_LT(encode_png(image, kMetadata).size(), image.bytes.size() * 101 / 100 + 500);
}

TEST(Png, CirclesShrinkToATenth) {
  const Image image = picture(512, 512, 3);
  EXPECT_LT(encode_png(image, kMetadata).size(), image.bytes.size() / 10);
}

TEST(Png, PassesPngcheck) {
  if (std::system("command -v pngcheck >/dev/null") != 0) GTEST_SKIP() << "needs pngcheck";
  const TemporaryFolder folder;
  for (int channels : {3, 4}) {
    write_bytes(folder / "a.png", encode_png(picture(300, 200, channels), kMetadata));
    write_bytes(folder / "b.png", encode_png(random_image(65, 17, channels, 2), kMetadata));
    write_bytes(folder / "c.png", encode_png(mixed_image(1500, 17, channels, 16, 2), kMetadata));
    const std::string command = "pngcheck -q '" + folder / "a.png" + "' '" + folder / "b.png" +
                                "' '" + folder / "c.png" + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  // Tests the checker: a damaged file must fail.
  std::vector<std::uint8_t> damaged = read_bytes(folder / "a.png");
  damaged[damaged.size() / 2] ^= 1;
  write_bytes(folder / "a.png", damaged);
  EXPECT_NE(std::system(("pngcheck -q '" + folder / "a.png" + "' >/dev/null").c_str()), 0);
}

TEST(Png, PythonsZlibDecodesTheSamePixels) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "needs python3";
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
assert rest == [0, 0, 0]
row_bytes = width * {2: 3, 6: 4}[color] * depth // 8
raw, above, out = zlib.decompress(data), bytes(row_bytes), b''
assert len(raw) == (row_bytes + 1) * height
for y in range(height):
    row = raw[y * (row_bytes + 1):(y + 1) * (row_bytes + 1)]
    assert row[0] in (0, 2)
    above = bytes((a + b) & 255 for a, b in zip(row[1:], above)) if row[0] == 2 else row[1:]
    out += above
open(sys.argv[2], 'wb').write(out)
)";
  for (const Image& image : {picture(211, 97, 3), picture(211, 97, 4),
                             mixed_image(1100, 60, 3, 16, 1), mixed_image(1100, 60, 4, 16, 2)}) {
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
