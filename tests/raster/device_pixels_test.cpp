#include <cstring>

#include "renderer/base/error.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::image_of;

std::unique_ptr<Rasterizer> make_cuda() {
  return make_cuda_rasterizer({});
}

DevicePixels draw(Rasterizer& rasterizer, const Circles& circles, const ImageSettings& image,
                  bool is_float) {
  DevicePixels pixels{is_float};
  StageStats stats;
  rasterizer.draw(circles, image, pixels, stats);
  return pixels;
}

std::vector<std::uint8_t> read(const DevicePixels& pixels, std::size_t bytes) {
  std::vector<std::uint8_t> read(bytes);
  copy_from_device(pixels.samples.get(), bytes, bytes, 1, read.data());
  return read;
}

/// Returns the CPU's picture as samples [height, width, channels] of binary32 from the top.
std::vector<std::uint8_t> floats_of(const Circles& circles, const ImageSettings& image) {
  Framebuffer framebuffer;
  StageStats stats;
  make_cpu_rasterizer({})->draw(circles, image, framebuffer, stats);
  std::vector<std::uint8_t> samples;
  for (int y = image.height - 1; y >= 0; --y)
    for (int x = 0; x < image.width; ++x) {
      const Pixel& pixel =
          framebuffer.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                             static_cast<std::size_t>(x)];
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&pixel);
      samples.insert(samples.end(), bytes,
                     bytes + static_cast<std::size_t>(image.channels()) * sizeof(float));
    }
  return samples;
}

TEST(CudaDevicePixels, EqualPixelsInMainMemory) {
  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda();
  const Circles circles = testing::random_circles(5000, 0.05f, 0.5f, 0.2);
  for (const bool alpha : {false, true}) {
    for (const bool antialias : {false, true}) {
      for (const auto& [width, height] :
           {std::pair(333, 217), std::pair(1, 1), std::pair(256, 3)}) {
        ImageSettings image = image_of(width, height);
        image.alpha = alpha;
        image.antialias = antialias;
        Image expected;
        StageStats stats;
        make_cpu_rasterizer({})->draw(circles, image, expected, stats);
        const DevicePixels bytes = draw(*cuda, circles, image, false);
        image.bits = 16;
        image.low_byte_first = alpha;
        Image words;
        make_cpu_rasterizer({})->draw(circles, image, words, stats);
        EXPECT_EQ(words.bytes.size(), 2 * expected.bytes.size());
        const auto read_words = read(draw(*cuda, circles, image, false), words.bytes.size());
        EXPECT_TRUE(std::equal(read_words.begin(), read_words.end(), words.bytes.begin()));
        const DevicePixels floats = draw(*cuda, circles, image, true);
        const auto read_bytes = read(bytes, expected.bytes.size());
        EXPECT_TRUE(std::equal(read_bytes.begin(), read_bytes.end(), expected.bytes.begin()));
        const auto expected_floats = floats_of(circles, image);
        EXPECT_EQ(read(floats, expected_floats.size()), expected_floats);
      }
    }
  }
}

TEST(CudaDevicePixels, AreDrawnAfterAnAllocationFailure) {
  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda();
  const Circles circles = testing::random_circles(100, 0.2f, 0.5f, 0);
  const ImageSettings image = image_of(64, 64);
  const std::size_t size = image.pixels() * 3;
  const auto before = read(draw(*cuda, circles, image, false), size);
  EXPECT_THROW(allocate_on_device(0, std::size_t{1} << 50), Error);
  EXPECT_EQ(read(draw(*cuda, circles, image, false), size), before);
}

TEST(CudaDevicePixels, StayUnchangedWhileOthersAreDrawn) {
  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda();
  const ImageSettings image = image_of(64, 64);
  const std::size_t size = image.pixels() * 3;
  const DevicePixels first =
      draw(*cuda, testing::random_circles(100, 0.2f, 0.5f, 0, 1), image, false);
  const auto before = read(first, size);
  for (unsigned seed = 2; seed < 20; ++seed) {  // in blocks that were released
    const DevicePixels other =
        draw(*cuda, testing::random_circles(100, 0.2f, 0.5f, 0, seed), image, false);
    EXPECT_NE(other.samples, first.samples);
    EXPECT_NE(read(other, size), before);
  }
  EXPECT_EQ(read(first, size), before);
}

}  // namespace
}  // namespace roundel
