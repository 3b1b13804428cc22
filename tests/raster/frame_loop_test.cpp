#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/raster/backend.h"

namespace roundel {
namespace {

using Next = ChunkResult::Next;

/// Records its calls, gives prepared answers, and fails at a given point.
class FakeBackend final : public RasterBackend {
 public:
  std::vector<ChunkResult> results;  ///< in order; then everything is fine and active
  std::string fails_at;
  std::uint32_t first_poll = 0;
  std::uint64_t most_circles = 1000;
  std::string log;

  ChunkPlan plan(const CircleStream& circles, const ImageSettings& /*image*/,
                 const FrameTarget& /*out*/, StageStats& /*stats*/) override {
    note("plan");
    return {circles.count(), {100, most_circles, 0}, first_poll};
  }
  void bin(const Chunk& chunk, StageStats& /*stats*/) override {
    note("bin");
    log += std::to_string(chunk.begin) + "-" + std::to_string(chunk.end);
  }
  void blend(const Chunk& /*chunk*/, StageStats& /*stats*/) override { note("blend"); }
  ChunkResult result(const Chunk& /*chunk*/, StageStats& /*stats*/) override {
    note("result");
    return asked_ < results.size() ? results[asked_++] : ChunkResult{Next::kAdvance, 1};
  }
  void finish(StageStats& /*stats*/) override { note("finish"); }

 private:
  void note(const std::string& verb) {
    log += (log.empty() ? "" : " ") + verb;
    if (verb == fails_at) throw Error(ExitCode::kRuntimeFailure, verb + " failed");
  }
  std::size_t asked_ = 0;
};

std::string log_of(FakeBackend backend, std::size_t count = 300) {
  const CircleStream circles(count, [](std::size_t, std::span<Shape>, std::span<Paint>) {});
  StageStats stats;
  backend.draw(circles, {}, FrameTarget::nowhere(0), stats);
  EXPECT_EQ(stats.circles, count);
  return backend.log;
}

TEST(FrameLoop, DrawsAllChunksInOrder) {
  EXPECT_EQ(log_of({}), "plan bin200-300 blend result bin0-200 blend result finish");
  EXPECT_EQ(log_of({}, 0), "plan bin0-0 blend result finish");
}

TEST(FrameLoop, EndsWhenNoTileIsActive) {
  FakeBackend backend;
  backend.results = {{Next::kAdvance, 0}};
  EXPECT_EQ(log_of(backend), "plan bin200-300 blend result finish");
}

TEST(FrameLoop, PollsOnlyAtTheEndIfPlanned) {
  FakeBackend backend;
  backend.first_poll = ~0u;
  EXPECT_EQ(log_of(backend), "plan bin200-300 blend bin0-200 blend result finish");
}

TEST(FrameLoop, ContinuesIfMoreChunksAreNeededThanExpected) {
  FakeBackend backend;
  backend.first_poll = 1;
  backend.most_circles = 150;
  EXPECT_EQ(log_of(backend, 400),
            "plan bin300-400 blend bin150-300 blend result bin0-150 blend result finish");
  backend.results = {{Next::kRepeat, 0}, {Next::kAdvance, 0}};  // also chunks that were not polled
  EXPECT_EQ(log_of(backend, 400),
            "plan bin300-400 blend bin150-300 blend result "
            "bin300-400 blend bin150-300 blend result finish");
}

TEST(FrameLoop, RedrawsAChunkWhoseListsOverflowed) {
  FakeBackend backend;
  backend.results = {{Next::kRepeat, 0}, {Next::kAdvance, 0}};
  EXPECT_EQ(log_of(backend), "plan bin200-300 blend result bin200-300 blend result finish");
}

TEST(FrameLoop, HalvesAChunkThatDoesNotFit) {
  FakeBackend backend;
  backend.results = {{Next::kHalve, 0}};
  EXPECT_EQ(log_of(backend, 120),
            "plan bin20-120 blend result bin70-120 blend result bin20-70 blend result "
            "bin0-20 blend result finish");
}

TEST(FrameLoop, DrawsAllCirclesAtOnceIfStatesDoNotFit) {
  FakeBackend backend;
  backend.results = {{Next::kTakeAll, 5}};
  EXPECT_EQ(log_of(backend), "plan bin200-300 blend result bin0-300 blend result finish");
}

TEST(FrameLoop, StopsAfterAFailedStage) {
  const CircleStream circles(50, [](std::size_t, std::span<Shape>, std::span<Paint>) {});
  const std::vector<std::string> verbs{"plan", "bin", "blend", "result", "finish"};
  for (const std::string& verb : verbs) {
    FakeBackend backend;
    backend.fails_at = verb;
    StageStats stats;
    try {
      backend.draw(circles, {}, FrameTarget::nowhere(0), stats);
      ADD_FAILURE() << verb << " did not fail";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), verb + " failed");
    }
    EXPECT_TRUE(backend.log.ends_with(verb)) << backend.log;
  }
}

}  // namespace
}  // namespace roundel
