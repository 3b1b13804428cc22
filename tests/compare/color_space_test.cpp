// The meaning of a picture's samples, and its orientation, belong to its shape.
#include "renderer/image/color_space.h"

#include "renderer/compare/picture_shapes.h"
#include "tests/compare/compare_test_support.h"
#include "tests/compare/png_writer.h"

namespace roundel {
namespace {

PngBytes words(const std::vector<std::size_t>& values) {
  PngBytes out(4 * values.size());
  for (std::size_t k = 0; k < values.size(); ++k) put_word(out, 4 * k, values[k]);
  return out;
}

/// Returns the grey square with other chunks before its pixels.
Picture with_chunks(const std::vector<PngBytes>& chunks) {
  PngWriter png;
  png.width = png.height = 2;
  png.sample = [](int, int, int) { return 100U; };
  for (const PngBytes& chunk : chunks)
    png.chunks_before.insert(png.chunks_before.end(), chunk.begin(), chunk.end());
  const PngBytes file = png.file();
  return decode_picture("a.png", std::as_bytes(std::span(file)));
}

PngBytes primaries(const std::vector<std::size_t>& values) {
  return png_chunk("cHRM", words(values));
}
const std::vector<std::size_t> kSrgbPrimaries = {31270, 32900, 64000, 33000,
                                                 30000, 60000, 15000, 6000};
const std::vector<std::size_t> kP3Primaries = {31270, 32900, 68000, 32000,
                                               26500, 69000, 15000, 6000};
/// Returns Exif with an orientation and an entry before it, in either byte order.
PngBytes exif(bool is_big_endian, std::uint8_t orientation) {
  PngBytes bytes = is_big_endian ? PngBytes{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 2}
                                 : PngBytes{'I', 'I', 42, 0, 8, 0, 0, 0, 2, 0};
  const auto entry = [&](std::uint8_t low, std::uint8_t value) {
    const PngBytes some = is_big_endian ? PngBytes{1, low, 0, 3, 0, 0, 0, 1, 0, value, 0, 0}
                                        : PngBytes{low, 1, 3, 0, 1, 0, 0, 0, value, 0, 0, 0};
    bytes.insert(bytes.end(), some.begin(), some.end());
  };
  entry(0x03, 5);
  entry(0x12, orientation);
  return bytes;
}

TEST(ColorSpace, FirstChunkInTheSpecificationsOrderCounts) {
  const PngBytes p3_pq = png_chunk("cICP", {12, 16, 0, 1});
  const PngBytes srgb = png_chunk("sRGB", {0});
  const PngBytes linear = png_chunk("gAMA", words({100000}));
  EXPECT_EQ(with_chunks({p3_pq, srgb}).color_space, "cICP P3, PQ");
  EXPECT_EQ(with_chunks({png_chunk("cICP", {1, 13, 0, 1}), linear}).color_space, "");
  EXPECT_EQ(with_chunks({png_chunk("cICP", {9, 99, 9, 0})}).color_space,
            "cICP BT.2020, transfer 99, matrix 9, narrow range");
  EXPECT_EQ(with_chunks({primaries(kP3Primaries)}).color_space, "primaries of Display P3");
  EXPECT_EQ(with_chunks({linear, primaries(kP3Primaries)}).color_space,
            "gamma 1 and primaries of Display P3");
  EXPECT_EQ(with_chunks({linear, primaries(kSrgbPrimaries)}).color_space, "gamma 1");
  EXPECT_EQ(with_chunks({primaries(kSrgbPrimaries)}).color_space, "");
  EXPECT_EQ(with_chunks({srgb, primaries(kP3Primaries)}).color_space, "");
  EXPECT_EQ(with_chunks({primaries({30000, 30000, 60000, 30000, 20000, 60000, 10000, 10000})})
                .color_space,
            "white and primaries 0.3 0.3 0.6 0.3 0.2 0.6 0.1 0.1");
}

TEST(ColorSpace, PicturesShownDifferentlyDiffer) {
  const Picture plain = with_chunks({});
  struct Case {
    PngBytes chunk;
    const char* shape;
  };
  const Case cases[] = {
      {png_chunk("cICP", {9, 16, 0, 1}), "2x2 RGB and 2x2 RGB with cICP BT.2020, PQ"},
      {primaries(kP3Primaries), "2x2 RGB and 2x2 RGB with primaries of Display P3"},
      {png_chunk("eXIf", exif(false, 6)), "2x2 RGB and 2x2 RGB, turned by Exif orientation 6"}};
  for (const Case& c : cases) {
    Picture other = with_chunks({c.chunk});
    EXPECT_EQ(compare_pictures(plain, other, {}, {}).shape, c.shape);
    Picture copy = copy_of(plain);
    unify_shapes(copy, other);
    EXPECT_FALSE(same_shape(copy, other)) << c.shape;
    EXPECT_TRUE(same_shape(other, copy_of(other)));
  }
}

TEST(ColorSpace, ReadsExifOrientationInBothByteOrdersAndFromAnyBytes) {
  for (const bool is_big_endian : {false, true}) {
    for (std::uint8_t orientation = 1; orientation <= 8; ++orientation)
      EXPECT_EQ(exif_orientation(exif(is_big_endian, orientation)), orientation);
    EXPECT_EQ(exif_orientation(exif(is_big_endian, 9)), 1);
    const PngBytes whole = exif(is_big_endian, 6);
    for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
      const PngBytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(exif_orientation(cut), 1);
    }
    PngBytes far = whole;
    std::fill(far.begin() + 4, far.begin() + 8, std::uint8_t{0xff});  // the directory's offset
    EXPECT_EQ(exif_orientation(far), 1);
  }
}

}  // namespace
}  // namespace roundel
