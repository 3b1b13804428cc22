#include "renderer/film/export_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "renderer/base/error.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/resolve_scene.h"
#include "tests/film/test_export.h"
#include "tests/testing.h"

namespace roundel {
namespace {

TEST(ExportPipeline, FramesEqualStills) {
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
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
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

TEST(ExportPipeline, RepeatedFramesReuseThePicture) {
  const std::string moving = "generator: rgb\n    rotate: {keys: {5: 0, 8: 90}, ease: ";
  for (const auto& [layer, pictures] : std::map<std::string, int>{{"generator: rgb", 1},
                                                                  {"generator: hypnosis", 40},
                                                                  {moving + "linear}", 4},
                                                                  {moving + "hold}", 2}}) {
    for (const bool in_order : {false, true}) {
      for (const int milliseconds : {0, 5}) {  // frames wait for the picture, or find it ready
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

TEST(ExportPipeline, FramesOfAMovingViewEqualStills) {
  if (kSanitized) GTEST_SKIP() << "draws many pictures; others here start the same threads";
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

TEST(ExportPipeline, StreamsKeepTheOrder) {
  const FrameList frames = run_of_frames(0, 60);
  TestExport test("hypnosis", frames, /*in_order=*/true);
  for (const int milliseconds : {0, 1, 3}) test.add_rasterizer(milliseconds);
  test.run();
  EXPECT_EQ(test.sink.order, frames);
}

TEST(ExportPipeline, AnEmptyListSucceeds) {
  TestExport test("rgb", {});
  const ExportResult result = test.run();
  EXPECT_TRUE(result.written.empty());
  EXPECT_TRUE(result.failed.empty());
}

TEST(ExportPipeline, FailedWriteAffectsOneFrame) {
  TestExport test("hypnosis", run_of_frames(0, 30));
  test.sink.fails = [](std::int64_t frame) { return frame == 7 || frame == 21; };
  const ExportResult result = test.run();
  EXPECT_EQ(result.written.size(), 28U);
  ASSERT_EQ(result.failed.size(), 2U);
  EXPECT_EQ(result.failed[0].frame + result.failed[1].frame, 28);
  EXPECT_EQ(result.failed[0].exit_code, ExitCode::kOutputRefused);
  EXPECT_EQ(result.failed[0].message, "refused");
  EXPECT_FALSE(result.has_given_up);
}

TEST(ExportPipeline, ManyFailuresInARowEndTheExport) {
  TestExport test("rgb", run_of_frames(0, 1000));
  test.sink.fails = [](std::int64_t frame) { return frame >= 10; };
  const ExportResult result = test.run();
  EXPECT_TRUE(result.has_given_up);
  EXPECT_EQ(result.written.size(), 10U);
  EXPECT_GE(result.failed.size(), 20U);
  EXPECT_LT(result.failed.size(), 100U);
}

TEST(ExportPipeline, StreamsEndAtTheFirstFailure) {
  TestExport test("hypnosis", run_of_frames(0, 100), /*in_order=*/true);
  test.add_rasterizer(0);
  test.add_rasterizer(1);
  test.sink.fails = [](std::int64_t frame) { return frame == 17; };
  const ExportResult result = test.run();
  EXPECT_EQ(result.written, run_of_frames(0, 17));
  EXPECT_EQ(result.failed.size(), 1U);
}

TEST(ExportPipeline, AnotherRasterizerDrawsTheFrameOfAFailedOne) {
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

TEST(ExportPipeline, FailureOfAllRasterizersEndsTheExport) {
  TestExport test("hypnosis", run_of_frames(0, 40));
  test.add_rasterizer(0, 5);
  test.add_rasterizer(0, 5);
  const ExportResult result = test.run();
  EXPECT_TRUE(result.has_given_up);
  EXPECT_EQ(result.written.size(), 10U);
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_EQ(result.failed[0].message, "the device is gone");
}

TEST(ExportPipeline, StopsAtOnceAndWritesDrawnFrames) {
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

TEST(ExportPipeline, ErrorInGoesOnEndsTheExport) {
  TestExport test("hypnosis", run_of_frames(0, 100'000));
  test.goes_on = [](auto&) -> bool { throw Error(ExitCode::kRuntimeFailure, "enough"); };
  EXPECT_THROW(test.run(), Error);
  EXPECT_LT(test.sink.files.size(), 10'000U);
}

TEST(ExportPipeline, MemoryLimitsTheFramesInFlight) {
  class CountingSource : public FrameSource {
   public:
    std::optional<NextFrame> next() override {
      return handed_out < 200 ? std::optional(NextFrame{handed_out++}) : std::nullopt;
    }
    std::atomic<std::int64_t> handed_out{0};
  } source;
  TestExport test("hypnosis", {});
  std::atomic<std::int64_t> written{0}, most{0};
  ExportJob job{test.scene, source, test.encoder, test.sink, {}};
  job.rasterizers.push_back(make_cpu_rasterizer({}));
  job.encoders = 3;
  job.memory_budget = 4 * 3 * test.encoder.picture_bytes();
  job.on_written = [&](std::int64_t, std::uint64_t) {
    most = std::max(most.load(), source.handed_out - written);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++written;
  };
  const ExportResult result = export_frames(std::move(job));
  EXPECT_EQ(result.written.size(), 200U);
  EXPECT_EQ(result.limits.frames, 4U);
  EXPECT_LE(most, 4 + 4);  // written pictures are counted until their writer has slept
}

TEST(ExportPipeline, AllWritersHelpWithABacklog) {
  TestExport test("hypnosis", run_of_frames(0, 200));
  constexpr std::size_t kWriters = 8;
  std::mutex mutex;
  std::condition_variable all_write;
  std::size_t writing = 0, most = 0;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  ExportJob job{test.scene, test.source, test.encoder, test.sink, {}};
  job.rasterizers.push_back(make_cpu_rasterizer({}));
  job.encoders = 16;
  job.on_written = [&](std::int64_t, std::uint64_t) {  // a disk that waits for all of them
    std::unique_lock lock(mutex);
    most = std::max(most, ++writing);
    all_write.notify_all();
    all_write.wait_until(lock, patience, [&] { return most >= kWriters; });
    --writing;
  };
  const ExportResult result = export_frames(std::move(job));
  EXPECT_EQ(result.written.size(), 200U);
  EXPECT_EQ(result.limits.write, kWriters);
  EXPECT_LT(result.limits.write_first, kWriters);
  EXPECT_EQ(most, kWriters);
}

TEST(ExportPipeline, SourceErrorEndsTheExportAndEarlierFramesCount) {
  class FailingSource : public FrameSource {
   public:
    std::optional<NextFrame> next() override {
      if (frame_ == 3) throw Error(ExitCode::kInvalidScene, "bad data");
      return NextFrame{frame_++};
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

TEST(ExportPipeline, GivesBackUnwrittenFrames) {
  /// After its own frames it waits for those of others, until it is closed.
  class WaitingSource : public FrameSource {
   public:
    std::optional<NextFrame> next() override {
      if (handed_out < 10) return NextFrame{handed_out++};
      while (!is_closed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return std::nullopt;
    }
    void close() override { is_closed = true; }
    void release(std::int64_t frame, bool has_failed) override {
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(given_back.insert(frame).second) << frame;
      failed += has_failed ? 1 : 0;
    }
    std::atomic<std::int64_t> handed_out{0};
    std::atomic<bool> is_closed{false};
    std::mutex mutex;
    std::set<std::int64_t> given_back;
    std::size_t failed = 0;
  };
  for (const char* generator : {"hypnosis", "rgb"}) {  // "rgb": all take the picture of the first
    WaitingSource source;
    TestExport test(generator, {});
    ExportJob job{test.scene, source, test.encoder, test.sink, {}};
    job.rasterizers.push_back(std::make_unique<SlowRasterizer>(50, 0));
    const ExportResult result = export_frames(std::move(job));
    EXPECT_TRUE(result.has_given_up);
    EXPECT_EQ(result.failed.size(), 1U);
    EXPECT_EQ(source.failed, 1U);
    EXPECT_GT(source.handed_out, 1);
    EXPECT_EQ(source.given_back.size(), static_cast<std::size_t>(source.handed_out)) << generator;
  }
}

TEST(ExportPipeline, KeepsWrittenFrames) {
  /// Another process has made every fifth frame.
  class MixedSource : public FrameSource {
   public:
    std::optional<NextFrame> next() override {
      if (frame_ == 50) return std::nullopt;
      const std::int64_t frame = frame_++;
      return NextFrame{frame, frame % 5 == 0};
    }
    void release(std::int64_t frame, bool has_failed) override {
      given_back.push_back(frame);
      EXPECT_TRUE(has_failed);
    }
    FrameList given_back;

   private:
    std::int64_t frame_ = 0;
  } source;
  TestExport test("hypnosis", {});
  test.sink.fails = [](std::int64_t frame) { return frame == 7; };
  ExportJob job{test.scene, source, test.encoder, test.sink, {}};
  job.rasterizers.push_back(make_cpu_rasterizer({}));
  const ExportResult result = export_frames(std::move(job));
  EXPECT_EQ(result.written.size(), 39U);
  EXPECT_EQ(result.kept, (FrameList{0, 5, 10, 15, 20, 25, 30, 35, 40, 45}));
  EXPECT_EQ(result.counts().kept, 10U);
  EXPECT_EQ(source.given_back, FrameList{7});
}

TEST(ExportPipeline, ThreadErrorEndsTheExportAndEarlierFramesCount) {
  for (const bool in_order : {false, true}) {
    TestExport test("hypnosis", {}, in_order);
    ListedFrames source(run_of_frames(0, 1000));
    ExportJob job{test.scene, source, test.encoder, test.sink, {}};
    job.rasterizers.push_back(make_cpu_rasterizer({}));
    job.on_written = [](std::int64_t frame, std::uint64_t) {
      if (frame == 9) throw std::bad_alloc();
    };
    const ExportResult result = export_frames(std::move(job));
    ASSERT_TRUE(result.error);
    EXPECT_STREQ(result.error->what(), "out of memory");
    EXPECT_GE(result.written.size(), in_order ? 9U : 1U);
    EXPECT_LT(result.written.size(), 1000U);
  }
}

TEST(ExportPipeline, StatsSumAllFrames) {
  TestExport test("rgb", run_of_frames(0, 10));
  ExportResult result = test.run();
  EXPECT_EQ(result.bytes, 10U * 24 * 16 * 3);
  EXPECT_EQ(result.stages.stage("write", StageResource::kOutput).bytes, result.bytes);
  EXPECT_GT(result.stages.stage("blend").milliseconds, 0);
  EXPECT_GT(result.processor_seconds, 0);
  EXPECT_GT(result.seconds, 0);
  EXPECT_EQ(result.limits.draw, 1U);
  EXPECT_GE(result.limits.encode, 1U);
  EXPECT_GE(result.limits.write, 1U);
}

}  // namespace
}  // namespace roundel
