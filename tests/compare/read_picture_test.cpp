// PNG files of every kind, EXR and PFM are decoded correctly; everything else is a clear error.
#include <OpenEXR/ImfArray.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepScanLineOutputFile.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfPartType.h>

#include <filesystem>
#include <fstream>

#include "renderer/base/input_file.h"
#include "renderer/compare/difference_image.h"
#include "renderer/raster/rasterizer.h"
#include "tests/compare/compare_test_support.h"
#include "tests/compare/png_writer.h"

namespace roundel {
namespace {

Picture decoded(const PngBytes& file) {
  return decode_picture("a.png", std::as_bytes(std::span(file)));
}

void write_file(const std::string& path, const PngBytes& file) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

std::string problem_of(const PngBytes& file) {
  const Error error = error_of([&] { decoded(file); });
  EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
  return error.what();
}

/// Returns a value of `bits` bits for a sample.
unsigned hashed(int x, int y, int c, int bits) {
  const auto u = [](int value) { return static_cast<unsigned>(value); };
  const unsigned h = (u(x) * 73856093U ^ u(y) * 19349663U ^ u(c) * 83492791U) * 2654435761U;
  return (h >> 7) & ((1U << bits) - 1);
}

PngWriter writer(int width, int height, int color_type, int bit_depth) {
  PngWriter png{.width = width,
                .height = height,
                .bit_depth = bit_depth,
                .color_type = color_type,
                .sample = [bit_depth](int x, int y, int c) { return hashed(x, y, c, bit_depth); }};
  return png;
}

/// Flat areas with edges of all directions and single pixels in them: rows that are filtered to
/// runs of zeros, of every length.
unsigned flat(int x, int y, int c) {
  if (hashed(x, y, 0, 8) == 0) return hashed(x, y, c, 8);
  const int area = (x * 3 + y < 170 ? 1 : 0) + (x > y * 7 ? 2 : 0) + (y % 11 == 0 ? 4 : 0) + x / 90;
  return hashed(area, 0, c, 8);
}

TEST(ReadPicture, EightBitSamplesRoundTripWithAllFiltersInterlaceAndPieces) {
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    for (const int color_type : {0, 2, 4, 6}) {
      for (const auto& [width, height] :
           {std::pair{1, 1}, {1, 9}, {2, 7}, {3, 3}, {17, 31}, {200, 12}}) {
        for (int variant = 0; variant < 9; ++variant) {
          PngWriter png = writer(width, height, color_type, 8);
          png.is_interlaced = variant == 8;
          png.pieces = variant == 7 ? 3 : 1;
          if (variant < 5) png.filter = [variant](int) { return variant; };
          if (variant == 5) png.filter = [](int y) { return y % 3 == 0 ? 2 : 4; };
          const Picture picture = decoded(png.file());
          ASSERT_EQ(picture.channels, png.channels());
          for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
              for (int c = 0; c < png.channels(); ++c)
                ASSERT_EQ(picture.bytes[sample_at(picture, x, y, c)], hashed(x, y, c, 8))
                    << target << " type " << color_type << " " << width << "x" << height
                    << " variant " << variant << " at " << x << ", " << y;
        }
      }
    }
  }
  force_cpu_vector_target("");
}

TEST(ReadPicture, RunsOfEqualPixelsRoundTripWithAllFilters) {
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    for (const int color_type : {0, 2, 4, 6}) {
      for (int variant = 0; variant < 7; ++variant) {
        PngWriter png = writer(300, 60, color_type, 8);
        png.sample = flat;
        if (variant < 5) png.filter = [variant](int) { return variant; };
        if (variant == 5) png.filter = [](int y) { return y % 3 == 0 ? 2 : 4; };
        if (variant == 6) png.filter = [](int y) { return y % 5; };
        const Picture picture = decoded(png.file());
        for (int y = 0; y < png.height; ++y)
          for (int x = 0; x < png.width; ++x)
            for (int c = 0; c < png.channels(); ++c)
              ASSERT_EQ(picture.bytes[sample_at(picture, x, y, c)], flat(x, y, c))
                  << target << " type " << color_type << " variant " << variant << " at " << x
                  << ", " << y;
      }
    }
  }
  force_cpu_vector_target("");
}

TEST(ReadPicture, GreyBelowEightBitsIsScaledToAllLevels) {
  for (const int bits : {1, 2, 4}) {
    for (const bool is_interlaced : {false, true}) {
      PngWriter png = writer(19, 11, 0, bits);
      png.is_interlaced = is_interlaced;
      const Picture picture = decoded(png.file());
      ASSERT_EQ(picture.channels, 1);
      for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 19; ++x)
          ASSERT_EQ(picture.bytes[sample_at(picture, x, y, 0)],
                    hashed(x, y, 0, bits) * 255 / ((1U << bits) - 1));
    }
  }
}

TEST(ReadPicture, PaletteBecomesRgbOrRgbaWithTransparency) {
  const PngBytes palette = png_chunk("PLTE", {10, 20, 30, 40, 50, 60, 70, 80, 90, 1, 2, 3});
  const PngBytes transparency = png_chunk("tRNS", {255, 128});
  for (const int bits : {2, 4, 8}) {
    for (const bool is_transparent : {false, true}) {
      PngWriter png = writer(9, 7, 3, bits);
      png.sample = [](int x, int y, int) { return hashed(x, y, 0, 2); };
      png.chunks_before = palette;
      if (is_transparent)
        png.chunks_before.insert(png.chunks_before.end(), transparency.begin(), transparency.end());
      const Picture picture = decoded(png.file());
      ASSERT_EQ(picture.channels, is_transparent ? 4 : 3);
      for (int y = 0; y < 7; ++y) {
        for (int x = 0; x < 9; ++x) {
          const unsigned index = hashed(x, y, 0, 2);
          const std::uint8_t greens[] = {20, 50, 80, 2}, alphas[] = {255, 128, 255, 255};
          ASSERT_EQ(picture.bytes[sample_at(picture, x, y, 1)], greens[index]);
          if (is_transparent) {
            ASSERT_EQ(picture.bytes[sample_at(picture, x, y, 3)], alphas[index]);
          }
        }
      }
    }
  }
}

TEST(ReadPicture, PaletteAppliesAtAllDepthsAndInterlace) {
  for (const int bits : {1, 2, 4, 8}) {
    for (const bool is_interlaced : {false, true}) {
      PngWriter png = writer(19, 11, 3, bits);
      png.is_interlaced = is_interlaced;
      PngBytes colors;
      for (unsigned i = 0; i < (1U << bits); ++i)
        colors.insert(colors.end(), {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(~i),
                                     static_cast<std::uint8_t>(3 * i)});
      png.chunks_before = png_chunk("PLTE", colors);
      const Picture picture = decoded(png.file());
      for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 19; ++x)
          for (int c = 0; c < 3; ++c)
            ASSERT_EQ(picture.bytes[sample_at(picture, x, y, c)],
                      colors[3 * hashed(x, y, 0, bits) + static_cast<unsigned>(c)])
                << bits << " bits at " << x << ", " << y;
    }
  }
}

/// One pixel, the last, has colour 3 of a palette of 3.
TEST(ReadPicture, ColourMissingInThePaletteIsDamage) {
  const std::string path = ::testing::TempDir() + "roundel_palette.png";
  for (const int bits : {2, 4, 8}) {
    for (const bool is_interlaced : {false, true}) {
      PngWriter png = writer(9, 7, 3, bits);
      png.is_interlaced = is_interlaced;
      png.chunks_before = png_chunk("PLTE", {10, 20, 30, 40, 50, 60, 70, 80, 90});
      png.sample = [](int x, int y, int) { return x == 8 && y == 6 ? 2U : 1U; };
      write_file(path, png.file());
      EXPECT_NO_THROW(read_png_info(path)) << bits;
      EXPECT_EQ(decoded(png.file()).channels, 3);

      png.sample = [](int x, int y, int) { return x == 8 && y == 6 ? 3U : 1U; };
      const PngBytes file = png.file();
      const std::string problem = ": not a valid PNG: a pixel has colour 3 of a palette of 3";
      EXPECT_EQ(problem_of(file), "a.png" + problem) << bits;
      write_file(path, file);
      EXPECT_EQ(error_of([&] { read_png_info(path); }).what(), path + problem) << bits;
    }
  }
  std::filesystem::remove(path);
}

TEST(ReadPicture, UnreadableProfileIsDamage) {
  const std::string path = ::testing::TempDir() + "roundel_profile.png";
  PngBytes profile(400, 7);
  put_word(profile, 0, profile.size());
  const PngBytes packed = zlib_packed(profile);
  const auto with = [](std::string_view start, const PngBytes& rest) {
    PngBytes data(start.begin(), start.end());
    data.insert(data.end(), rest.begin(), rest.end());
    return png_chunk("iCCP", data);
  };
  const std::string_view name("name\0\0", 6), other_method("name\0\1", 6);
  struct Case {
    PngBytes chunk;
    bool is_sound;
  };
  const Case cases[] = {{with(name, packed), true},
                        {with(name, PngBytes(packed.begin(), packed.begin() + 9)), false},
                        {with(name, {'n', 'o', ' ', 'z', 'l', 'i', 'b'}), false},
                        {with(other_method, packed), false},
                        {with("", {}), false}};
  for (const Case& c : cases) {
    PngWriter png = writer(4, 4, 2, 8);
    png.chunks_before = c.chunk;
    const PngBytes file = png.file();
    write_file(path, file);
    if (c.is_sound) {
      EXPECT_TRUE(decoded(file).color_space.starts_with("an ICC profile"));
      EXPECT_NO_THROW(read_png_info(path));
      continue;
    }
    const std::string problem = ": not a valid PNG: its ICC profile is damaged or out of place";
    EXPECT_EQ(problem_of(file), "a.png" + problem);
    EXPECT_EQ(error_of([&] { read_png_info(path); }).what(), path + problem);
  }
  std::filesystem::remove(path);
}

TEST(ReadPicture, TransparentColourBecomesAlpha) {
  PngWriter png = writer(4, 4, 2, 8);
  png.sample = [](int x, int y, int c) { return x == y ? 7U + static_cast<unsigned>(c) : 200U; };
  png.chunks_before = png_chunk("tRNS", {0, 7, 0, 8, 0, 9});
  const Picture rgba = decoded(png.file());
  ASSERT_EQ(rgba.channels, 4);
  EXPECT_EQ(rgba.bytes[sample_at(rgba, 2, 2, 3)], 0);
  EXPECT_EQ(rgba.bytes[sample_at(rgba, 2, 2, 1)], 8);
  EXPECT_EQ(rgba.bytes[sample_at(rgba, 2, 1, 3)], 255);

  PngWriter grey = writer(4, 4, 0, 8);
  grey.sample = [](int x, int y, int) { return x == y ? 7U : 200U; };
  grey.chunks_before = png_chunk("tRNS", {0, 7});
  const Picture grey_alpha = decoded(grey.file());
  ASSERT_EQ(grey_alpha.channels, 2);
  EXPECT_EQ(grey_alpha.bytes[sample_at(grey_alpha, 2, 2, 1)], 0);
  EXPECT_EQ(grey_alpha.bytes[sample_at(grey_alpha, 2, 1, 0)], 200);
  EXPECT_EQ(grey_alpha.bytes[sample_at(grey_alpha, 2, 1, 1)], 255);
}

TEST(ReadPicture, SixteenBitSamplesAreLevelsWithFractions) {
  for (const int color_type : {0, 2, 4, 6}) {
    for (const bool is_interlaced : {false, true}) {
      PngWriter png = writer(9, 5, color_type, 16);
      png.is_interlaced = is_interlaced;
      const Picture picture = decoded(png.file());
      ASSERT_EQ(picture.samples, Picture::Samples::kWords);
      ASSERT_EQ(picture.channels, png.channels());
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 9; ++x)
          for (int c = 0; c < png.channels(); ++c)
            ASSERT_EQ(picture.floats[sample_at(picture, x, y, c)],
                      static_cast<float>(hashed(x, y, c, 16)) / 257.0f);
    }
  }
}

TEST(ReadPicture, ReportsTheColourSpaceUnlessSrgb) {
  const auto space = [](const PngBytes& chunks) {
    PngWriter png = writer(2, 2, 2, 8);
    png.chunks_before = chunks;
    return decoded(png.file()).color_space;
  };
  PngBytes linear(4), usual(4);
  put_word(linear, 0, 100000);
  put_word(usual, 0, 45455);
  const PngBytes srgb = png_chunk("sRGB", {0});
  EXPECT_EQ(space({}), "");
  EXPECT_EQ(space(srgb), "");
  EXPECT_EQ(space(png_chunk("gAMA", usual)), "");
  EXPECT_EQ(space(png_chunk("gAMA", linear)), "gamma 1");
  PngBytes both = srgb;
  const PngBytes gamma = png_chunk("gAMA", linear);
  both.insert(both.end(), gamma.begin(), gamma.end());
  EXPECT_EQ(space(both), "");  // sRGB comes before gAMA
}

TEST(ReadPicture, RejectsDamagedPngFiles) {
  const PngBytes good = writer(9, 5, 2, 8).file();
  for (std::size_t size = 4; size < good.size(); ++size)
    problem_of(PngBytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
  for (const int bits : {8, 16}) {
    PngWriter filter = writer(9, 5, 2, bits);
    const PngBytes sound = filter.file();
    const auto packed_of = [&](const PngBytes& rows) {
      PngBytes file(sound.begin(), sound.begin() + 33);
      for (const PngBytes& chunk : {png_chunk("IDAT", zlib_packed(rows)), png_chunk("IEND", {})})
        file.insert(file.end(), chunk.begin(), chunk.end());
      return file;
    };
    const std::size_t row = 1 + 9 * 3 * static_cast<std::size_t>(bits) / 8;
    decoded(packed_of(PngBytes(5 * row)));
    EXPECT_NE(problem_of(packed_of(PngBytes(5 * row - 1))).find("not a valid PNG"),
              std::string::npos);
    EXPECT_NE(problem_of(packed_of(PngBytes(5 * row, 5))).find("filter"), std::string::npos);
  }
  PngWriter split = writer(9, 5, 2, 8);
  split.chunks_before = png_chunk("IDAT", {0});
  const PngBytes text = png_chunk("tEXt", {'A', 0, 'b'});
  split.chunks_before.insert(split.chunks_before.end(), text.begin(), text.end());
  EXPECT_EQ(problem_of(split.file()), "a.png: not a valid PNG: its IDAT chunks are not together");
}

TEST(ReadPicture, RejectsMorePixelsThanTheHeaderClaims) {
  PngBytes file = writer(9, 5, 2, 8).file();
  file[23] = 4;  // instead of 5 rows
  const std::uint32_t crc = libdeflate_crc32(0, &file[12], 17);
  for (std::size_t k = 0; k < 4; ++k) file[29 + k] = static_cast<std::uint8_t>(crc >> (24 - 8 * k));
  EXPECT_EQ(problem_of(file), "a.png: not a valid PNG: it has more pixels than its header says");
}

/// Writes an EXR with these channels, each filled with its number.
void write_exr(const std::string& path, const std::vector<std::string>& names, Imf::PixelType type,
               Imath::Box2i window = {{0, 0}, {4, 2}}, int sampling = 1) {
  Imf::Header header({{0, 0}, {4, 2}}, window);
  Imf::FrameBuffer slices;
  std::vector<std::vector<float>> planes;
  std::vector<std::vector<half>> halves;
  std::vector<std::vector<unsigned>> integers;
  const auto columns = static_cast<std::size_t>(window.max.x - window.min.x + 1);
  const std::size_t count = columns * static_cast<std::size_t>(window.max.y - window.min.y + 1);
  for (std::size_t c = 0; c < names.size(); ++c) {
    planes.emplace_back(count, static_cast<float>(c + 1));
    halves.emplace_back(count, half(static_cast<float>(c + 1)));
    integers.emplace_back(count, static_cast<unsigned>(c + 1));
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    header.channels().insert(names[c], Imf::Channel(type, sampling, sampling));
    void* data = type == Imf::HALF    ? static_cast<void*>(halves[c].data())
                 : type == Imf::FLOAT ? static_cast<void*>(planes[c].data())
                                      : static_cast<void*>(integers[c].data());
    const std::size_t size = type == Imf::HALF ? 2 : 4;
    slices.insert(names[c],
                  Imf::Slice::Make(type, data, window, size, size * columns, sampling, sampling));
  }
  Imf::OutputFile file(path.c_str(), header);
  file.setFrameBuffer(slices);
  file.writePixels(window.max.y - window.min.y + 1);
}

TEST(ReadPicture, ExrChannelsAreInPictureOrder) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.exr";
  using Names = std::vector<std::string>;
  const std::pair<Names, std::vector<float>> files[] = {
      {{"R", "G", "B"}, {1, 2, 3}},
      {{"A", "B", "G", "R"}, {4, 3, 2, 1}},
      {{"Y"}, {1}},
      {{"A", "Y"}, {2, 1}},
      {{"diffuse.R", "diffuse.G", "diffuse.B"}, {1, 2, 3}},
  };
  for (const auto& [names, values] : files) {
    for (const Imf::PixelType type : {Imf::HALF, Imf::FLOAT}) {
      write_exr(path, names, type);
      const Picture picture = read_picture(path);
      ASSERT_EQ(picture.channels, static_cast<int>(values.size()));
      EXPECT_TRUE(picture.is_linear());
      for (std::size_t i = 0; i < picture.floats.size(); ++i)
        ASSERT_EQ(picture.floats[i], values[i % values.size()]);
    }
  }
  write_exr(path, {"R", "G", "B"}, Imf::HALF, {{-3, 7}, {5, 9}});
  const Picture moved = read_picture(path);
  EXPECT_EQ(moved.left, -3);
  EXPECT_EQ(moved.top, 7);
  EXPECT_EQ(moved.width, 9);
  EXPECT_EQ(moved.display.window(), "5x3 at (0, 0)");
  EXPECT_FALSE(moved.display.is_data_window);
}

void write_deep(const std::string& path) {
  Imf::Header header(4, 4);
  header.setType(Imf::DEEPSCANLINE);
  header.compression() = Imf::NO_COMPRESSION;
  header.channels().insert("Y", Imf::Channel(Imf::HALF));
  const Imf::DeepScanLineOutputFile file(path.c_str(), header);  // without its pixels
}

TEST(ReadPicture, RejectsExrWithUnsupportedData) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.exr";
  const auto problem = [&] {
    const Error error = error_of([&] { read_picture(path); });
    EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
    const InputFile file(path);
    EXPECT_STREQ(error_of([&] { read_picture_header(file); }).what(), error.what());
    return std::string(error.what()).substr(path.size());
  };
  write_exr(path, {"Y", "BY"}, Imf::HALF, {{0, 0}, {3, 3}}, 2);
  EXPECT_EQ(problem(), ": is not supported: subsampled channels BY, Y");
  std::vector<std::string> many(1025);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::to_string(i);
  write_exr(path, many, Imf::HALF);
  EXPECT_EQ(problem(), ": is not supported: 1025 channels, more than 1024");
  write_deep(path);
  EXPECT_EQ(problem(), ": is not supported: deep pixels");
}

TEST(ReadPicture, RejectsAnimatedPng) {
  const PngBytes one = png_chunk("acTL", {0, 0, 0, 1, 0, 0, 0, 0}),
                 two = png_chunk("acTL", {0, 0, 0, 2, 0, 0, 0, 0}),
                 frame = png_chunk("fdAT", {0, 0, 0, 1, 7});
  PngWriter png = writer(4, 4, 2, 8);
  png.chunks_before = one;
  EXPECT_NO_THROW(decoded(png.file()));
  for (const PngBytes& chunk : {two, frame}) {
    png.chunks_before = chunk;
    EXPECT_EQ(problem_of(png.file()),
              "a.png: is not supported: an animation; save one frame as its own file");
  }
}

TEST(ReadPicture, RejectsEmptyAndTooLargePng) {
  PngBytes file = writer(4, 4, 2, 8).file();
  const PngBytes end = png_chunk("IEND", {});
  PngBytes none(file.begin(), file.begin() + 33);
  none.insert(none.end(), end.begin(), end.end());
  EXPECT_EQ(problem_of(none), "a.png: not a valid PNG: it has no pixels");
  put_word(file, 16, 70000);
  put_word(file, 29, libdeflate_crc32(0, &file[12], 17));
  EXPECT_EQ(problem_of(file), "a.png: is not supported: a side of more than 65536 pixels");
}

TEST(ReadPicture, RejectsEveryTruncatedExr) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> file =
      encode_exr(discs(20, 20, 5, 1), false, ExrValues::kLinear, kMetadata);
  for (std::size_t size = 4; size < file.size(); size += size < 600 ? 1 : 7) {
    const Error error =
        error_of([&] { decode_picture("a.exr", std::as_bytes(std::span(file).first(size))); });
    ASSERT_EQ(error.exit_code(), ExitCode::kInvalidScene) << size;
    ASSERT_EQ(std::string(error.what()).substr(0, 7), "a.exr: ");
  }
}

TEST(ReadPicture, RoundTripsRoundelsFilesWithTheirMetadata) {
  const Framebuffer framebuffer = discs(33, 21, 9, 4, 0.5f);
  const Picture exr = decode_picture("a", std::as_bytes(std::span<const std::uint8_t>(encode_exr(
                                              framebuffer, true, ExrValues::kLinear, kMetadata))));
  const Picture png = decode_picture("a", std::as_bytes(std::span<const std::uint8_t>(
                                              encode_png(to_image(framebuffer, true), kMetadata))));
  const Picture pfm =
      decode_picture("a", std::as_bytes(std::span<const std::uint8_t>(encode_pfm(framebuffer))));
  for (const Picture* picture : {&exr, &png}) {
    ASSERT_TRUE(picture->metadata.has_value());
    EXPECT_EQ(picture->metadata->fingerprint, kMetadata.fingerprint);
    EXPECT_EQ(picture->metadata->frame, kMetadata.frame);
  }
  EXPECT_FALSE(pfm.metadata.has_value());
  for (int y = 0; y < 21; ++y) {
    for (int x = 0; x < 33; ++x) {
      const Pixel& pixel = framebuffer.pixels[static_cast<std::size_t>((20 - y) * 33 + x)];
      ASSERT_EQ(exr.floats[sample_at(exr, x, y, 1)], pixel.green);
      ASSERT_EQ(exr.floats[sample_at(exr, x, y, 3)], pixel.alpha);
      ASSERT_EQ(pfm.floats[sample_at(pfm, x, y, 2)], pixel.blue);
    }
  }
}

TEST(ReadPicture, RejectsOtherFiles) {
  const TemporaryFolder folder;
  for (const char* text : {"", "P", "GIF89a", "version: 1\n", "RIFF\4\0\0\0AVI "}) {
    std::ofstream(folder / "a.png") << text;
    const Error error = error_of([&] { read_picture(folder / "a.png"); });
    EXPECT_EQ(error.what(), folder / "a.png" + ": expected a PNG, EXR, PFM, JPEG or WebP file");
  }
}

TEST(DisplayImage, ShowsEveryTypeOfPicture) {
  Picture words = as_floats(random_picture(3, 2, 1, 1), 255);
  words.samples = Picture::Samples::kWords;
  words.floats[0] = 127.6f;
  const Image grey = display_image(words);
  EXPECT_EQ(grey.channels, 3);
  EXPECT_EQ(grey.bytes[0], 128);
  EXPECT_EQ(grey.bytes[2], 128);
  Picture linear = as_floats(random_picture(2, 2, 4, 1), 1);
  linear.floats[0] = 0.25f, linear.floats[1] = 3, linear.floats[2] = -1, linear.floats[3] = 0.5f;
  const Image rgba = display_image(linear);
  EXPECT_EQ(rgba.channels, 4);
  EXPECT_EQ(rgba.bytes[0], 188);  // linear ½
  EXPECT_EQ(rgba.bytes[1], 255);
  EXPECT_EQ(rgba.bytes[2], 0);
  EXPECT_EQ(rgba.bytes[3], 128);
}

}  // namespace
}  // namespace roundel
