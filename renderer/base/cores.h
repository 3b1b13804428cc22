#pragma once
#include <string>

namespace roundel {

/// Default number of threads: one per core that this process may use, within its affinity and its
/// quota of CPU time (cgroup v2 or v1).
int default_threads();

/// Quota of this process in whole cores, rounded up; INT_MAX without one.
int core_quota();

/// Smallest quota of this process's group and its ancestors, in whole cores, rounded up; INT_MAX
/// without one. `groups`: path of /proc/self/cgroup; `mount`: where the groups are mounted.
int group_core_quota(const std::string& groups, const std::string& mount);

}  // namespace roundel
