#include "renderer/base/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/testing.h"

namespace roundel {
namespace {

TEST(Memory, IsAtMostTheMachinesAndTheContainers) {
  std::ifstream table("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  ASSERT_TRUE(table >> name >> kib);
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_GT(physical_memory(), std::uint64_t{1} << 20);
  EXPECT_LE(physical_memory(), kib * 1024);
  std::uint64_t limit = 0;
  for (const char* const file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (std::ifstream(file) >> limit) {
      EXPECT_LE(physical_memory(), limit) << file;
    }
  }
}

TEST(Memory, SmallestLimitOfAGroupAndItsParentsCounts) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / file).parent_path());
    std::ofstream(folder / file) << text << '\n';
  };
  const auto limit = [&](const std::string& groups) {
    write("groups", groups);
    return cgroup_memory_limit(folder / "groups", folder.path());
  };
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(cgroup_memory_limit(folder / "none", folder / "none"), kNone);
  write("memory.max", "max");
  write("jobs/memory.max", "3000");
  write("jobs/one/memory.max", "max");
  write("jobs/one/step: 2/memory.max", "4000");
  write("jobs/two/memory.max", "2000");
  write("memory/slurm/memory.limit_in_bytes", "900");
  EXPECT_EQ(limit("0::/"), kNone);
  EXPECT_EQ(limit("0::/jobs/one/step: 2"), 3000U);
  EXPECT_EQ(limit("0::/jobs/two"), 2000U);
  EXPECT_EQ(limit("0::/in/another/mount"), kNone);
  EXPECT_EQ(limit("5:cpu:/slurm\n4:blkio,memory:/slurm/job\n0::/jobs/two"), 900U);
  EXPECT_EQ(limit("4:memory_not:/slurm"), kNone);
  write("memory/memory.limit_in_bytes", "800");
  EXPECT_EQ(limit("4:memory:/slurm"), 800U);
}

TEST(Memory, RejectsMoreThanHalfAndReportsBothNumbers) {
  const std::uint64_t half = physical_memory() / 2;
  check_fits_memory("a.png", "pixels", half);
  const Error error = error_of([&] { check_fits_memory("a.png", "pixels", half + 1); });
  EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
  EXPECT_EQ(error.what(),
            fmt::format("a.png: its pixels need {:.1f} GiB of memory; this machine has {:.1f}",
                        static_cast<double>(half + 1) * 0x1p-30,
                        static_cast<double>(physical_memory()) * 0x1p-30));
}

}  // namespace
}  // namespace roundel
