#include "renderer/raster/chunk_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace roundel {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// Returns the sizes of all chunks, which follow each other without gaps.
std::vector<std::uint64_t> sizes_of(ChunkPlan plan) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t end = plan.chunk().end;
  const std::uint32_t first = plan.chunk().number;
  for (;; plan.advance()) {
    const Chunk chunk = plan.chunk();
    EXPECT_EQ(chunk.end, end);
    EXPECT_EQ(chunk.number, first + sizes.size());
    sizes.push_back(chunk.count());
    end = chunk.begin;
    if (chunk.is_last()) return sizes;
  }
}

TEST(ChunkPlan, ChunksGrowFromTheFrontToTheBack) {
  EXPECT_EQ(sizes_of({1000, {100, kNoLimit, 2}}),
            (std::vector<std::uint64_t>{100, 100, 200, 400, 200}));
  EXPECT_EQ(sizes_of({1000, {100, kNoLimit, 4}}), (std::vector<std::uint64_t>{100, 300, 600}));
  EXPECT_EQ(sizes_of({1000, {100, 250, 4}}), (std::vector<std::uint64_t>{100, 250, 250, 250, 150}));
}

TEST(ChunkPlan, SecondChunkWithoutGrowthIsTheRest) {
  EXPECT_EQ(sizes_of({1000, {100, kNoLimit, 0}}), (std::vector<std::uint64_t>{100, 900}));
  EXPECT_EQ(sizes_of({1000, {100, 500, 0}}), (std::vector<std::uint64_t>{100, 500, 400}));
}

TEST(ChunkPlan, EqualChunksExceptTheLast) {
  EXPECT_EQ(sizes_of(ChunkPlan::of_equal_chunks(10, 4)), (std::vector<std::uint64_t>{4, 4, 2}));
  EXPECT_EQ(sizes_of(ChunkPlan::of_equal_chunks(3, 4)), (std::vector<std::uint64_t>{3}));
}

TEST(ChunkPlan, EmptyFrameIsOneEmptyChunk) {
  EXPECT_EQ(sizes_of({0, {0, 1, 2}}), (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(sizes_of(ChunkPlan::of_equal_chunks(0, 7)), (std::vector<std::uint64_t>{0}));
}

TEST(ChunkPlan, ChunksThatDoNotFitAreHalvedForGood) {
  ChunkPlan plan(1000, {400, kNoLimit, 4});
  plan.halve();
  EXPECT_EQ(sizes_of(plan), (std::vector<std::uint64_t>{200, 200, 200, 200, 200}));
  plan.advance();
  plan.halve();
  EXPECT_EQ(plan.chunk().begin, 700U);
  EXPECT_EQ(plan.chunk().end, 800U);
  EXPECT_EQ(plan.chunk().number, 1U);
}

TEST(ChunkPlan, SmallestChunkIsOneCircle) {
  ChunkPlan plan(3, {1, kNoLimit, 2});
  plan.halve();
  EXPECT_EQ(sizes_of(plan), (std::vector<std::uint64_t>{1, 1, 1}));
}

constexpr std::uint32_t kAtTheEnd = ~0u;

TEST(ChunkPlan, PollingAtTheEndRepeatsFromTheStart) {
  ChunkPlan plan(1000, {100, 600, 0}, kAtTheEnd);
  EXPECT_FALSE(plan.polls_now());
  plan.advance();
  EXPECT_FALSE(plan.polls_now());
  plan.advance();
  EXPECT_TRUE(plan.polls_now());
  ChunkPlan again = plan;
  again.repeat();
  EXPECT_EQ(sizes_of(again), (std::vector<std::uint64_t>{100, 600, 300}));
  plan.halve();
  EXPECT_EQ(sizes_of(plan), (std::vector<std::uint64_t>{100, 150, 150, 150, 150, 150, 150}));
  EXPECT_FALSE(plan.polls_now());
  EXPECT_TRUE(plan.polling_each_chunk().polls_now());
}

TEST(ChunkPlan, PollsAfterEachChunkFromTheFirstPolledOn) {
  ChunkPlan plan(1000, {100, 300, 0}, 1);
  EXPECT_FALSE(plan.polls_now());
  plan.advance();
  EXPECT_TRUE(plan.polls_now());
  ChunkPlan again = plan;
  again.repeat();  // the chunk in front was not polled
  EXPECT_EQ(sizes_of(again), (std::vector<std::uint64_t>{100, 300, 300, 300}));
  plan.advance();
  EXPECT_TRUE(plan.polls_now());
  plan.repeat();
  EXPECT_EQ(sizes_of(plan), (std::vector<std::uint64_t>{300, 300}));
  plan.halve();
  EXPECT_EQ(sizes_of(plan), (std::vector<std::uint64_t>{150, 150, 150, 150}));
}

TEST(ChunkPlan, DrawingAllAtOnceBeginsAtTheFront) {
  ChunkPlan plan(1000, {100, kNoLimit, 2});
  plan.advance();
  plan.take_all();
  EXPECT_EQ(sizes_of(plan), (std::vector<std::uint64_t>{1000}));
}

}  // namespace
}  // namespace roundel
