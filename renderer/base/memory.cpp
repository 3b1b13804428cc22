#include "renderer/base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "renderer/base/error.h"

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

void check_fits_memory(const std::string& path, const char* what, std::uint64_t bytes) {
  if (bytes <= physical_memory() / 2) return;
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: its {} need {:.1f} GiB of memory; this machine has {:.1f}", path,
                          what, static_cast<double>(bytes) * 0x1p-30,
                          static_cast<double>(physical_memory()) * 0x1p-30));
}

}  // namespace roundel
