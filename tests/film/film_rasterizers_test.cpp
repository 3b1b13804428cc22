#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <tuple>

#include "renderer/scene/resolve_scene.h"
#include "tests/film/test_export.h"
#include "tests/testing.h"

/// Requirements of films on their rasterizers, and the results that they use.
namespace roundel {
namespace {

/// Draws with the CPU, and records whether the circles were in memory.
class LookingRasterizer : public Rasterizer {
 public:
  explicit LookingRasterizer(bool& in_memory) : in_memory_(in_memory) {}
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    in_memory_ = circles.in_memory() != nullptr;
    inner_->draw(circles, image, out, stats);
  }

 private:
  bool& in_memory_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(FilmRasterizers, OnlySimulatedCirclesAreInMemory) {
  if (kAddressSanitized) GTEST_SKIP() << "sanitizers change how much memory is needed";
  for (const auto& [generator, budget, in_memory] :
       {std::tuple{"rand10k", std::uint64_t{64} << 20, false},  // drawn once
        std::tuple{"snowsingle", std::uint64_t{1} << 16, true}}) {
    TestExport test(generator, run_of_frames(0, 3));
    test.memory_budget = budget;
    bool found = !in_memory;
    test.rasterizers.push_back(std::make_unique<LookingRasterizer>(found));
    EXPECT_EQ(test.run().written, run_of_frames(0, 3));
    EXPECT_EQ(found, in_memory) << generator;
    EXPECT_EQ(test.sink.files.at(2), still(test.scene, 2)) << generator;
  }
}

/// Draws recipes with the CPU, and counts them.
class RecipeRasterizer : public Rasterizer {
 public:
  explicit RecipeRasterizer(std::atomic<int>& recipes) : recipes_(recipes) {}
  bool makes_circles(std::uint64_t count) override { return count > 0; }
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    recipes_ += circles.recipe() != nullptr && circles.recipe()->film ? 1 : 0;
    inner_->draw(circles, image, out, stats);
  }

 private:
  std::atomic<int>& recipes_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(FilmRasterizers, RasterizersThatMakeCirclesGetRecipes) {
  for (const char* generator : {"hypnosis", "fireworks", "rand10k"}) {
    TestExport test(generator, {-2, 0, 1, 5, 30, 31});
    std::atomic<int> recipes = 0;
    for (int i = 0; i < 3; ++i)
      test.rasterizers.push_back(std::make_unique<RecipeRasterizer>(recipes));
    EXPECT_EQ(test.run().written.size(), 6U);
    EXPECT_EQ(recipes, generator == std::string("rand10k") ? 0 : 6) << generator << ": drawn once?";
    for (const auto& [frame, bytes] : test.sink.files)
      EXPECT_EQ(bytes, still(test.scene, frame)) << generator << " " << frame;
  }
  TestExport moving("rand10k", run_of_frames(0, 6));
  moving.scene = parse_scene(
      "version: 1\nimage: {width: 24, height: 16}\nview: {zoom: {keys: {0: 1, 5: 9}}}\nlayers:\n"
      "  - {generator: rand10k, rotate: {keys: {0: 0, 5: 50}}}\n  - generator: fireworks\n",
      "test.yaml");
  std::atomic<int> moved = 0;
  moving.rasterizers.push_back(std::make_unique<RecipeRasterizer>(moved));
  EXPECT_EQ(moving.run().written, run_of_frames(0, 6));
  EXPECT_EQ(moved, 6);
  for (const auto& [frame, bytes] : moving.sink.files)
    EXPECT_EQ(bytes, still(scene_at(moving.scene, frame), frame)) << frame;
  TestExport far("rand10k", run_of_frames(0, 6));  // from frame 2 on positions are binary64
  far.scene = parse_scene(
      "version: 1\nimage: {width: 24, height: 16}\nview: {center: [0.3, 0.3],\n"
      "  zoom: {keys: {1: 1.5, 2: 1.0e+6}, ease: hold}}\nlayers:\n"
      "  - random: {count: 500, radius: 0.000001, position: {gaussian: {mean: [0.3, 0.3], sigma: "
      "0.000001}}}\n  - generator: fireworks\n",
      "test.yaml");
  std::atomic<int> near = 0;
  far.rasterizers.push_back(std::make_unique<RecipeRasterizer>(near));
  EXPECT_EQ(far.run().written.size(), 6U);
  EXPECT_EQ(near, 2);
  for (const auto& [frame, bytes] : far.sink.files)
    EXPECT_EQ(bytes, still(scene_at(far.scene, frame), frame)) << frame;
  TestExport mixed("hypnosis", run_of_frames(0, 5));
  std::atomic<int> recipes = 0;
  mixed.rasterizers.push_back(std::make_unique<RecipeRasterizer>(recipes));
  mixed.add_rasterizer(0);
  EXPECT_EQ(mixed.run().written, run_of_frames(0, 5));
  EXPECT_EQ(recipes, 0);
}

/// Makes its own files if it may: their head, and a word.
class PackingRasterizer : public Rasterizer {
 public:
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    if (out.png == nullptr) return inner_->draw(circles, image, out, stats);
    Bytes file = out.png->head;
    for (const char c : kWord) file.push_back(static_cast<std::uint8_t>(c));
    out.png->memory.resize_discard(file.size());
    std::copy(file.begin(), file.end(), out.png->memory.begin());
    out.png->bytes = out.png->memory.span();
  }
  static constexpr std::string_view kWord = "packed";

 private:
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(FilmRasterizers, FilesOfARasterizerAreWrittenUnchanged) {
  // Other processes draw some frames, into the same pictures by turns.
  const FrameList frames = run_of_frames(0, 60);
  TestExport test("hypnosis", frames, false, VideoFormat::kNone);
  test.rasterizers.push_back(std::make_unique<PackingRasterizer>());
  test.add_rasterizer(0);
  EXPECT_EQ(test.run().written, frames);
  const auto cpu = make_cpu_rasterizer({});
  std::size_t packed = 0;
  for (const auto& [frame, bytes] : test.sink.files) {
    FramePixels picture;
    Circles circles;
    StageStats stats;
    CircleSource source(test.scene);
    cpu->draw(source.at(frame, circles), test.scene.image, test.encoder.file_target(picture, frame),
              stats);
    EXPECT_TRUE(picture.png.bytes.empty());
    if (bytes == test.encoder.encode(picture, frame, false)) continue;
    Bytes expected = picture.png.head;
    expected.insert(expected.end(), PackingRasterizer::kWord.begin(),
                    PackingRasterizer::kWord.end());
    EXPECT_EQ(bytes, expected) << frame;
    ++packed;
  }
  EXPECT_GT(packed, 0U);
}

TEST(FilmRasterizers, ReusedFilesGetTheirOwnFrameNumber) {
  // All pictures are equal, but each file names its frame.
  const FrameList frames = run_of_frames(0, 20);
  TestExport test("rgb", frames, false, VideoFormat::kNone);
  test.rasterizers.push_back(std::make_unique<PackingRasterizer>());
  EXPECT_EQ(test.run().written, frames);
  for (const auto& [frame, bytes] : test.sink.files) {
    FramePixels picture;
    test.encoder.file_target(picture, frame);
    Bytes expected = picture.png.head;
    expected.insert(expected.end(), PackingRasterizer::kWord.begin(),
                    PackingRasterizer::kWord.end());
    EXPECT_EQ(bytes, expected) << frame;
  }
}

/// Needs a warm-up, counts its empty drawings, and may fail at them.
class ColdRasterizer : public Rasterizer {
 public:
  ColdRasterizer(std::atomic<int>& warmings, bool fails) : warmings_(warmings), fails_(fails) {}
  bool needs_warm_up() const override { return true; }
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    if (circles.count() == 0) {
      ++warmings_;
      if (fails_) throw Error(ExitCode::kRuntimeFailure, "too cold");
    }
    inner_->draw(circles, image, out, stats);
  }

 private:
  std::atomic<int>& warmings_;
  bool fails_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(FilmRasterizers, WarmUpLeavesFilmsUnchanged) {
  for (const bool fails : {false, true}) {
    for (const VideoFormat format : {VideoFormat::kNone, VideoFormat::kRawVideo}) {
      const FrameList frames = run_of_frames(0, 30);
      TestExport test("hypnosis", frames, false, format), plain("hypnosis", frames, false, format);
      std::atomic<int> warmings = 0;
      for (int i = 0; i < 3; ++i)
        test.rasterizers.push_back(std::make_unique<ColdRasterizer>(warmings, fails));
      const ExportResult result = test.run();
      EXPECT_EQ(result.written, frames);
      EXPECT_TRUE(result.failed.empty());
      EXPECT_GE(warmings, 3);
      plain.run();
      EXPECT_EQ(test.sink.files, plain.sink.files);
    }
  }
  TestExport large("rgb", {0});
  std::atomic<int> warmings = 0;
  large.scene.image.width = large.scene.image.height = 2049;
  large.rasterizers.push_back(std::make_unique<ColdRasterizer>(warmings, false));
  EXPECT_EQ(large.run().written.size(), 1U);
  EXPECT_EQ(warmings, 0);
}

TEST(FilmRasterizers, RasterizersEncodePngOnly) {
  TestExport test("hypnosis", run_of_frames(0, 5));
  test.rasterizers.push_back(std::make_unique<PackingRasterizer>());
  EXPECT_EQ(test.run().written, run_of_frames(0, 5));
  for (const auto& [frame, bytes] : test.sink.files) EXPECT_EQ(bytes, still(test.scene, frame));
}

}  // namespace
}  // namespace roundel
