#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>

#include "renderer/circles/generate.h"
#include "renderer/image/png_stream.h"
#include "renderer/scene/load_scene.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

bool same_pixels(const Framebuffer& a, const Framebuffer& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(Pixel)) == 0;
}

/// Motion blur in all outputs: the mean that the device makes has the bits of the CPU's.
TEST(CudaMean, EqualsTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  const auto cpu = make_cpu_rasterizer({});
  const std::unique_ptr<Rasterizer> rasterizers[] = {make_cuda_rasterizer({}),
                                                     make_cuda_rasterizer({.chunk_circles = 500}),
                                                     make_cuda_rasterizer({.times_stages = true})};
  for (const char* image : {"", ", antialias: true, bits: 16", ", alpha: true", ", dither: true",
                            ", blend: linear, alpha: true, bits: 16"}) {
    for (const char* blend : {"over", "add", "multiply"}) {
      if (std::string(image).find("alpha") != std::string::npos && *blend == 'm') continue;
      const Scene scene = parse_scene(
          fmt::format(
              "version: 1\nimage: {{width: 203, height: 120{}}}\n"
              "view: {{zoom: {{keys: {{0: 1, 4: 2}}}}}}\n"
              "layers:\n  - {{random: {{count: 1500, radius: 0.03, alpha: 0.4}}, offset: "
              "{{keys: {{0: [0, 0], 4: [0.5, 0.2]}}}}, blend: {}}}\n"
              "  - circles: [{{x: 0.5, y: 0.5, radius: 0.2, alpha: 1, color: [1, 0.5, 0]}}]\n"
              "animation: {{frames: 5, samples: 5}}\n",
              image, blend),
          "test.yaml");
      FilmSource film(scene);
      for (const std::int64_t frame : {1, 3}) {
        const FilmSource::Frame at = film.at(frame);
        Circles memory;
        StageStats stats;
        const CircleStream circles = at.circles->at(frame, memory);
        ASSERT_EQ(circles.pictures(), 5U);
        Framebuffer floats;
        Image bytes;
        cpu->draw(circles, at.scene->image, floats, stats);
        cpu->draw(circles, at.scene->image, bytes, stats);
        for (const auto& cuda : rasterizers) {
          const std::string where = fmt::format("{}, {}, frame {}", image, blend, frame);
          Framebuffer got_floats;
          Image got;
          DevicePixels on_device{false};
          cuda->draw(circles, at.scene->image, got_floats, stats);
          EXPECT_TRUE(same_pixels(floats, got_floats)) << where;
          cuda->draw(circles, at.scene->image, got, stats);
          EXPECT_TRUE(got.bytes.size() == bytes.bytes.size() &&
                      std::memcmp(got.bytes.data(), bytes.bytes.data(), bytes.bytes.size()) == 0)
              << where;
          cuda->draw(circles, at.scene->image, on_device, stats);
          std::vector<std::uint8_t> read(bytes.bytes.size());
          copy_from_device(on_device.samples.get(), read.size(), read.size(), 1, read.data());
          EXPECT_EQ(std::memcmp(read.data(), bytes.bytes.data(), read.size()), 0) << where;
        }
      }
    }
  }
}

/// A film whose circles stay on the device, also in frames with samples.
TEST(CudaMean, OfFilmsOnTheDeviceEqualsTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  const Scene scene = parse_scene(
      "version: 1\nimage: {width: 160, height: 100}\nview: {zoom: {keys: {0: 1, 9: 3}}, rotate: "
      "{keys: {0: 0, 9: 90}}}\nlayers:\n  - {generator: snow, opacity: 0.8}\n  - {generator: "
      "rand10k, offset: {keys: {0: [0, 0], 9: [1, 1]}}}\nanimation: {frames: 10, samples: 4}\n",
      "test.yaml");
  const auto cuda = make_cuda_rasterizer({});
  FilmSource film(scene), other(scene);
  for (const std::int64_t frame : {1, 2, 3, 7, 5}) {
    const std::shared_ptr<const Scene> at = film.at(frame).scene;
    const std::optional<CircleStream> circles = film.from_recipes(frame);
    ASSERT_TRUE(circles);
    ASSERT_EQ(circles->pictures(), 4U);
    Image expected, got;
    StageStats stats;
    Circles memory;
    make_cpu_rasterizer({})->draw(other.at(frame).circles->at(frame, memory), at->image, expected,
                                  stats);
    cuda->draw(*circles, at->image, got, stats);
    EXPECT_TRUE(std::equal(got.bytes.begin(), got.bytes.end(), expected.bytes.begin(),
                           expected.bytes.end()))
        << "frame " << frame;
  }
}

/// A frame without samples follows one with them.
TEST(CudaMean, LeavesNothingToTheNextFrame) {
  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda_rasterizer({});
  const auto draw = [&](const char* animation) {
    const Scene scene = parse_scene(
        fmt::format("version: 1\nimage: {{width: 64, height: 64}}\nlayers:\n  - {{random: {{count: "
                    "300}}, opacity: {{keys: {{0: 0.2, 4: 1}}}}}}\nanimation: {}\n",
                    animation),
        "test.yaml");
    FilmSource film(scene);
    const FilmSource::Frame at = film.at(2);
    Circles memory;
    Image expected, got;
    StageStats stats;
    const CircleStream circles = at.circles->at(2, memory);
    make_cpu_rasterizer({})->draw(circles, at.scene->image, expected, stats);
    cuda->draw(circles, at.scene->image, got, stats);
    EXPECT_TRUE(std::equal(got.bytes.begin(), got.bytes.end(), expected.bytes.begin(),
                           expected.bytes.end()))
        << animation;
  };
  for (const char* animation : {"{frames: 5, samples: 3}", "{frames: 5}",
                                "{frames: 5, samples: 2, shutter: 1}", "{frames: 5}"})
    draw(animation);
}

}  // namespace
}  // namespace roundel
