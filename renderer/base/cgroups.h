#pragma once
#include <functional>
#include <string>

namespace roundel {

inline constexpr const char* kCgroupFile = "/proc/self/cgroup";
inline constexpr const char* kCgroupMount = "/sys/fs/cgroup";

/// Calls visit(folder, is_v1) for the group that limits "memory" or "cpu" of this process, and for
/// its ancestors (cgroup v2 or v1). `cgroup_file`: path of /proc/self/cgroup; `cgroup_mount`: where
/// the groups are mounted. The folders may be missing.
void for_each_cgroup(const std::string& controller, const std::string& cgroup_file,
                     const std::string& cgroup_mount,
                     const std::function<void(const std::string& folder, bool is_v1)>& visit);

}  // namespace roundel
