// A part of an image has the pixels of the whole one, bit for bit.
#include <cstring>
#include <random>

#include "renderer/film/split_rasterizer.h"
#include "testing.h"
#include "tests/testing.h"
#include "tests/to_image.h"

namespace roundel {
namespace {

using testing::draw;
using testing::image_of;
using testing::random_circles;

struct Part {
  int left, bottom, width, height;
};

ImageSettings part_of_image(const ImageSettings& whole, const Part& part) {
  ImageSettings image = whole;
  image.crop = CropOrigin{whole.width, whole.height, part.left, part.bottom};
  image.width = part.width;
  image.height = part.height;
  return image;
}

Framebuffer cut_out(const Framebuffer& whole, const Part& part) {
  Framebuffer out;
  out.resize(part.width, part.height);
  for (int y = 0; y < part.height; ++y)
    std::copy_n(whole.pixels.data() + static_cast<std::ptrdiff_t>(part.bottom + y) * whole.width +
                    part.left,
                part.width, out.pixels.data() + static_cast<std::ptrdiff_t>(y) * part.width);
  return out;
}

void expect_same(const Framebuffer& expected, const Framebuffer& got, const std::string& what) {
  ASSERT_EQ(got.pixels.size(), expected.pixels.size()) << what;
  EXPECT_EQ(std::memcmp(expected.pixels.data(), got.pixels.data(),
                        expected.pixels.size() * sizeof(Pixel)),
            0)
      << what;
}

/// Returns single pixels, edges, parts of all positions and sizes.
std::vector<Part> parts_of(const ImageSettings& image) {
  const int width = image.width, height = image.height;
  std::vector<Part> parts = {{0, 0, width, height},         {width - 1, height - 1, 1, 1},
                             {0, height - 1, width, 1},     {width - 1, 0, 1, height},
                             {width / 3, height / 2, 1, 1}, {32, 32, 64, 32}};
  std::mt19937 engine(1);
  for (int i = 0; i < (kSanitized ? 4 : 12); ++i) {
    const auto draw_below = [&engine](int n) {
      return static_cast<int>(engine() % static_cast<unsigned>(n));
    };
    const int left = draw_below(width), bottom = draw_below(height);
    parts.push_back({left, bottom, 1 + draw_below(width - left), 1 + draw_below(height - bottom)});
  }
  return parts;
}

/// Returns large ones, small ones, specks, snow, and few enough for no lists.
std::vector<Circles> kinds_of_circles() {
  std::vector<Circles> many;
  many.push_back(random_circles(3000, 0.3f, 0.5f, 0));
  many.push_back(random_circles(3000, 0.2f, 0.5f, 0.4));
  many.push_back(random_circles(130'000, 0.01f, 0.05f, 0.05));
  many.push_back(random_circles(30'000, 0.004f, 0.5f, 0));
  many.push_back(random_circles(200, 0.5f, 0.9f, 0.1));
  return many;
}

ImageSettings gradient_image() {
  ImageSettings image = image_of(301, 203);
  image.background = {{0.85f, 0.2f, 0.1f}, {0.4f, 0.5f, 1.5f}};
  return image;
}

void expect_parts_of_the_whole(Rasterizer& rasterizer, const std::string& what) {
  for (const bool alpha : {false, true}) {
    ImageSettings image = gradient_image();
    image.alpha = alpha;
    for (std::size_t kind = 0; const Circles& circles : kinds_of_circles()) {
      const Framebuffer whole = testing::draw_cpu(circles, image);
      const std::string name = what + ", circles " + std::to_string(kind++);
      for (const Part& part : parts_of(image)) {
        const ImageSettings settings = part_of_image(image, part);
        const Framebuffer expected = cut_out(whole, part);
        expect_same(expected, draw(rasterizer, circles, settings), name);
        Image bytes;
        StageStats stats;
        rasterizer.draw(circles, settings, bytes, stats);
        const Image quantised = to_image(expected, settings);
        EXPECT_TRUE(std::equal(bytes.bytes.begin(), bytes.bytes.end(), quantised.bytes.begin(),
                               quantised.bytes.end()))
            << name;
      }
    }
  }
}

TEST(Crop, PartsEqualTheWhole) {
  expect_parts_of_the_whole(*make_cpu_rasterizer({}), "CPU");
}

TEST(Crop, ChunksAndTilesKeepEveryBit) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const int tile : {16, 64})
    for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{1000}})
      expect_parts_of_the_whole(*make_cpu_rasterizer({.tile_size = tile, .chunk_circles = chunk}),
                                "tiles of " + std::to_string(tile));
}

TEST(Crop, PartsWithRingsBlendModesAndSharesEqualTheWhole) {
  const std::vector<BlendMode> modes = {BlendMode::kOver, BlendMode::kAdd, BlendMode::kMultiply,
                                        BlendMode::kScreen};
  for (const bool antialias : {false, true}) {
    ImageSettings image = gradient_image();
    image.antialias = antialias;
    image.styles = {true, true, true};
    for (Circles& circles : kinds_of_circles()) {
      testing::add_looks(circles, modes, 0.4);
      const Framebuffer whole = testing::draw_cpu(circles, image);
      for (const Part& part : parts_of(image))
        expect_same(cut_out(whole, part), testing::draw_cpu(circles, part_of_image(image, part)),
                    antialias ? "antialiased" : "plain");
    }
  }
}

TEST(Crop, EveryInstructionSetHasTheSameBits) {
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    const ImageSettings image = gradient_image();
    for (const Circles& circles : kinds_of_circles()) {
      const Part part{77, 41, 130, 99};
      expect_same(cut_out(testing::draw_cpu(circles, image), part),
                  testing::draw_cpu(circles, part_of_image(image, part)), target);
    }
  }
  force_cpu_vector_target("");
}

TEST(Crop, CudaHasTheSameBits) {
  ROUNDEL_NEEDS_CUDA();
  expect_parts_of_the_whole(*make_cuda_rasterizer({}), "CUDA");
  expect_parts_of_the_whole(*make_cuda_rasterizer({.chunk_circles = 700}), "CUDA in chunks");
}

TEST(Crop, BandsOfAPartEqualThePart) {
  std::vector<std::unique_ptr<Rasterizer>> three;
  for (int i = 0; i < 3; ++i) three.push_back(make_cpu_rasterizer({}));
  const auto split = make_split_rasterizer(std::move(three));
  const ImageSettings image = gradient_image();
  const Circles circles = random_circles(3000, 0.3f, 0.5f, 0.2);
  const Part part{50, 60, 200, 101};
  expect_same(cut_out(testing::draw_cpu(circles, image), part),
              draw(*split, circles, part_of_image(image, part)), "bands");
}

/// At the far end of the largest picture: pixels are counted exactly.
TEST(Crop, FarCornerOfTheLargestPictureIsExact) {
  const ImageSettings whole = image_of(kMaxImageSide, kMaxImageSide);
  const Part part{kMaxImageSide - 40, kMaxImageSide - 30, 40, 30};
  Circles circles = random_circles(5000, 0.0002f, 0.5f, 0.1);
  for (Shape& shape : circles.shapes) {
    shape.x = 1 - shape.x * 0.001f;
    shape.y = 1 - shape.y * 0.001f;
  }
  const ImageSettings image = part_of_image(whole, part);
  const Framebuffer got = testing::draw_cpu(circles, image);
  const SnowRamp ramp = snow_ramp(image.blend_space);
  const BackgroundRows background(whole);
  std::size_t next = 0;
  for (int y = 0; y < part.height; ++y) {
    for (int x = 0; x < part.width; ++x) {
      PixelWalk walk = PixelWalk::at(part.left + x, part.bottom + y, whole);
      for (std::size_t i = circles.count(); i-- > 0;) {
        const Paint& paint = circles.paints[i];
        walk.blend(circles.shapes[i], paint, walk.share_of(circles.shapes[i], paint), ramp);
      }
      const Pixel expected = walk.finish(whole, background.row(part.bottom + y));
      ASSERT_EQ(got.pixels[next++], expected) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace roundel
