#pragma once
#include <functional>
#include <string>

namespace roundel {

inline constexpr const char* kGroupsOfProcess = "/proc/self/cgroup";
inline constexpr const char* kGroupsMount = "/sys/fs/cgroup";

/// Calls visit(folder, is_v1) for the group that limits "memory" or "cpu" of this process, and for
/// its ancestors (cgroup v2 or v1). `groups`: path of /proc/self/cgroup; `mount`: where the groups
/// are mounted. The folders may be missing.
void for_each_group(const std::string& controller, const std::string& groups,
                    const std::string& mount,
                    const std::function<void(const std::string& folder, bool is_v1)>& visit);

}  // namespace roundel
