#include "renderer/base/stage_stats.h"

#include <gtest/gtest.h>

#include <thread>

namespace roundel {
namespace {

TEST(StageStats, StagesAreInTheOrderOfTheirFirstRun) {
  StageStats stats;
  stats.stage("generate").bytes = 1;
  stats.stage("bin").bytes = 2;
  stats.stage("generate").bytes += 10;
  ASSERT_EQ(stats.stages.size(), 2u);
  EXPECT_EQ(stats.stages[0].name, "generate");
  EXPECT_EQ(stats.stages[0].bytes, 11u);
  EXPECT_EQ(stats.stages[1].name, "bin");
}

TEST(StageStats, AddSumsTimesAndKeepsTheLargestMemory) {
  StageStats a, b;
  const StageResource cpu = StageResource::kCpu, cuda = StageResource::kCuda;
  a.stage("bin") = {"bin", cpu, 1, 2};
  a.circles = 3, a.overlaps = 4, a.chunks = 5, a.memory = 6;
  b.stage("bin") = {"bin", cpu, 10, 20};
  b.stage("bin", cuda) = {"bin", cuda, 7, 8};
  b.stage("blend") = {"blend", cpu, 30, 40};
  b.circles = 50, b.overlaps = 60, b.chunks = 70, b.memory = 5;
  a.add(b);
  ASSERT_EQ(a.stages.size(), 3u);
  EXPECT_EQ(a.stages[0].milliseconds, 11);
  EXPECT_EQ(a.stages[0].bytes, 22u);
  EXPECT_EQ(a.stages[1].resource, cuda);
  EXPECT_EQ(a.stages[1].bytes, 8u);
  EXPECT_EQ(a.stages[2].name, "blend");
  EXPECT_EQ(a.stages[2].bytes, 40u);
  EXPECT_EQ(a.circles, 53u);
  EXPECT_EQ(a.overlaps, 64u);
  EXPECT_EQ(a.chunks, 75u);
  EXPECT_EQ(a.memory, 6u);
}

TEST(StageTimer, AddsItsLifetimeToTheStage) {
  StageStats stats;
  stats.stage("bin").milliseconds = 1000;
  {
    const StageTimer timer(stats, "bin");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(stats.stages[0].milliseconds, 1005);
  EXPECT_LT(stats.stages[0].milliseconds, 1000 + 60'000);
}

}  // namespace
}  // namespace roundel
