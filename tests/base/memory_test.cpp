#include "renderer/base/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/testing.h"

namespace roundel {
namespace {

TEST(Memory, IsNoMoreThanTheMachineHasNorTheContainerAllows) {
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

TEST(Memory, MoreThanHalfOfItIsRefusedWithBothNumbers) {
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
