// Readers answer damaged files by an Error that names the file, or a picture of the header's size;
// they never crash and never take much memory.
#include <libdeflate.h>
#include <sys/stat.h>

#include <cstring>

#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

void expect_refused(const std::string& path, std::string_view problem) {
  for (const Error& error :
       {error_of([&] { read_png(path); }), error_of([&] { read_png_info(path); })}) {
    EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene) << error.what();
    EXPECT_EQ(std::string(error.what()).substr(0, path.size() + 2), path + ": ");
    EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
  }
}

void set_u32(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t k = 0; k < 4; ++k)
    bytes[at + k] = static_cast<std::uint8_t>(value >> (24 - 8 * k));
}

std::uint32_t u32_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | bytes[at + k];
  return value;
}

/// Changes the size in IHDR and corrects its checksum.
std::vector<std::uint8_t> with_size(std::vector<std::uint8_t> png, std::uint32_t width,
                                    std::uint32_t height) {
  set_u32(png, 16, width);
  set_u32(png, 20, height);
  set_u32(png, 29, libdeflate_crc32(0, &png[12], 17));
  return png;
}

std::vector<std::uint8_t> small_png(int channels) {
  return encode_png(to_image(discs(24, 16, 10, 1, 0.5f), channels == 4), kMetadata);
}

TEST(DamagedFiles, RejectsMissingFilesFoldersAndPipes) {
  const TemporaryFolder folder;
  expect_refused(folder / "missing.png", "no such file");
  std::filesystem::create_directory(folder / "folder.png");
  expect_refused(folder / "folder.png", "expected a file, got a directory");
  ASSERT_EQ(mkfifo((folder / "pipe.png").c_str(), 0600), 0);
  expect_refused(folder / "pipe.png", "expected a regular file");
  write_bytes(folder / "empty.png", {});
  expect_refused(folder / "empty.png", "not a valid PNG");
}

TEST(DamagedFiles, RejectsEveryTruncation) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> png = small_png(3);
  for (std::size_t size = 0; size < png.size(); ++size) {
    write_bytes(folder / "a.png", std::span(png).first(size));
    expect_refused(folder / "a.png", "not a valid PNG");
  }
}

TEST(DamagedFiles, DetectsEveryFlippedBit) {
  // A CRC guards every chunk, the signature and the lengths guard the rest.
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> png = small_png(4);
  for (std::size_t bit = 0; bit < png.size() * 8; bit += 5) {
    std::vector<std::uint8_t> damaged = png;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    write_bytes(folder / "a.png", damaged);
    expect_refused(folder / "a.png", "not a valid PNG");
  }
}

TEST(DamagedFiles, HeaderThatClaimsGigabytesAllocatesNothing) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.png", with_size(small_png(3), 65536, 65536));
  expect_refused(folder / "a.png", "the pixels are cut off");
  write_bytes(folder / "a.png", with_size(small_png(3), 65537, 1));
  expect_refused(folder / "a.png", "is not supported: a side of more than 65536 pixels");
  write_bytes(folder / "a.png", with_size(small_png(3), 0x7fffffff, 0x7fffffff));
  expect_refused(folder / "a.png", "is not supported: a side of more than 65536 pixels");
}

TEST(DamagedFiles, TextOverAMegabyteStaysPacked) {
  const std::vector<char> zeros(64 << 20);
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(9);
  std::vector<std::uint8_t> packed(1 << 20);
  packed.resize(libdeflate_zlib_compress(compressor, zeros.data(), zeros.size(), packed.data(),
                                         packed.size()));
  libdeflate_free_compressor(compressor);
  std::vector<std::uint8_t> chunk = {0, 0, 0, 0, 'z', 'T', 'X', 't', 'A', 0, 0};
  chunk.insert(chunk.end(), packed.begin(), packed.end());
  set_u32(chunk, 0, static_cast<std::uint32_t>(chunk.size() - 8));
  const std::uint32_t crc = libdeflate_crc32(0, chunk.data() + 4, chunk.size() - 4);
  chunk.resize(chunk.size() + 4);
  set_u32(chunk, chunk.size() - 4, crc);
  std::vector<std::uint8_t> png = small_png(3);
  png.insert(png.begin() + 33, chunk.begin(), chunk.end());

  const TemporaryFolder folder;
  write_bytes(folder / "a.png", png);
  std::size_t longest = 0;
  try {
    for (const auto& [key, value] : read_png_info(folder / "a.png").text) {
      longest = std::max(longest, value.size());
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
  }
  EXPECT_LE(longest, std::size_t{1} << 20);
}

/// Damages files at random; with `repairs` corrects the CRCs, so that the damage gets past them.
template <typename Read>
void mutate(const std::vector<std::uint8_t>& file, int rounds, bool repairs, Read read) {
  std::mt19937 random(20240229);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::uint8_t> damaged = file;
    for (unsigned k = 0, count = 1 + random() % 4; k < count && !damaged.empty(); ++k) {
      const std::size_t at = random() % damaged.size();
      const auto offset = static_cast<std::ptrdiff_t>(at);
      switch (random() % 4) {
        case 0:
          damaged[at] ^= static_cast<std::uint8_t>(1U << (random() % 8));
          break;
        case 1:
          damaged[at] = static_cast<std::uint8_t>(random());
          break;
        case 2:
          damaged.erase(damaged.begin() + offset,
                        damaged.begin() + offset +
                            static_cast<std::ptrdiff_t>(
                                std::min<std::size_t>(random() % 16, damaged.size() - at)));
          break;
        default:
          damaged.insert(damaged.begin() + offset, random() % 16,
                         static_cast<std::uint8_t>(random()));
      }
    }
    for (std::size_t at = 8; repairs && at + 12 <= damaged.size();) {
      const std::size_t size = u32_at(damaged, at);
      if (size > damaged.size() - at - 12) break;
      set_u32(damaged, at + 8 + size, libdeflate_crc32(0, &damaged[at + 4], size + 4));
      at += 12 + size;
    }
    try {
      read(damaged);
    } catch (const Error& error) {
      ASSERT_EQ(error.exit_code(), ExitCode::kInvalidScene) << error.what();
    }
  }
}

TEST(DamagedFiles, RandomDamageNeverCrashesThePngReader) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.png";
  for (int channels : {3, 4}) {
    for (bool repairs : {false, true}) {
      mutate(small_png(channels), 1500, repairs, [&](const std::vector<std::uint8_t>& bytes) {
        write_bytes(path, bytes);
        try {
          read_png_info(path);
        } catch (const Error& error) {
          EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene) << error.what();
        }
        const Image image = read_png(path);
        ASSERT_EQ(image.bytes.size(), static_cast<std::size_t>(image.width) *
                                          static_cast<std::size_t>(image.height) *
                                          static_cast<std::size_t>(image.channels));
      });
    }
  }
}

TEST(DamagedFiles, RandomDamageNeverCrashesThePfmReader) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.pfm";
  mutate(encode_pfm(discs(5, 3, 4, 1)), 4000, false, [&](const std::vector<std::uint8_t>& bytes) {
    write_bytes(path, bytes);
    const Framebuffer framebuffer = read_pfm(path);
    ASSERT_EQ(framebuffer.pixels.size(), static_cast<std::size_t>(framebuffer.width) *
                                             static_cast<std::size_t>(framebuffer.height));
  });
}

}  // namespace
}  // namespace roundel
