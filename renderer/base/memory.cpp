#include "renderer/base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace roundel {
namespace {

std::uint64_t read_physical_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  for (const char* limit_file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    if (std::ifstream(limit_file) >> limit) bytes = std::min(bytes, limit);  // "max" is no number
  }
  return bytes;
}

}  // namespace

std::uint64_t physical_memory() {
  static const std::uint64_t bytes = read_physical_memory();
  return bytes;
}

}  // namespace roundel
