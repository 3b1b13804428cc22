#include "renderer/base/cores.h"

#include <sched.h>
#include <tbb/info.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "renderer/base/cgroups.h"

namespace roundel {

int cgroup_core_quota(const std::string& cgroup_file, const std::string& cgroup_mount) {
  double smallest = std::numeric_limits<int>::max();
  const auto visit = [&smallest](const std::string& folder, bool is_v1) {
    std::ifstream quota_file(folder + (is_v1 ? "/cpu.cfs_quota_us" : "/cpu.max"));
    std::ifstream period_file(is_v1 ? folder + "/cpu.cfs_period_us" : "");
    double quota = 0, period = 0;  // in microseconds; "max" (no limit) fails to parse
    if (!(quota_file >> quota) || !((is_v1 ? period_file : quota_file) >> period)) return;
    if (quota > 0 && period > 0) smallest = std::min(smallest, std::ceil(quota / period));
  };
  for_each_cgroup("cpu", cgroup_file, cgroup_mount, visit);
  return static_cast<int>(smallest);
}

int core_quota() {
  static const int quota = cgroup_core_quota(kCgroupFile, kCgroupMount);
  return quota;
}

int affinity_cores() {
  // oneTBB's count would search for more libraries. A cpu_set_t has bits for 1,024 cores.
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return CPU_COUNT(&cores);
  return tbb::info::default_concurrency();
}

int default_threads() {
  return std::min(affinity_cores(), core_quota());
}

}  // namespace roundel
