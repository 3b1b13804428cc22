#include "renderer/sequence/export_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "renderer/base/error.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

using Bytes = std::vector<std::uint8_t>;

Scene test_scene(const std::string& generator) {
  return parse_scene(
      "version: 1\nimage: {width: 24, height: 16}\nlayers:\n  - generator: " + generator + "\n",
      "test.yaml");
}

/// The frames of a list.
class ListSource final : public FrameSource {
 public:
  explicit ListSource(FrameList frames) : frames_(std::move(frames)) {}
  std::optional<std::int64_t> next() override {
    if (next_ == frames_.size()) return std::nullopt;
    return frames_[next_++];
  }

 private:
  FrameList frames_;
  std::size_t next_ = 0;
};

/// Keeps what it gets, and fails where it is told to.
class TestSink : public FrameSink {
 public:
  explicit TestSink(bool in_order) : in_order_(in_order) {}
  bool in_order() const override { return in_order_; }
  std::string name(std::int64_t frame) const override { return std::to_string(frame); }
  void write(std::int64_t frame, std::span<const std::uint8_t> bytes) override {
    const std::lock_guard lock(mutex);
    if (fails(frame)) throw Error(ExitCode::kOutputRefused, "refused");
    order.push_back(frame);
    EXPECT_TRUE(files.emplace(frame, Bytes(bytes.begin(), bytes.end())).second) << "twice";
  }

  std::function<bool(std::int64_t)> fails = [](std::int64_t) { return false; };
  std::mutex mutex;
  FrameList order;
  std::map<std::int64_t, Bytes> files;

 private:
  bool in_order_;
};

/// Draws with the CPU, after some waiting; throws from the given call on.
class SlowRasterizer : public Rasterizer {
 public:
  SlowRasterizer(int milliseconds, int calls_before_failure)
      : milliseconds_(milliseconds), calls_left_(calls_before_failure) {}
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats) override {
    wait();
    inner_->draw(circles, image, out, stats);
  }

 private:
  void wait() {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    if (calls_left_-- <= 0) throw Error(ExitCode::kRuntimeFailure, "the device is gone");
  }
  int milliseconds_, calls_left_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

constexpr int kNeverFails = 1 << 30;

/// One export of a scene, with what a test wants to change.
struct TestExport {
  explicit TestExport(const std::string& generator, FrameList frames, bool in_order = false,
                      VideoFormat format = VideoFormat::kRawVideo)
      : scene(test_scene(generator)),
        source(std::move(frames)),
        encoder(scene, {ImageFormat::kPng, format}),
        sink(in_order) {}

  ExportResult run() {
    if (rasterizers.empty()) rasterizers.push_back(make_cpu_rasterizer({}));
    ExportJob job{scene, source, encoder, sink, std::move(rasterizers)};
    job.encoders = 3;
    job.memory_budget = memory_budget;
    job.repeats = repeats;
    job.on_written = [this](std::int64_t, std::uint64_t) { ++reported; };
    job.goes_on = goes_on;
    job.tick_seconds = 0.001;
    return export_frames(std::move(job));
  }
  void add_rasterizer(int milliseconds, int calls_before_failure = kNeverFails) {
    rasterizers.push_back(std::make_unique<SlowRasterizer>(milliseconds, calls_before_failure));
  }

  Scene scene;
  ListSource source;
  FrameEncoder encoder;
  TestSink sink;
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  std::function<bool(const ExportCounts&)> goes_on = [](auto&) { return true; };
  std::uint64_t memory_budget = 0;
  bool repeats = true;
  std::atomic<int> reported{0};
};

/// The frame on its own, as a still is made.
Bytes still(const Scene& scene, std::int64_t frame) {
  const auto rasterizer = make_cpu_rasterizer({});
  Image image;
  StageStats stats;
  CircleSource source(scene);
  Circles circles;
  rasterizer->draw(source.at(frame, circles), scene.image, image, stats);
  return {image.bytes.begin(), image.bytes.end()};
}

/// Draws with the CPU, and remembers whether the circles were in memory.
class LookingRasterizer : public Rasterizer {
 public:
  explicit LookingRasterizer(bool& in_memory) : in_memory_(in_memory) {}
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats) override {
    in_memory_ = circles.in_memory() != nullptr;
    inner_->draw(circles, image, out, stats);
  }

 private:
  bool& in_memory_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(ExportPipeline, CirclesAreInMemoryOnlyWhereTheyAreMadeOnceOrSimulated) {
  for (const auto& [generator, budget, repeats, in_memory] :
       {std::tuple{"rand10k", std::uint64_t{64} << 20, true, false},  // drawn once
        std::tuple{"rand10k", std::uint64_t{64} << 20, false, true},
        std::tuple{"rand10k", std::uint64_t{1} << 16, false, false},
        std::tuple{"snowsingle", std::uint64_t{1} << 16, true, true}}) {
    TestExport test(generator, run_of_frames(0, 3));
    test.memory_budget = budget;
    test.repeats = repeats;
    bool found = !in_memory;
    test.rasterizers.push_back(std::make_unique<LookingRasterizer>(found));
    EXPECT_EQ(test.run().written, run_of_frames(0, 3));
    EXPECT_EQ(found, in_memory) << generator;
    EXPECT_EQ(test.sink.files.at(2), still(test.scene, 2)) << generator;
  }
}

/// Draws with the CPU what comes as recipes, and counts these.
class RecipeRasterizer : public Rasterizer {
 public:
  explicit RecipeRasterizer(std::atomic<int>& recipes) : recipes_(recipes) {}
  bool makes_circles(std::uint64_t count) override { return count > 0; }
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats) override {
    recipes_ += circles.recipe() != nullptr ? 1 : 0;
    inner_->draw(circles, image, out, stats);
  }

 private:
  std::atomic<int>& recipes_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(ExportPipeline, WhereAllRasterizersMakeCirclesTheyAreGivenRecipes) {
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
  TestExport mixed("hypnosis", run_of_frames(0, 5));
  std::atomic<int> recipes = 0;
  mixed.rasterizers.push_back(std::make_unique<RecipeRasterizer>(recipes));
  mixed.add_rasterizer(0);
  EXPECT_EQ(mixed.run().written, run_of_frames(0, 5));
  EXPECT_EQ(recipes, 0);
}

/// Makes files of its own where it may: their head, and a word.
class PackingRasterizer : public Rasterizer {
 public:
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
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

TEST(ExportPipeline, FilesOfARasterizerAreWrittenAsTheyAre) {
  // Some frames are drawn by others, in the same pictures by turns.
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

TEST(ExportPipeline, FramesThatTakeAFileAsItIsNameThemselves) {
  // All look the same, but each file names its frame.
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

TEST(ExportPipeline, RasterizersAreAskedForFilesOfPngsAlone) {
  TestExport test("hypnosis", run_of_frames(0, 5));
  test.rasterizers.push_back(std::make_unique<PackingRasterizer>());
  EXPECT_EQ(test.run().written, run_of_frames(0, 5));
  for (const auto& [frame, bytes] : test.sink.files) EXPECT_EQ(bytes, still(test.scene, frame));
}

TEST(ExportPipeline, FramesAreThoseOfStills) {
  for (const char* generator : {"hypnosis", "rgb"}) {
    TestExport test(generator, {-2, 0, 1, 5, 30, 31});
    const ExportResult result = test.run();
    EXPECT_EQ(result.written, (FrameList{-2, 0, 1, 5, 30, 31}));
    EXPECT_TRUE(result.failed.empty());
    for (const auto& [frame, bytes] : test.sink.files) {
      EXPECT_EQ(bytes, still(test.scene, frame)) << generator << " " << frame;
    }
    EXPECT_EQ(test.reported, 6);
    EXPECT_EQ(result.bytes, 6U * 24 * 16 * 3);
  }
}

/// Draws with the CPU, and counts.
class CountingRasterizer : public Rasterizer {
 public:
  CountingRasterizer(int milliseconds, std::atomic<int>& draws)
      : milliseconds_(milliseconds), draws_(draws) {}
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    ++draws_;
    inner_->draw(circles, image, out, stats);
  }

 private:
  int milliseconds_;
  std::atomic<int>& draws_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

TEST(ExportPipeline, AFrameLikeTheOneBeforeTakesItsPicture) {
  const std::string moving = "generator: rgb\n    rotate: {keys: {5: 0, 8: 90}, ease: ";
  for (const auto& [layer, pictures] : std::map<std::string, int>{{"generator: rgb", 1},
                                                                  {"generator: hypnosis", 40},
                                                                  {moving + "linear}", 4},
                                                                  {moving + "hold}", 2}}) {
    for (const bool in_order : {false, true}) {
      for (const int milliseconds : {0, 5}) {  // frames wait for the picture, or find it there
        TestExport test("rgb", run_of_frames(0, 40), in_order);
        test.scene =
            parse_scene("version: 1\nimage: {width: 24, height: 16}\nlayers:\n  - " + layer + "\n",
                        "test.yaml");
        std::atomic<int> draws = 0;
        for (int i = 0; i < 2; ++i)
          test.rasterizers.push_back(std::make_unique<CountingRasterizer>(milliseconds, draws));
        EXPECT_EQ(test.run().written, run_of_frames(0, 40));
        EXPECT_EQ(draws, pictures) << layer;
        for (const auto& [frame, bytes] : test.sink.files)
          EXPECT_EQ(bytes, still(scene_at(test.scene, frame), frame)) << layer << " " << frame;
      }
    }
  }
}

TEST(ExportPipeline, FramesOfAMovingViewAreThoseOfStills) {
  for (const char* layers :
       {"generator: rand10k", "generator: hypnosis", "generator: {name: rand10k}\n    shader: snow",
        "random: {count: 300}\n    opacity: {keys: {0: 1, 9: 0}}\n  - generator: snowsingle"}) {
    const Scene scene = parse_scene(
        std::string("version: 1\nimage: {width: 24, height: 16}\nview: {zoom: {keys: {0: 1, 9: "
                    "30}, ease: exponential}}\nlayers:\n  - ") +
            layers + "\n  - circles: [{x: {keys: {0: 0, 9: 1}}, y: 0.5, radius: 0.2}]\n",
        "test.yaml");
    for (const std::uint64_t budget : {std::uint64_t{64} << 20, std::uint64_t{1} << 16}) {
      TestExport test("rgb", {-3, 0, 1, 2, 7, 20});
      test.scene = scene;
      test.memory_budget = budget;
      for (const int milliseconds : {0, 1, 3}) test.add_rasterizer(milliseconds);
      EXPECT_EQ(test.run().written.size(), 6U);
      for (const auto& [frame, bytes] : test.sink.files)
        EXPECT_EQ(bytes, still(scene_at(scene, frame), frame)) << layers << " " << frame;
    }
  }
}

TEST(ExportPipeline, SeveralRasterizersShareTheFrames) {
  const FrameList frames = run_of_frames(0, 60);
  TestExport test("hypnosis", frames);
  for (const int milliseconds : {0, 1, 3}) test.add_rasterizer(milliseconds);
  EXPECT_EQ(test.run().written, frames);
  for (const auto& [frame, bytes] : test.sink.files) EXPECT_EQ(bytes, still(test.scene, frame));
}

TEST(ExportPipeline, StreamsAreInOrder) {
  const FrameList frames = run_of_frames(0, 60);
  TestExport test("hypnosis", frames, /*in_order=*/true);
  for (const int milliseconds : {0, 1, 3}) test.add_rasterizer(milliseconds);
  test.run();
  EXPECT_EQ(test.sink.order, frames);
}

TEST(ExportPipeline, NoFramesAreNoFailure) {
  TestExport test("rgb", {});
  const ExportResult result = test.run();
  EXPECT_TRUE(result.written.empty());
  EXPECT_TRUE(result.failed.empty());
}

TEST(ExportPipeline, AFrameThatCannotBeWrittenHarmsNoOther) {
  TestExport test("hypnosis", run_of_frames(0, 30));
  test.sink.fails = [](std::int64_t frame) { return frame == 7 || frame == 21; };
  const ExportResult result = test.run();
  EXPECT_EQ(result.written.size(), 28U);
  ASSERT_EQ(result.failed.size(), 2U);
  EXPECT_EQ(result.failed[0].frame + result.failed[1].frame, 28);
  EXPECT_EQ(result.failed[0].exit_code, ExitCode::kOutputRefused);
  EXPECT_EQ(result.failed[0].message, "refused");
  EXPECT_FALSE(result.gave_up);
}

TEST(ExportPipeline, ManyFailuresInARowEndIt) {
  TestExport test("rgb", run_of_frames(0, 1000));
  test.sink.fails = [](std::int64_t frame) { return frame >= 10; };
  const ExportResult result = test.run();
  EXPECT_TRUE(result.gave_up);
  EXPECT_EQ(result.written.size(), 10U);
  EXPECT_GE(result.failed.size(), 20U);
  EXPECT_LT(result.failed.size(), 100U);
}

TEST(ExportPipeline, AStreamEndsAtTheFirstFailure) {
  TestExport test("hypnosis", run_of_frames(0, 100), /*in_order=*/true);
  test.add_rasterizer(0);
  test.add_rasterizer(1);
  test.sink.fails = [](std::int64_t frame) { return frame == 17; };
  const ExportResult result = test.run();
  EXPECT_EQ(result.written, run_of_frames(0, 17));
  EXPECT_EQ(result.failed.size(), 1U);
}

TEST(ExportPipeline, TheFrameOfAFailedRasterizerGoesToAnother) {
  for (const bool in_order : {false, true}) {
    const FrameList frames = run_of_frames(0, 40);
    TestExport test("hypnosis", frames, in_order);
    test.add_rasterizer(1, 3);
    test.add_rasterizer(2, 5);
    test.add_rasterizer(0);
    const ExportResult result = test.run();
    EXPECT_EQ(result.written, frames);
    EXPECT_TRUE(result.failed.empty());
    for (const auto& [frame, bytes] : test.sink.files) EXPECT_EQ(bytes, still(test.scene, frame));
  }
}

TEST(ExportPipeline, WithoutARasterizerItEnds) {
  TestExport test("hypnosis", run_of_frames(0, 40));
  test.add_rasterizer(0, 5);
  test.add_rasterizer(0, 5);
  const ExportResult result = test.run();
  EXPECT_TRUE(result.gave_up);
  EXPECT_EQ(result.written.size(), 10U);
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_EQ(result.failed[0].message, "the device is gone");
}

TEST(ExportPipeline, StopsAtOnceAndFinishesWhatIsDrawn) {
  for (const bool in_order : {false, true}) {
    TestExport test("hypnosis", run_of_frames(0, 100'000), in_order);
    test.add_rasterizer(1);
    test.add_rasterizer(2);
    test.goes_on = [](const ExportCounts& counts) { return counts.written < 5; };
    const ExportResult result = test.run();
    EXPECT_GE(result.written.size(), 5U);
    EXPECT_LT(result.written.size(), 10'000U);
    EXPECT_TRUE(result.failed.empty());
    EXPECT_EQ(result.written.size(), test.sink.files.size());
    if (in_order) {
      EXPECT_EQ(test.sink.order,
                run_of_frames(0, static_cast<std::int64_t>(test.sink.order.size())));
    }
  }
}

TEST(ExportPipeline, CanBeAbandoned) {
  TestExport test("hypnosis", run_of_frames(0, 100'000));
  test.goes_on = [](auto&) -> bool { throw Error(ExitCode::kRuntimeFailure, "enough"); };
  EXPECT_THROW(test.run(), Error);
  EXPECT_LT(test.sink.files.size(), 10'000U);
}

TEST(ExportPipeline, MemoryBoundsTheFramesOnTheirWay) {
  class CountingSource : public FrameSource {
   public:
    std::optional<std::int64_t> next() override {
      return handed_out < 200 ? std::optional<std::int64_t>(handed_out++) : std::nullopt;
    }
    std::atomic<std::int64_t> handed_out{0};
  } source;
  TestExport test("hypnosis", {});
  std::atomic<std::int64_t> written{0}, most{0};
  ExportJob job{test.scene, source, test.encoder, test.sink, {}};
  job.rasterizers.push_back(make_cpu_rasterizer({}));
  job.encoders = 3;
  job.memory_budget = 4 * 3 * test.encoder.picture_bytes();  // four pictures
  job.on_written = [&](std::int64_t, std::uint64_t) {
    most = std::max(most.load(), source.handed_out - written);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++written;
  };
  const ExportResult result = export_frames(std::move(job));
  EXPECT_EQ(result.written.size(), 200U);
  EXPECT_EQ(result.limits.frames, 4U);
  EXPECT_LE(most, 4 + 4);  // those just written are counted until their writer has slept
}

TEST(ExportPipeline, WhatTheCirclesFailWithEndsItAndFramesMadeBeforeCount) {
  class FailingSource : public FrameSource {
   public:
    std::optional<std::int64_t> next() override {
      if (frame_ == 3) throw Error(ExitCode::kInvalidScene, "bad data");
      return frame_++;
    }

   private:
    std::int64_t frame_ = 0;
  } source;
  TestExport test("hypnosis", {});
  ExportJob job{test.scene, source, test.encoder, test.sink, {}};
  job.rasterizers.push_back(make_cpu_rasterizer({}));
  const ExportResult result = export_frames(std::move(job));
  ASSERT_TRUE(result.error);
  EXPECT_STREQ(result.error->what(), "bad data");
  EXPECT_EQ(result.written.size(), test.sink.files.size());
  EXPECT_LE(result.written.size(), 3U);
}

TEST(ExportPipeline, StatsSumAllFrames) {
  TestExport test("rgb", run_of_frames(0, 10));
  ExportResult result = test.run();
  EXPECT_EQ(result.bytes, 10U * 24 * 16 * 3);
  EXPECT_EQ(result.stages.stage("write", StagePlace::kOutput).bytes, result.bytes);
  EXPECT_GT(result.stages.stage("blend").milliseconds, 0);
  EXPECT_GT(result.processor_seconds, 0);
  EXPECT_GT(result.seconds, 0);
  EXPECT_EQ(result.limits.draw, 1U);
  EXPECT_GE(result.limits.encode, 1U);
  EXPECT_GE(result.limits.write, 1U);
}

}  // namespace
}  // namespace roundel
