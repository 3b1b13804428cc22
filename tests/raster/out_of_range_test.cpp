// Mistakes of a program in C++ are errors instead of reads out of bounds.
#include <limits>

#include "renderer/compare/picture_difference.h"
#include "renderer/machine_options.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"
#include "tests/testing.h"

namespace roundel {
namespace {

Scene small_scene() {
  return parse_scene(
      "version: 1\nimage: {width: 20, height: 10}\nlayers:\n"
      "  - circles: [{x: 1, y: 0.5, radius: 0.4}]\n",
      "s.yaml");
}

TEST(OutOfRange, RejectsTileSizes) {
  for (const int size : {-16, -1, 1, 3, 8, 15, 17, 48, 512, std::numeric_limits<int>::max()}) {
    const Error error = error_of([&] { make_cpu_rasterizer({.tile_size = size}); });
    EXPECT_EQ(error.exit_code(), ExitCode::kUsage) << size;
    EXPECT_NE(std::string(error.what()).find("RasterOptions::tile_size"), std::string::npos);
  }
  for (const int size : {0, 16, 32, 64, 128, 256})
    EXPECT_NO_THROW(make_cpu_rasterizer({.tile_size = size}));
}

TEST(OutOfRange, RejectsImageSizesBitsAndCrops) {
  const TemporaryFolder folder;
  const auto rasterizer = make_cpu_rasterizer({});
  const auto refuses = [&](const auto& change) {
    Scene scene = small_scene();
    change(scene.image);
    StageStats stats;
    const bool in_memory = error_of([&] {
                             render_to_image(scene, 0, *rasterizer, stats);
                           }).exit_code() == ExitCode::kUsage;
    const bool in_file = error_of([&] {
                           render_to_file(scene, 0, *rasterizer, folder / "a.png", stats);
                         }).exit_code() == ExitCode::kUsage;
    return in_memory && in_file;
  };
  for (const std::pair<int, int>& size :
       {std::pair(0, 0), {0, 10}, {20, 0}, {-1, 10}, {20, -5}, {65537, 10}})
    EXPECT_TRUE(refuses(
        [&](ImageSettings& image) { image.width = size.first, image.height = size.second; }));
  for (const int bits : {0, 1, 3, 12, 32, -8})
    EXPECT_TRUE(refuses([&](ImageSettings& image) { image.bits = bits; })) << bits;
  for (const CropOrigin& crop : {CropOrigin{20, 10, 1, 0},
                                 {20, 10, 0, 1},
                                 {19, 10, 0, 0},
                                 {20, 9, 0, 0},
                                 {40, 40, -1, 0},
                                 {40, 40, 0, -1},
                                 {0, 0, 0, 0},
                                 {70000, 40, 0, 0}})
    EXPECT_TRUE(refuses([&](ImageSettings& image) { image.crop = crop; }));
  EXPECT_EQ(folder.count_files(), 0U);
}

TEST(OutOfRange, RejectsPathsWithNul) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  const auto rasterizer = make_cpu_rasterizer({});
  const Scene scene = small_scene();
  StageStats stats;
  const Error written =
      error_of([&] { render_to_file(scene, 0, *rasterizer, folder / "a\0b.png"s, stats); });
  EXPECT_EQ(written.exit_code(), ExitCode::kOutputRefused);
  EXPECT_EQ(folder.count_files(), 0U);
  folder.write("s.yaml", "version: 1\nlayers: []\n");
  const Error read = error_of([&] { load_scene(folder / "s.yaml\0.yaml"s); });
  EXPECT_EQ(read.exit_code(), ExitCode::kInvalidScene);
  for (const Error& error : {written, read})
    EXPECT_NE(std::string(error.what()).find("\\x00"), std::string::npos) << error.what();
}

TEST(OutOfRange, RejectsEmptyTextsAndNullTables) {
  EXPECT_EQ(error_of([] { parse_scene(std::string_view(), "s.yaml"); }).exit_code(),
            ExitCode::kInvalidScene);
  SceneOverrides overrides;
  overrides.tables["points"] = nullptr;
  const std::string text = "version: 1\nlayers: [{data: points, columns: [x, y, radius]}]\n";
  EXPECT_EQ(error_of([&] { parse_scene(text, "s.yaml", overrides); }).exit_code(),
            ExitCode::kUsage);
}

TEST(OutOfRange, RejectsInvalidTolerances) {
  Picture a;
  a.width = 4, a.height = 3, a.channels = 3;
  a.bytes.resize_discard(36);
  Picture b;
  b.width = 4, b.height = 3, b.channels = 3;
  b.bytes.resize_discard(36);
  for (std::size_t i = 0; i < 36; ++i) a.bytes[i] = b.bytes[i] = static_cast<std::uint8_t>(i);
  b.bytes[0] = 200;
  const auto compare = [&](const Tolerance& tolerance) {
    return compare_pictures(a, b, tolerance, {});
  };
  constexpr int kMaxInt = std::numeric_limits<int>::max();
  for (const PixelBox& box : {PixelBox{-1, 0, 2, 2},
                              {0, -1, 2, 2},
                              {0, 0, 0, 1},
                              {0, 0, 1, 0},
                              {1, 1, -1, 1},
                              {-kMaxInt, 0, kMaxInt, 1}})
    EXPECT_EQ(error_of([&] { compare({.ignore = {box}}); }).exit_code(), ExitCode::kUsage);
  for (const std::pair<int, int>& size : {std::pair(0, 0), {0, 4}, {4, 0}, {-1, 4}, {4, -3}})
    EXPECT_EQ(error_of([&] {
                compare({.max_density = Tolerance::Density{0, size.first, size.second}});
              }).exit_code(),
              ExitCode::kUsage);
  for (const double delta : {-1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(error_of([&] { compare({.max_delta = delta}); }).exit_code(), ExitCode::kUsage);
  // Boxes beyond the picture are empty.
  EXPECT_EQ(compare({.ignore = {{4, 0, 1, 1}, {100, 100, kMaxInt, kMaxInt}}}).pixels_over, 1U);
  EXPECT_EQ(compare({.ignore = {{0, 0, kMaxInt, kMaxInt}}}).pixels_over, 0U);
  EXPECT_EQ(compare({.max_density = Tolerance::Density{0, kMaxInt, kMaxInt}}).densest_pixels, 1U);
}

}  // namespace
}  // namespace roundel
