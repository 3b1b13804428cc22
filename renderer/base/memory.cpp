#include "renderer/base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "renderer/base/error.h"

namespace roundel {
namespace {

std::uint64_t read_physical_memory() {
  const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                              static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(bytes, group_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

/// Whether a list "cpu,memory" has the name.
bool has_name(const std::string& list, const std::string& name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

std::uint64_t group_memory_limit(const std::string& groups, const std::string& mount) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  const auto look_at = [&least](const std::string& file) {
    std::uint64_t limit = 0;
    if (std::ifstream(file) >> limit) least = std::min(least, limit);  // "max" is no number
  };
  // Where a container does not see its groups by their own names, its mount is its own group.
  look_at(mount + "/memory.max");
  look_at(mount + "/memory/memory.limit_in_bytes");
  std::ifstream lines(groups);
  std::string number, controllers, group;
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
         std::getline(lines, group)) {
    const bool is_v1 = has_name(controllers, "memory");
    if (!is_v1 && !controllers.empty()) continue;
    const std::string folder = mount + (is_v1 ? "/memory" : "");
    const char* const file = is_v1 ? "memory.limit_in_bytes" : "memory.max";
    for (; group.size() > 1; group.resize(group.rfind('/')))
      look_at(fmt::format("{}{}/{}", folder, group, file));
  }
  return least;
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
