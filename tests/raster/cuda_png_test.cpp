#include <algorithm>
#include <optional>
#include <random>
#include <sstream>

#include "renderer/image/png_stream.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/png/png_encoder.h"
#include "tests/image/image_test_support.h"
#include "tests/raster/testing.h"

namespace roundel::cuda {
namespace {

PngShape shape_of(const Image& image) {
  return {image.width, image.height, image.channels, image.bits};
}

/// As a rasterizer leaves it.
DeviceBuffer<std::uint8_t> to_device(const Image& image, cudaStream_t stream) {
  DeviceBuffer<std::uint8_t> pixels((image.bytes.size() + 3) / 4 * 4);
  ROUNDEL_CUDA_CHECK(cudaMemsetAsync(pixels.data(), 0x5a, pixels.size(), stream));
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(pixels.data(), image.bytes.data(), image.bytes.size(),
                                     cudaMemcpyHostToDevice, stream));
  return pixels;
}

template <typename T>
std::vector<T> to_host(const T* from, std::size_t size) {
  std::vector<T> values(size);
  ROUNDEL_CUDA_CHECK(cudaMemcpy(values.data(), from, size * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

/// Returns the code lengths from the sample and the rule that all symbols are possible.
std::vector<std::uint32_t> lengths_of(const std::vector<std::uint32_t>& counts) {
  std::uint32_t values[png_format::kNumSymbols];
  std::copy(counts.begin(), counts.end(), values);
  std::uint8_t lengths[png_format::kNumSymbols];
  png_format::code_lengths(values, lengths);
  return {lengths, lengths + png_format::kNumSymbols};
}

/// Returns the first wrong stage, as far as the result reveals it.
std::string first_difference(const PngEncoder& encoder, std::span<const std::uint8_t> actual,
                             const std::vector<std::uint8_t>& expected) {
  const PngArgs& args = encoder.args();
  const auto code = to_host(args.code, 1).front();
  const auto state = to_host(args.state, 1).front();
  const std::vector<std::uint32_t> counts(std::begin(code.counts), std::end(code.counts));
  const std::vector<std::uint32_t> lengths = lengths_of(counts);
  std::ostringstream out;
  out << "sizes " << actual.size() << ", expected " << expected.size() << "; IDAT " << state.size
      << ", symbols end at bit " << state.end_bit << ", crc " << state.crc << ", sums " << state.sum
      << " " << state.weighted_sum;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    if (code.lengths[k] != lengths[k]) {
      out << "; make_code: the length of symbol " << k << " is " << int{code.lengths[k]}
          << ", of these counts expected " << lengths[k];
      break;
    }
  }
  const auto [at, other] =
      std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  if (at == actual.end() || other == expected.end()) return out.str();
  const auto byte = static_cast<std::size_t>(at - actual.begin());
  out << "; first at byte " << byte << ": " << int{*at} << ", expected " << int{*other};
  // After "IDAT" come the code lengths, then the segments.
  const std::vector<std::uint8_t> type = {'I', 'D', 'A', 'T'};
  const auto idat = static_cast<std::size_t>(
      std::search(expected.begin(), expected.end(), type.begin(), type.end()) - expected.begin());
  const std::uint64_t bit = 8 * (std::uint64_t{byte} - idat);
  const std::uint64_t first_length = 8 * PngArgs::kBlock + png_format::kFixedBits;
  if (byte < idat) {
    out << ", before IDAT";
  } else if (bit < args.first_bit()) {
    out << ", in the header: bit " << bit << ", code length "
        << (static_cast<double>(bit) - static_cast<double>(first_length)) / 4
        << " (the sample's counts, or the code)";
  } else {
    const auto words = to_host(args.scan_words, args.num_segments());
    std::size_t segment = 0;
    while (segment < words.size() && args.first_bit() + (words[segment] >> 2) <= bit) ++segment;
    out << ", bit " << bit << " of the stream, in segment " << segment << " of " << words.size()
        << ", which begins at bit "
        << args.first_bit() + (segment > 0 ? words[segment - 1] >> 2 : 0);
  }
  return out.str();
}

class CudaPng : public ::testing::Test {
 protected:
  void SetUp() override {
    ROUNDEL_NEEDS_CUDA();
    encoder_.emplace();
    stream_.emplace();
  }
  void expect_same(const Image& image, const std::string& what) {
    const DeviceBuffer<std::uint8_t> pixels = to_device(image, *stream_);
    pack_png(encoder_->prepare(pixels.data(), shape_of(image), *stream_), *stream_);
    file_.head = png_head(shape_of(image), kMetadata);
    if (++num_pictures_ % 4 != 0) encoder_->copy_ahead(file_, *stream_);
    stream_->wait();
    if (encoder_->finish(file_, *stream_)) stream_->wait();
    const std::vector<std::uint8_t> expected = encode_png(image, kMetadata);
    if (std::equal(file_.bytes.begin(), file_.bytes.end(), expected.begin(), expected.end()))
      return;
    ADD_FAILURE() << what << ", " << image.width << "x" << image.height << "x" << image.channels
                  << ": " << first_difference(*encoder_, file_.bytes, expected);
  }

 private:
  std::optional<Stream> stream_;
  std::optional<PngEncoder> encoder_;
  PngFile file_;
  int num_pictures_ = 0;
};

/// value(x, y, byte of the pixel)
Image filled(int width, int height, int channels, const auto& value, int bits = 8) {
  Image image;
  image.resize(width, height, channels, bits);
  const std::size_t pixel = image.pixel_bytes();
  for (std::size_t k = 0; k < image.bytes.size(); ++k) {
    const std::size_t at = k / pixel;
    image.bytes[k] = static_cast<std::uint8_t>(value(
        at % static_cast<std::size_t>(width), at / static_cast<std::size_t>(width), k % pixel));
  }
  return image;
}

TEST_F(CudaPng, NarrowPicturesOfEveryKindMatch) {
  for (int width = 1; width <= 70; ++width) {
    for (const int channels : {3, 4}) {
      const auto seed = static_cast<unsigned>(10 * width + channels);
      expect_same(mixed_image(width, 1 + width * 7 % 40, channels, 8, seed), "mixed");
      expect_same(mixed_image(width, 1 + width * 7 % 40, channels, 16, seed), "mixed words");
      expect_same(filled(
                      width, 50, channels, [](auto, auto, auto) { return 200; }, 16),
                  "words");
      expect_same(random_image(width, 1 + width % 9, channels, seed), "noise");
      expect_same(filled(width, 50, channels, [](auto, auto, auto) { return 200; }), "constant");
      expect_same(filled(width, 5, channels, [](auto, auto, auto c) { return 3 * c; }), "colour");
    }
  }
}

TEST_F(CudaPng, RandomPicturesMatch) {
  std::mt19937 random(7);
  for (int k = 0; k < 300; ++k) {
    const int width = static_cast<int>(1 + random() % (k % 5 == 0 ? 5000 : 1500));
    const int height = static_cast<int>(1 + random() % (k % 7 == 0 ? 700 : 70));
    for (const int bits : {8, 16})
      expect_same(mixed_image(width, height, 3 + k % 2, bits, static_cast<unsigned>(k)),
                  "mixed " + std::to_string(k));
  }
}

TEST_F(CudaPng, RunsOfEveryLengthMatch) {
  // Rows with runs of k pixels: with whole pieces, their rests, and segments' ends.
  for (const int channels : {3, 4}) {
    for (const int bits : {8, 16}) {
      const auto run = [](auto x, auto y, auto c) {
        return y % 2 == 0 ? 0 : (x / (y / 2 + 1)) * (c % 3 == 1 ? 7 : 5);
      };
      expect_same(filled(3100, 300, channels, run, bits), "runs");
      const auto triangle = [](auto x, auto y, auto) { return x > y ? 9 : 0; };
      expect_same(filled(1030, 1100, channels, triangle, bits), "triangle");
    }
  }
}

TEST_F(CudaPng, DrawnPicturesMatch) {
  for (const int channels : {3, 4}) {
    for (const int width : {255, 256, 257, 1023, 1024, 1025, 1920, 2047, 2049}) {
      const Framebuffer picture = discs(width, 96, 40, static_cast<unsigned>(width), 0.6f);
      expect_same(to_image(picture, channels == 4), "discs");
    }
    expect_same(to_image(discs(1024, 1024, 300, 3, 0.3f), channels == 4), "discs");
    expect_same(filled(1024, 1024, channels, [](auto, auto, auto) { return 255; }), "white");
    expect_same(filled(1024, 1024, channels,
                       [](auto x, auto y, auto c) { return c == 3 ? 0 : x / 4 + y * (c + 1); }),
                "transparent gradient");
  }
}

TEST_F(CudaPng, NoiseIsStoredIfSmaller) {
  std::mt19937 random(5);
  for (const int channels : {3, 4}) {
    expect_same(random_image(1024, 700, channels, 3), "noise");
    expect_same(filled(
                    1024, 500, channels, [&](auto, auto, auto) { return random(); }, 16),
                "noise of words");
    // The greatest sums that a segment can have, also for the checksum.
    expect_same(
        filled(
            2048, 99, channels, [](auto, auto y, auto) { return y % 2 == 0 ? 255 : 254; }, 16),
        "bright words");
    expect_same(random_image(1, 70'000, channels, 4), "noise");
    expect_same(random_image(70'000, 1, channels, 5), "noise");
    for (const int quiet : {0, 1, 2, 4, 8, 20, 500}) {
      Image image = random_image(1000, 500 + quiet, channels, 3);
      std::fill(image.bytes.begin() + static_cast<std::ptrdiff_t>(500 * image.row_bytes()),
                image.bytes.end(), std::uint8_t{7});
      expect_same(image, "half of noise");
    }
  }
}

TEST_F(CudaPng, RareColoursHaveLongCodes) {
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    std::geometric_distribution<int> step(0.3 / (1 + k % 10));
    expect_same(
        filled(600 + k, 200, 3 + k % 2,
               [&](auto, auto, auto) { return random() % 4 == 0 ? step(random) : -step(random); }),
        "rare colours");
  }
}

TEST_F(CudaPng, VeryWideAndVeryHighPicturesMatch) {
  expect_same(mixed_image(1, 200'000, 3, 8, 1), "high");
  expect_same(mixed_image(2'000'000, 2, 4, 8, 2), "wide");
  expect_same(mixed_image(1'000'000, 2, 4, 16, 2), "wide, words");
  expect_same(mixed_image(1, 200'000, 3, 16, 1), "high, words");
  expect_same(mixed_image(4096, 4096, 3, 8, 3), "large");
}

TEST_F(CudaPng, RasterizersMakeTheFilesOfFrames) {
  const auto cuda_rasterizer = make_cuda_rasterizer({});
  const auto cpu = make_cpu_rasterizer({});
  PngFile file;
  Image picture;
  for (int k = 0; k < 24; ++k) {
    ImageSettings image = testing::image_of(200 + 57 * k, 217 + k);
    image.alpha = k % 3 == 1;
    image.bits = k % 5 > 2 ? 16 : 8;
    image.dither = k % 7 > 4;
    if (k > 12) image.blend_space = BlendSpace::kLinear;
    const Circles circles = testing::random_circles(k % 2 == 0 ? 300 : 20'000, 0.05f, 0.5f, 0.2,
                                                    static_cast<unsigned>(k));
    StageStats stats;
    Image drawn;
    cpu->draw(circles, image, drawn, stats);
    FrameTarget target(picture);
    if (k % 4 != 3) target.png = &file;  // by turns: leftovers of others must not show
    file.bytes = {};
    file.head = png_head(shape_of(drawn), kMetadata);
    cuda_rasterizer->draw(circles, image, target, stats);
    if (target.png != nullptr) {
      const std::vector<std::uint8_t> expected = encode_png(drawn, kMetadata);
      EXPECT_TRUE(
          std::equal(file.bytes.begin(), file.bytes.end(), expected.begin(), expected.end()))
          << k;
    } else {
      EXPECT_TRUE(file.bytes.empty());
      EXPECT_TRUE(std::equal(picture.bytes.begin(), picture.bytes.end(), drawn.bytes.begin(),
                             drawn.bytes.end()))
          << k;
    }
  }
}

TEST_F(CudaPng, HostEncodesIfDeviceMemoryIsShort) {
  const auto rasterizer = make_cuda_rasterizer({.memory_budget = std::uint64_t{40} << 20});
  const Circles circles = testing::random_circles(300, 0.05f, 0.5f, 0.2);
  const ImageSettings image = testing::image_of(2000, 900);
  Image picture, drawn;
  PngFile file;
  FrameTarget target(picture);
  target.png = &file;
  StageStats stats;
  rasterizer->draw(circles, image, target, stats);
  make_cpu_rasterizer({})->draw(circles, image, drawn, stats);
  EXPECT_TRUE(file.bytes.empty());
  EXPECT_TRUE(std::equal(picture.bytes.begin(), picture.bytes.end(), drawn.bytes.begin(),
                         drawn.bytes.end()));
}

}  // namespace
}  // namespace roundel::cuda
