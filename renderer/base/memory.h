#pragma once
#include <cstdint>
#include <string>

namespace roundel {

/// Main memory in bytes that this process may use: the machine's, or less in a group with a limit
/// (cgroup v2 or v1).
std::uint64_t physical_memory();

/// Smallest limit of this process's group and its ancestors, in bytes. `cgroup_file`: path of
/// /proc/self/cgroup; `cgroup_mount`: where the groups are mounted.
std::uint64_t cgroup_memory_limit(const std::string& cgroup_file, const std::string& cgroup_mount);

/// Throws Error(kRuntimeFailure) "PATH: its WHAT need 3.0 GiB of memory; this machine has 4.0" if
/// `bytes` exceed half of the memory.
void check_fits_memory(const std::string& path, const char* what, std::uint64_t bytes);

}  // namespace roundel
