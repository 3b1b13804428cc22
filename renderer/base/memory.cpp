#include "renderer/base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace roundel {

std::uint64_t physical_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  for (const char* limit_file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    if (std::ifstream(limit_file) >> limit) bytes = std::min(bytes, limit);  // "max" is no number
  }
  return bytes;
}

}  // namespace roundel
