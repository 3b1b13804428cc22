#include "renderer/film/frame_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "renderer/base/error.h"

namespace roundel {
namespace {

/// Sets the variables of a task's share, and unsets all others.
class ShardEnvironment : public ::testing::Test {
 protected:
  ShardEnvironment() { clear(); }
  ~ShardEnvironment() override { clear(); }

  static void set(const std::map<std::string, std::string>& variables) {
    clear();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  static std::string refusal(const std::string& text) {
    try {
      parse_shard(text);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kUsage);
      return error.what();
    }
  }

 private:
  static void clear() {
    for (const char* name :
         {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
          "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT", "SLURM_PROCID", "SLURM_NTASKS",
          "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "JOB_COMPLETION_INDEX"}) {
      unsetenv(name);
    }
  }
};

using ShardText = ShardEnvironment;

TEST_F(ShardText, CountsFromOne) {
  EXPECT_EQ(parse_shard("1/1"), (Shard{1, 1}));
  EXPECT_EQ(parse_shard("8/8"), (Shard{8, 8}));
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/", "/2",
                           "auto/", "auto/x", "automatic"}) {
    EXPECT_NE(refusal(text).find("expected I/N with I from 1 to N"), std::string::npos) << text;
  }
}

TEST_F(ShardEnvironment, RequiresAKnownVariable) {
  EXPECT_NE(refusal("auto").find("SLURM_ARRAY_TASK_ID"), std::string::npos);
}

TEST_F(ShardEnvironment, SlurmArraysStartAnywhere) {
  set({{"SLURM_ARRAY_TASK_ID", "4"},
       {"SLURM_ARRAY_TASK_MIN", "1"},
       {"SLURM_ARRAY_TASK_MAX", "4"},
       {"SLURM_ARRAY_TASK_STEP", "1"},
       {"SLURM_ARRAY_TASK_COUNT", "4"},
       {"SLURM_PROCID", "0"}});
  EXPECT_EQ(parse_shard("auto"), (Shard{4, 4}));
  set({{"SLURM_ARRAY_TASK_ID", "2"},
       {"SLURM_ARRAY_TASK_MIN", "0"},
       {"SLURM_ARRAY_TASK_MAX", "2"},
       {"SLURM_ARRAY_TASK_STEP", "2"},
       {"SLURM_ARRAY_TASK_COUNT", "2"}});
  EXPECT_EQ(parse_shard("auto"), (Shard{2, 2}));
  EXPECT_EQ(parse_shard("auto/2"), (Shard{2, 2}));
  EXPECT_NE(refusal("auto/3").find("expected 3 shares"), std::string::npos);
}

TEST_F(ShardEnvironment, RejectsIrregularSlurmArrays) {
  set({{"SLURM_ARRAY_TASK_ID", "7"},
       {"SLURM_ARRAY_TASK_MIN", "3"},
       {"SLURM_ARRAY_TASK_MAX", "9"},
       {"SLURM_ARRAY_TASK_STEP", "1"},
       {"SLURM_ARRAY_TASK_COUNT", "3"}});
  EXPECT_NE(refusal("auto").find("regular step"), std::string::npos);
  set({{"SLURM_ARRAY_TASK_ID", "7"}});
  EXPECT_NE(refusal("auto").find("regular step"), std::string::npos);
}

TEST_F(ShardEnvironment, RanksCountFromZero) {
  set({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "3"}});
  EXPECT_EQ(parse_shard("auto"), (Shard{3, 3, true}));
  set({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "5"}});
  EXPECT_EQ(parse_shard("auto"), (Shard{1, 5, true}));
}

TEST_F(ShardEnvironment, KubernetesNeedsACount) {
  set({{"JOB_COMPLETION_INDEX", "3"}});
  EXPECT_EQ(parse_shard("auto/8"), (Shard{4, 8}));
  EXPECT_NE(refusal("auto").find("auto/N"), std::string::npos);
  EXPECT_NE(refusal("auto/3"), "");
}

TEST_F(ShardEnvironment, RejectsInvalidNumbers) {
  set({{"OMPI_COMM_WORLD_RANK", "one"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_NE(refusal("auto").find("OMPI_COMM_WORLD_RANK"), std::string::npos);
}

TEST(Shard, EveryFrameIsInOneShare) {
  for (const bool contiguous : {false, true}) {
    for (const std::size_t frames : {0U, 1U, 7U, 100U}) {
      const FrameList all = run_of_frames(-3, static_cast<std::int64_t>(frames));
      for (const int count : {1, 2, 3, 8, 101}) {
        FrameList together;
        for (int index = 1; index <= count; ++index) {
          const FrameList share = shard_frames(all, {index, count}, contiguous);
          EXPECT_LE(share.size(), frames / static_cast<std::size_t>(count) + 1);
          EXPECT_GE(share.size(), frames / static_cast<std::size_t>(count));
          together.insert(together.end(), share.begin(), share.end());
        }
        std::sort(together.begin(), together.end());
        EXPECT_EQ(together, all);
      }
    }
  }
}

TEST(Shard, IsOneRunOrEveryNthFrame) {
  const FrameList all = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(shard_frames(all, {2, 3}, true), (FrameList{2, 3}));
  EXPECT_EQ(shard_frames(all, {2, 3}, false), (FrameList{1, 4}));
}

}  // namespace
}  // namespace roundel
