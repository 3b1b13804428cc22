#pragma once
#include <string>

namespace roundel {

/// Number of threads where none is asked for: one a core that this process may use. Affinity
/// counts, and so does a quota of CPU time in a container or another group of processes (cgroup v2
/// or v1).
int default_threads();

/// The quota of this process, in whole cores, rounded up; INT_MAX without one.
int core_quota();

/// The smallest quota of this process's group and of all that contain it, in whole cores, rounded
/// up; INT_MAX without one. `groups`: what /proc/self/cgroup is; `mount`: where the groups are
/// mounted.
int group_core_quota(const std::string& groups, const std::string& mount);

}  // namespace roundel
