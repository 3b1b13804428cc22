#pragma once
#include <string>

namespace roundel {

/// Default number of threads: one per usable core, by affinity and quota of CPU time (cgroup v2 or
/// v1).
int default_threads();

/// Number of cores that this process may use, by affinity.
int affinity_cores();

/// Quota of this process in whole cores, rounded up; INT_MAX without one.
int core_quota();

/// Smallest quota of this process's group and its ancestors, as core_quota(). `cgroup_file`: path
/// of /proc/self/cgroup; `cgroup_mount`: where the groups are mounted.
int cgroup_core_quota(const std::string& cgroup_file, const std::string& cgroup_mount);

}  // namespace roundel
