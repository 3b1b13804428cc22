#include "renderer/base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "renderer/base/cgroups.h"
#include "renderer/base/error.h"

namespace roundel {
namespace {

std::uint64_t read_physical_memory() {
  const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                              static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(bytes, cgroup_memory_limit(kCgroupFile, kCgroupMount));
}

}  // namespace

std::uint64_t cgroup_memory_limit(const std::string& cgroup_file, const std::string& cgroup_mount) {
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  const auto visit = [&smallest](const std::string& folder, bool is_v1) {
    std::uint64_t limit = 0;
    std::ifstream file(folder + (is_v1 ? "/memory.limit_in_bytes" : "/memory.max"));
    if (file >> limit) smallest = std::min(smallest, limit);  // "max" is not a number
  };
  for_each_cgroup("memory", cgroup_file, cgroup_mount, visit);
  return smallest;
}

std::uint64_t physical_memory() {
  static const std::uint64_t bytes = read_physical_memory();
  return bytes;
}

void check_fits_memory(const std::string& path, const char* what, std::uint64_t bytes) {
  if (bytes <= physical_memory() / 2) return;
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: its {} need {:.1f} GiB of memory; this machine has {:.1f}", path,
                          what, static_cast<double>(bytes) * 0x1p-30,
                          static_cast<double>(physical_memory()) * 0x1p-30));
}

}  // namespace roundel
