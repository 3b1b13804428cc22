// One set of bits for every way to make a picture.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <future>
#include <set>
#include <thread>

#include "renderer/base/error.h"
#include "renderer/raster/cpu/blend_tiles.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/tile_grid.h"
#include "tests/raster/testing.h"
#include "tests/testing.h"
#include "tests/to_image.h"
#include "tools/roundel/commands/selftest.h"

namespace roundel {
namespace {

using testing::draw;
using testing::draw_cpu;
using testing::draw_without_tiles;
using testing::expect_same_bits;
using testing::image_of;
using testing::random_circles;

std::vector<RasterOptions> cpu_variants() {
  return {{.threads = 1},
          {.threads = 2},
          {.threads = 7},
          {.threads = 2, .tile_size = 16},
          {.threads = 2, .tile_size = 128},
          {.threads = 2, .tile_size = 256},
          {.threads = 2, .chunk_circles = 1000},
          {.threads = 1, .chunk_circles = 7},
          {.threads = 2, .memory_budget = 400 << 10}};  // fits all states, and short lists
}

const std::pair<int, int> kSizes[] = {{1, 1}, {17, 3}, {63, 65}, {130, 33}, {700, 1}, {1, 300}};

using Equality = testing::Coverage;
INSTANTIATE_TEST_SUITE_P(Coverage, Equality, testing::coverages(), testing::coverage_name);

TEST_P(Equality, TilesThreadsChunksAndMemoryKeepEveryBit) {
  for (const auto& [width, height] : kSizes) {
    for (const testing::FalloffShares& shares : testing::kFalloffShares) {
      for (const float largest : {0.08f, 2.0f}) {
        const Circles circles = random_circles(kSanitized ? 1000 : 3000, largest, 0.5f, shares);
        const Framebuffer expected = draw_without_tiles(circles, image_of(width, height));
        for (const RasterOptions& options : cpu_variants())
          expect_same_bits(expected, draw_cpu(circles, image_of(width, height), options),
                           std::to_string(width) + "x" + std::to_string(height));
      }
    }
  }
}

TEST_P(Equality, AlphaImagesAndLinearBlendingKeepEveryBit) {
  ImageSettings image = image_of(70, 50);
  const Circles circles = random_circles(2000, 0.1f, 0.3f, {0.3, 0.3});
  for (const bool alpha : {false, true}) {
    for (const BlendSpace space : {BlendSpace::kDisplay, BlendSpace::kLinear}) {
      image.alpha = alpha;
      image.blend_space = space;
      const Framebuffer expected = draw_without_tiles(circles, image);
      for (const RasterOptions& options : cpu_variants())
        expect_same_bits(expected, draw_cpu(circles, image, options), "alpha or linear");
    }
  }
}

TEST_P(Equality, ListsAllCirclesAtOnceIfStatesDoNotFit) {
  const ImageSettings image = image_of(130, 130);  // 25 tiles, whose states take 400 KiB
  const Circles circles = random_circles(3000, 0.04f, 0.01f, 0);
  const Framebuffer expected = draw_without_tiles(circles, image);
  constexpr std::uint64_t kBudget = 200 << 10;
  const RasterOptions options{.threads = 2, .memory_budget = kBudget, .chunk_circles = 1000};
  Framebuffer framebuffer;
  StageStats stats;
  make_cpu_rasterizer(options)->draw(circles, image, framebuffer, stats);
  expect_same_bits(expected, framebuffer, "all at once");
  EXPECT_EQ(stats.chunks, 2u);  // the first of a thousand, and all
  // The forecast of memory equals its use, with a constant for the threads.
  EXPECT_LE(stats.memory, kBudget + (300 << 10));
  EXPECT_EQ(measure_drawing(circles, image, 0, options).memory, stats.memory);
}

TEST_P(Equality, RejectsATooSmallMemoryBudget) {
  const Circles circles = random_circles(3000, 0.04f, 0.01f, 0);
  const auto rasterizer = make_cpu_rasterizer({.threads = 2, .memory_budget = 8 << 10});
  Framebuffer framebuffer;
  StageStats stats;
  EXPECT_THROW(rasterizer->draw(circles, image_of(130, 130), framebuffer, stats), Error);
}

TEST_P(Equality, EveryInstructionSetHasTheSameBits) {
  if (kThreadSanitized) GTEST_SKIP() << "starts the same threads for each instruction set";
  ImageSettings image = image_of(97, 61);
  image.background = {{0.85f, 0.2f, 0.1f}, {0.4f, 0.5f, 1.5f}};
  std::vector<Circles> many;
  many.push_back(random_circles(3000, 0.15f, 0.6f, 0));
  many.push_back(random_circles(3000, 0.15f, 0.6f, {0.2, 0.2}));
  many.push_back(random_circles(130000, 0.02f, 1e-3f, 0.1));  // small ones, in lists of copies
  many.push_back(random_circles(8000, 0.02f, 0.1f, 0));       // up to 1.22 pixels in radius: specks
  for (std::size_t i = 0; i < 8000; ++i)  // with larger ones between, up to 3.7 and 6.1 pixels
    many.back().shapes[i].radius *= i / 1000 % 4 == 1 ? 5.0f : i / 1000 % 4 == 3 ? 3.0f : 1.0f;
  for (std::size_t i = 2000; i < 3000; ++i) many.back().paints[i].alpha *= -1;  // and snow
  many.push_back(random_circles(3000, 1.5f, 0.1f, 0));  // hide each other, some partly
  for (std::size_t i = 0; i < 3000; ++i)
    if (i >= 2700 || i % 5 > 0) many.back().paints[i].alpha = 0.5f;
  const std::vector<std::string> targets = cpu_vector_targets();
  for (const Circles& circles : many) {
    if (circles.count() > 100000) image.width = 41, image.height = 23;  // brute force takes long
    const Framebuffer expected = draw_without_tiles(circles, image);
    const Image expected_bytes = to_image(expected, image);
    for (const std::string& target : targets) {
      ASSERT_TRUE(force_cpu_vector_target(target));
      EXPECT_EQ(cpu_vector_target(), target);
      expect_same_bits(expected, draw_cpu(circles, image, {.threads = 2}), target);
      Image bytes;
      StageStats stats;
      make_cpu_rasterizer({.threads = 2})->draw(circles, image, bytes, stats);
      EXPECT_TRUE(compare(expected_bytes, bytes).same()) << target;
    }
  }
  EXPECT_FALSE(force_cpu_vector_target("no such set"));
  EXPECT_EQ(cpu_vector_target(), targets.front());
}

TEST(VectorTargets, EachHasItsOwnCode) {
  std::set<cpu::BlendTile*> functions;
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    EXPECT_TRUE(functions.insert(cpu::blend_tile_on_this_machine(false, {})).second) << target;
  }
  force_cpu_vector_target("");
}

TEST(VectorTargets, AreSupportedOrMissing) {
  std::vector<std::string> names = cpu_vector_targets();
  for (const MissingVectorTarget& missing : cpu_missing_vector_targets()) {
    EXPECT_FALSE(force_cpu_vector_target(missing.name)) << missing.name;
    names.push_back(missing.name);
  }
#ifdef __x86_64__
  for (const char* name : {"AVX3", "AVX2", "SSE4"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
#else
  EXPECT_EQ(names, std::vector<std::string>{"NEON"});
#endif
}

/// Circles that are made on demand; records which.
class WatchedCircles {
 public:
  WatchedCircles(const Circles& circles, std::size_t sample_run)
      : first_made_(circles.count()),
        stream_(
            circles.count(),
            [this, sample_run, memory = CircleStream(circles)](
                std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) {
              memory.fetch(first, shapes, paints);
              for (Shape& shape : shapes) shape.z = -1;  // must not be read
              if (shapes.size() <= sample_run) return;   // a sample
              std::size_t known = first_made_;
              while (first < known && !first_made_.compare_exchange_weak(known, first)) {
              }
            },
            {.sample_run = sample_run}, nullptr) {}
  const CircleStream& stream() const { return stream_; }
  /// Returns the backmost circle that was made to be drawn.
  std::size_t first_made() const { return first_made_; }

 private:
  std::atomic<std::size_t> first_made_;
  CircleStream stream_;
};

void expect_stream_draws_the_same(const Circles& circles, const ImageSettings& image,
                                  Rasterizer& rasterizer) {
  const Framebuffer expected = draw_cpu(circles, image);
  const WatchedCircles watched(circles, 16);
  Framebuffer framebuffer;
  Image bytes;
  StageStats stats;
  for (int repeat = 0; repeat < 2; ++repeat) {
    rasterizer.draw(watched.stream(), image, framebuffer, stats);
    expect_same_bits(expected, framebuffer, "stream");
    rasterizer.draw(watched.stream(), image, bytes, stats);
    EXPECT_TRUE(compare(to_image(expected, image), bytes).same());
  }
  expect_same_bits(expected, draw(rasterizer, circles, image), "in memory again");
}

std::vector<Circles> circles_to_stream() {
  std::vector<Circles> many;
  many.push_back(random_circles(3000, 0.08f, 0.5f, 0.3));
  many.push_back(random_circles(0, 1, 1, 0));
  many.push_back(random_circles(70'000, 0.02f, 1e-3f, 0.1));  // lists of copies
  many.push_back(random_circles(70'000, 0.02f, 1e-3f, 0));    // but not all of them
  for (std::size_t i = 20'000; i < 40'000; ++i) many.back().shapes[i].radius *= 100;
  return many;
}

TEST_P(Equality, CirclesMadeOnDemandKeepEveryBit) {
  for (const Circles& circles : circles_to_stream()) {
    const bool are_few = circles.count() < 10'000;  // others take long
    for (const RasterOptions& options : cpu_variants())
      if (are_few || options.threads == 7 || options.tile_size == 16)
        expect_stream_draws_the_same(circles, image_of(130, 33), *make_cpu_rasterizer(options));
  }
}

TEST_P(Equality, CirclesMadeOnDemandKeepEveryBitOnCuda) {
  ROUNDEL_NEEDS_CUDA();
  for (const Circles& circles : circles_to_stream()) {
    for (const RasterOptions& options :
         {RasterOptions{}, RasterOptions{.chunk_circles = 1000}, {.memory_budget = 24 << 20}})
      expect_stream_draws_the_same(circles, image_of(130, 33), *make_cuda_rasterizer(options));
  }
}

TEST_P(Equality, SkipsCirclesBehindASaturatedImage) {
  const Circles circles = random_circles(200'000, 0.2f, 0.8f, 0);
  const ImageSettings image = image_of(64, 64);
  const WatchedCircles watched(circles, 16);
  Framebuffer framebuffer;
  StageStats stats;
  make_cpu_rasterizer({})->draw(watched.stream(), image, framebuffer, stats);
  EXPECT_GT(watched.first_made(), 150'000U);
  EXPECT_LT(watched.first_made(), 200'000U);
}

void expect_reusable(Rasterizer& rasterizer) {
  const Circles many = random_circles(1000, 0.04f, 0.5f, 0);
  const Circles few = random_circles(3, 0.5f, 0.5f, 0);
  ImageSettings sunset = image_of(40, 30), night = sunset;
  sunset.background = {{0.9f, 0.4f, 0.1f}, {0.2f, 0.3f, 0.7f}};
  night.background = {{0.1f, 0.1f, 0.3f}, {0, 0, 0}};
  for (const Circles* circles : {&many, &few, &many})
    for (const ImageSettings& image :
         {image_of(150, 90), image_of(33, 200), sunset, sunset, night, sunset})
      expect_same_bits(draw_without_tiles(*circles, image), draw(rasterizer, *circles, image),
                       "again");
}

TEST_P(Equality, RasterizersDrawSeveralImages) {
  expect_reusable(*make_cpu_rasterizer({.threads = 2, .chunk_circles = 125}));
}

TEST_P(Equality, CudaRasterizersDrawSeveralImages) {
  ROUNDEL_NEEDS_CUDA();
  expect_reusable(*make_cuda_rasterizer({}));
  expect_reusable(*make_cuda_rasterizer({.chunk_circles = 125}));
}

TEST_P(Equality, CudaMatchesTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  const std::vector<RasterOptions> variants{{},
                                            {.chunk_circles = 1000},
                                            {.chunk_circles = 7},
                                            {.memory_budget = 24 << 20},
                                            {.block_memory = 48 << 10}};
  for (const auto& [width, height] : kSizes) {
    for (const testing::FalloffShares& shares : testing::kFalloffShares) {
      for (const bool alpha : {false, true}) {
        const Circles circles = random_circles(3000, 0.08f, 0.5f, shares);
        ImageSettings image = image_of(width, height);
        image.alpha = alpha;
        image.blend_space = shares.snow == 0.3 ? BlendSpace::kLinear : BlendSpace::kDisplay;
        const Framebuffer expected = draw_cpu(circles, image);
        Image expected_bytes;
        StageStats stats;
        make_cpu_rasterizer({})->draw(circles, image, expected_bytes, stats);
        for (const RasterOptions& options : variants) {
          const auto rasterizer = make_cuda_rasterizer(options);
          expect_same_bits(expected, draw(*rasterizer, circles, image), "cuda");
          Image bytes;
          rasterizer->draw(circles, image, bytes, stats);
          EXPECT_EQ(
              std::memcmp(expected_bytes.bytes.data(), bytes.bytes.data(), bytes.bytes.size()), 0);
        }
      }
    }
  }
}

/// Rows of tiles begin at a crowd. In its subtiles some pixels are opaque long before others.
TEST_P(Equality, CudaMatchesTheCpuWithCrowdsInFront) {
  const ImageSettings image = image_of(500, 420);
  for (const std::size_t count : {400u, 6'000u, 40'000u}) {
    for (const float height : {0.05f, 0.5f, 0.93f}) {
      Circles circles = random_circles(count, 0.3f, 1.0f, 0);
      for (std::size_t i = count - std::min<std::size_t>(count / 4, 1000); i < count; ++i) {
        circles.shapes[i].x = 0.1f + 0.1f * circles.shapes[i].x;
        circles.shapes[i].y = height + 0.05f * (circles.shapes[i].y - 0.5f);
        circles.shapes[i].radius *= 0.2f;
      }
      ASSERT_NEAR(
          estimate_frame(CircleStream(circles), image, 32, cuda_chunks(image).saturation_factor)
              .densest_height,
          height, 0.04);
      if (cuda_devices().empty()) continue;
      const Framebuffer expected = draw_cpu(circles, image);
      for (const RasterOptions& options : {RasterOptions{}, RasterOptions{.chunk_circles = 700}})
        expect_same_bits(expected, draw(*make_cuda_rasterizer(options), circles, image),
                         "crowd at " + std::to_string(height));
    }
  }
  ROUNDEL_NEEDS_CUDA();
}

TEST_P(Equality, CudaMatchesTheCpuWithCirclesSortedByPosition) {
  // Several macrotiles, which a sample estimates as equally dense, since the front half has no
  // order. Slabs are as large as if each had circles in all of them, but slabs of the back half
  // overflow one.
  const ImageSettings image = image_of(4000, 1000);
  Circles circles = random_circles(130'000, 0.016f, 0.02f, 0);
  for (Shape& shape : circles.shapes) shape.x *= 4;
  std::sort(circles.shapes.begin(), circles.shapes.begin() + 64'000,
            [](const Shape& a, const Shape& b) { return a.x < b.x; });
  ASSERT_LT(estimate_frame(CircleStream(circles), image, 32, cuda_chunks(image).saturation_factor)
                .densest_square,
            0.5);
  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda_rasterizer({});
  expect_same_bits(draw_cpu(circles, image), draw(*cuda, circles, image), "by place");
}

/// If the host polls after each chunk, tiles that earlier chunks left active must be kept.
TEST_P(Equality, LaterChunksWhoseListsOverflowAreDrawnAgain) {
  constexpr std::size_t kChunk = 20'000;
  Circles circles = random_circles(3 * kChunk, 0.0005f, 0.01f, 0);
  const std::vector<std::size_t> sampled = sampled_indices(circles.count());
  for (std::size_t i = 100; i < 500; ++i) {  // over everything, and missed by samples
    if (std::find(sampled.begin(), sampled.end(), i) != sampled.end()) continue;
    circles.shapes[i] = {0.5f, 0.5f, 0, 2.0f};
    circles.paints[i].alpha = 0.01f;
  }
  const ImageSettings image = image_of(1024, 1024);
  constexpr int kTileSize = 32;
  const FrameEstimate estimate =
      estimate_frame(CircleStream(circles), image, kTileSize, cuda_chunks(image).saturation_factor);
  const std::span<const Shape> last_chunk(circles.shapes.data(), kChunk);
  // CUDA's first capacity for such a chunk's lists is less than twice the expected size.
  ASSERT_GT(static_cast<double>(count_overlaps(last_chunk, TileGrid::make(image, kTileSize))),
            2 * ((1 << 16) + kChunk * estimate.tiles_per_circle));

  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda_rasterizer({.chunk_circles = kChunk});
  expect_same_bits(draw_cpu(circles, image), draw(*cuda, circles, image), "lists that grow");
}

TEST_P(Equality, CudaMatchesTheCpuWithLongLists) {
  ROUNDEL_NEEDS_CUDA();
  struct Case {
    float largest_radius, max_alpha;
    testing::FalloffShares shares;
  };
  // Pixels that are never opaque, and others; specks, discs over all of the image, and all shaders.
  for (const auto& [largest_radius, max_alpha, shares] : {Case{0.05f, 1e-3f, 0.0},
                                                          {0.05f, 0.5f, {0.1, 0.1}},
                                                          {0.002f, 1e-3f, 0.0},
                                                          {30.0f, 2e-4f, {0.005, 0.005}}}) {
    Circles circles = random_circles(60'000, largest_radius, max_alpha, shares);
    for (std::size_t i = 0; i < circles.count(); i += i % 7 == 0 ? 2 : 1) {
      circles.shapes[i].x = 0.2f + 0.1f * circles.shapes[i].x;
      circles.shapes[i].y = 0.3f + 0.1f * circles.shapes[i].y;
    }
    for (const auto& [width, height] : {std::pair{150, 107}, {1030, 400}}) {
      ImageSettings image = image_of(width, height);
      image.alpha = shares.snow > 0;
      const Framebuffer expected = draw_cpu(circles, image);
      for (const RasterOptions& options : {RasterOptions{}, RasterOptions{.chunk_circles = 25'000},
                                           RasterOptions{.block_memory = 48 << 10}}) {
        const auto rasterizer = make_cuda_rasterizer(options);
        for (int frame = 0; frame < 2; ++frame)
          expect_same_bits(expected, draw(*rasterizer, circles, image), "cuda");
        Image bytes, expected_bytes;
        StageStats stats;
        make_cpu_rasterizer({})->draw(circles, image, expected_bytes, stats);
        rasterizer->draw(circles, image, bytes, stats);
        EXPECT_EQ(std::memcmp(expected_bytes.bytes.data(), bytes.bytes.data(), bytes.bytes.size()),
                  0);
      }
    }
  }
}

TEST_P(Equality, EveryCudaDeviceDrawsFromAnyThread) {
  ROUNDEL_NEEDS_CUDA();
  const ImageSettings image = image_of(300, 200);
  std::vector<Circles> frames;  // the first two share their paints, the others have their own
  for (std::uint64_t i = 0; i < 4; ++i) {
    frames.push_back(random_circles(3000 + 100 * (i / 3), 0.08f, 0.5f, 0.3));
    frames.back().paints_generation = std::max<std::uint64_t>(i, 1);
    if (i == 1) frames[1].shapes[7].radius *= 2;
    if (i == 2) frames[2].paints[2999].red += 0.5f;
  }
  for (const CudaDevice& device : cuda_devices()) {
    RasterOptions options;
    options.device = device.index;
    const auto rasterizer = make_cuda_rasterizer(options);
    for (const Circles& circles : frames) {
      Image expected, bytes;
      StageStats stats;
      make_cpu_rasterizer({})->draw(circles, image, expected, stats);
      std::thread([&] { rasterizer->draw(circles, image, bytes, stats); }).join();
      EXPECT_EQ(std::memcmp(expected.bytes.data(), bytes.bytes.data(), expected.bytes.size()), 0)
          << "device " << device.index;
      std::thread([&] {
        expect_same_bits(draw_cpu(circles, image), draw(*rasterizer, circles, image), "float");
      }).join();
    }
  }
}

// A rasterizer must not lower the shared memory limit of kernels that another one is about to
// launch.
TEST_P(Equality, RasterizersOfADeviceDrawFramesOfDifferentSizesAtOnce) {
  ROUNDEL_NEEDS_CUDA();
  constexpr int kTimes = 1000;
  const ImageSettings image = image_of(300, 200);
  std::barrier begin(2);
  const auto draw_often = [&](const Circles& circles) {
    const auto rasterizer = make_cuda_rasterizer({});
    begin.arrive_and_wait();
    for (int i = 0; i < kTimes; ++i) draw(*rasterizer, circles, image);
    return draw(*rasterizer, circles, image);
  };
  const Circles few = random_circles(2100, 0.08f, 0.5f, 0),
                many = random_circles(16000, 0.08f, 0.5f, 0);
  auto of_few = std::async(std::launch::async, draw_often, std::cref(few));
  auto of_many = std::async(std::launch::async, draw_often, std::cref(many));
  expect_same_bits(draw_cpu(few, image), of_few.get(), "few");
  expect_same_bits(draw_cpu(many, image), of_many.get(), "many");
}

TEST_P(Equality, CudaInLittleMemoryHasTheSameBits) {
  if (kAddressSanitized) GTEST_SKIP() << "sanitizers change how much memory is needed";
  ROUNDEL_NEEDS_CUDA();
  const Circles circles = random_circles(300000, 0.3f, 0.02f, 0);
  const ImageSettings image = image_of(500, 500);
  const Framebuffer expected = draw_cpu(circles, image);
  expect_same_bits(
      expected, draw(*make_cuda_rasterizer({.memory_budget = 24 << 20}), circles, image), "24 MiB");
}

TEST(EqualityOfScenes, SelftestScenesMatchTheirPixelByPixelRendering) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const NamedScene& scene : selftest_scenes()) {
    if (scene.circles.count() * static_cast<std::size_t>(scene.image.width * scene.image.height) >
        (kSanitized ? 3'000'000 : 30'000'000))
      continue;  // too long pixel by pixel; `roundel selftest` compares them between backends
    expect_same_bits(draw_without_tiles(scene.circles, scene.image),
                     draw_cpu(scene.circles, scene.image, {.threads = 2}), scene.name);
  }
}

}  // namespace
}  // namespace roundel
