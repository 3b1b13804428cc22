#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <bit>
#include <cmath>
#include <limits>

#include "renderer/image/bit_difference.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

/// Returns discs with the values that only float files keep.
Framebuffer picture(int width, int height) {
  Framebuffer framebuffer = discs(width, height, 20, 11, 0.625f);
  framebuffer.pixels[0] = {1e6f, -0.0f, 1e-40f, 0.25f};
  return framebuffer;
}

TEST(FormatOf, IgnoresTheCaseOfTheExtension) {
  EXPECT_EQ(format_of("a.png"), ImageFormat::kPng);
  EXPECT_EQ(format_of("out/A.PNG"), ImageFormat::kPng);
  EXPECT_EQ(format_of("a.png.Exr"), ImageFormat::kExr);
  EXPECT_EQ(format_of(".pfm"), ImageFormat::kPfm);
}

TEST(FormatOf, RejectsOtherExtensionsAndListsTheKnownOnes) {
  for (const char* path : {"", "png", "a.jpg", "a.png ", "a.png/b"}) {
    const Error error = error_of([&] { format_of(path); });
    EXPECT_EQ(error.exit_code(), ExitCode::kUsage);
    EXPECT_EQ(error.what(), std::string(path) + ": unknown ending, expected .png, .exr or .pfm");
  }
}

TEST(Exr, RoundTripsBitForBitTheRightWayUp) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.exr";
  for (auto [width, height] : {std::pair(1, 1), std::pair(33, 17), std::pair(130, 70)}) {
    for (bool alpha : {false, true}) {
      const Framebuffer framebuffer = picture(width, height);
      write_bytes(path, encode_exr(framebuffer, alpha, ExrValues::kLinear, kMetadata));

      Imf::InputFile file(path.c_str(), 0);
      EXPECT_EQ(file.header().channels().findChannel("A") != nullptr, alpha);
      EXPECT_EQ(file.header().channels().findChannel("R")->type, Imf::FLOAT);
      Framebuffer top_down, expected;
      top_down.resize(width, height);
      expected.resize(width, height);
      for (Pixel& pixel : top_down.pixels) pixel.alpha = 1;
      Imf::FrameBuffer slices;
      int c = 0;
      for (const char* name : {"R", "G", "B", "A"}) {
        char* base = reinterpret_cast<char*>(top_down.pixels.data()) + 4 * c++;
        if (*name == 'A' && !alpha) break;
        slices.insert(name, Imf::Slice(Imf::FLOAT, base, sizeof(Pixel),
                                       sizeof(Pixel) * static_cast<std::size_t>(width)));
      }
      file.setFrameBuffer(slices);
      file.readPixels(0, height - 1);
      for (int j = 0; j < height; ++j) {
        for (int i = 0; i < width; ++i) {
          Pixel pixel = framebuffer.pixels[static_cast<std::size_t>((height - 1 - j) * width + i)];
          if (!alpha) pixel.alpha = 1;
          expected.pixels[static_cast<std::size_t>(j * width + i)] = pixel;
        }
      }
      EXPECT_TRUE(compare(top_down, expected).same());
    }
  }
}

TEST(Exr, HasMetadataAndNoTimeStamp) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.exr";
  write_bytes(path, encode_exr(picture(8, 8), false, ExrValues::kLinear, kMetadata));
  const Imf::InputFile file(path.c_str(), 0);
  const auto text = [&](const char* name) {
    return file.header().typedAttribute<Imf::StringAttribute>(name).value();
  };
  EXPECT_EQ(text("software"), kMetadata.software);
  EXPECT_EQ(text("fingerprint"), kMetadata.fingerprint);
  EXPECT_EQ(text("seed"), "4294967295");
  EXPECT_EQ(text("frame"), "9000000000");
  EXPECT_EQ(file.header().findTypedAttribute<Imf::StringAttribute>("capDate"), nullptr);
}

TEST(Exr, EqualFramesMakeEqualFiles) {
  EXPECT_EQ(encode_exr(picture(100, 50), true, ExrValues::kLinear, kMetadata),
            encode_exr(picture(100, 50), true, ExrValues::kLinear, kMetadata));
}

TEST(FloatFiles, ConsumingThePictureMakesTheSameFile) {
  const Framebuffer large = picture(1500, 700);  // its rows go in several batches
  Framebuffer given = picture(1500, 700);
  RowDiscarder exr_discarder(given);
  EXPECT_EQ(encode_exr(given, true, ExrValues::kLinear, kMetadata, &exr_discarder),
            encode_exr(large, true, ExrValues::kLinear, kMetadata));
  given = picture(1500, 700);
  RowDiscarder pfm_discarder(given);
  EXPECT_EQ(encode_pfm(given, &pfm_discarder), encode_pfm(large));
}

TEST(Pfm, HasAHeaderAndRowsBottomToTop) {
  Framebuffer framebuffer;
  framebuffer.resize(1, 2);
  framebuffer.pixels[0] = {1, 0, 0, 1};
  framebuffer.pixels[1] = {0, 0, -2, 0.5f};
  const std::vector<std::uint8_t> file = encode_pfm(framebuffer);
  const std::string header = "PF\n1 2\n-1.0\n";
  ASSERT_EQ(file.size(), header.size() + 24);
  EXPECT_EQ(std::string(file.begin(), file.begin() + 12), header);
  EXPECT_EQ(file[12 + 3], 0x3f);   // red of the bottom pixel, 1.0f little-endian
  EXPECT_EQ(file[12 + 23], 0xc0);  // blue of the top pixel, −2.0f
}

TEST(Pfm, RoundTripsBitForBitExceptAlpha) {
  const TemporaryFolder folder;
  Framebuffer framebuffer = picture(37, 19);
  framebuffer.pixels[5].red = std::bit_cast<float>(0x7fc12345U);
  write_bytes(folder / "a.pfm", encode_pfm(framebuffer));
  for (Pixel& pixel : framebuffer.pixels) pixel.alpha = 1;
  EXPECT_TRUE(compare(framebuffer, read_pfm(folder / "a.pfm")).same());
}

TEST(Pfm, ReadsBigEndianFiles) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.pfm", std::ios::binary)
      << "PF\n1 1\n1.0\n"
      << std::string("\x3f\x80\0\0\x40\0\0\0\xbf\0\0\0", 12);
  EXPECT_EQ(read_pfm(folder / "a.pfm").pixels[0], (Pixel{1, 2, -0.5f, 1}));
}

TEST(Pfm, ReadsTheReferencePictures) {
  const std::filesystem::path folder = ROUNDEL_SOURCE_DIR "/../shared/reference/images";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs the reference pictures";
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pfm") continue;
    const Framebuffer framebuffer = read_pfm(entry.path().string());
    EXPECT_EQ(encode_pfm(framebuffer), read_bytes(entry.path().string())) << entry.path();
    ++read;
  }
  EXPECT_GT(read, 0);
}

TEST(Pfm, RejectsMalformedFilesWithTheirPath) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.pfm";
  const std::string pixel(12, '\0');
  const std::pair<std::string, const char*> files[] = {
      {"", "the header is malformed"},
      {"P6\n1 1\n-1.0\n" + pixel, "it does not start with PF or Pf"},
      {"Pf\n1 1\n-1.0\n" + pixel.substr(8), "it has one channel, expected three"},
      {"PF\n1 1", "the header is malformed"},
      {"PF\nx 1\n-1.0\n" + pixel, "the width is not a number"},
      {"PF\n1 1.5\n-1.0\n" + pixel, "the height is not a number"},
      {"PF\n1 1\nnan\n" + pixel, "the scale is neither -1 nor 1"},
      {"PF\n1 1\n-2\n" + pixel, "the scale is neither -1 nor 1"},
      {"PF\n0 1\n-1.0\n", "a size of 0x1 is out of range"},
      {"PF\n-1 -1\n-1.0\n" + pixel, "a size of -1x-1 is out of range"},
      {"PF\n65537 1\n-1.0\n" + pixel, "a size of 65537x1 is out of range"},
      {"PF\n99999999999 1\n-1.0\n" + pixel, "the width is not a number"},
      {"PF\n65536 65536\n-1.0\n" + pixel, "12 bytes of pixels, expected 51539607552"},
      {"PF\n1 1\n-1.0\n" + pixel.substr(1), "11 bytes of pixels, expected 12"},
      {"PF\n1 1\n-1.0\n" + pixel + "x", "13 bytes of pixels, expected 12"},
      {"PF\n" + std::string(1000, '1') + " 1\n-1.0\n" + pixel, "the header is malformed"},
  };
  for (const auto& [bytes, problem] : files) {
    std::ofstream(path, std::ios::binary) << bytes;
    const Error error = error_of([&] { read_pfm(path); });
    EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
    EXPECT_EQ(error.what(), path + ": not a valid PFM file: " + problem);
  }
}

}  // namespace
}  // namespace roundel
