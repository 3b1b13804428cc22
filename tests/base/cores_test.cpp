#include "renderer/base/cores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/testing.h"

namespace roundel {
namespace {

TEST(Cores, SmallestQuotaOfAGroupAndItsParentsCounts) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / file).parent_path());
    std::ofstream(folder / file) << text << '\n';
  };
  const auto quota = [&](const std::string& groups) {
    write("groups", groups);
    return cgroup_core_quota(folder / "groups", folder.path());
  };
  constexpr int kNone = std::numeric_limits<int>::max();
  EXPECT_EQ(cgroup_core_quota(folder / "none", folder / "none"), kNone);
  write("cpu.max", "max 100000");
  write("jobs/cpu.max", "800000 100000");
  write("jobs/one/cpu.max", "max 100000");
  write("jobs/one/step: 2/cpu.max", "1600000 100000");
  write("jobs/two/cpu.max", "150000 100000");
  write("jobs/three/cpu.max", "5000 100000");
  write("jobs/four/cpu.max", "100000 100000");
  write("jobs/five/cpu.max", "");
  EXPECT_EQ(quota("0::/"), kNone);
  EXPECT_EQ(quota("0::/jobs/one/step: 2"), 8);
  EXPECT_EQ(quota("0::/jobs/two"), 2);
  EXPECT_EQ(quota("0::/jobs/three"), 1);
  EXPECT_EQ(quota("0::/jobs/four"), 1);
  EXPECT_EQ(quota("0::/jobs/five"), 8);
  EXPECT_EQ(quota("0::/in/another/mount"), kNone);

  write("cpu/slurm/cpu.cfs_quota_us", "250000");
  write("cpu/slurm/cpu.cfs_period_us", "50000");
  write("cpu/slurm/job/cpu.cfs_quota_us", "-1");
  write("cpu/slurm/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota("5:memory:/slurm\n4:cpuacct,cpu:/slurm/job\n0::/"), 5);
  EXPECT_EQ(quota("4:cpuset:/slurm"), kNone);
  write("cpu/cpu.cfs_quota_us", "400000");
  write("cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota("4:cpu:/slurm/job"), 4);
}

TEST(Cores, ThreadsAreAtLeastOneAndAtMostTheQuota) {
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), core_quota());
}

}  // namespace
}  // namespace roundel
