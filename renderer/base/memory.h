#pragma once
#include <cstdint>
#include <string>

namespace roundel {

/// Bytes of main memory that this process may use: what the machine has, or less in a container
/// or another group of processes with a limit (cgroup v2 or v1).
std::uint64_t physical_memory();

/// The smallest limit of this process's group and of all that contain it, in bytes. `groups`:
/// what /proc/self/cgroup is; `mount`: where the groups are mounted.
std::uint64_t group_memory_limit(const std::string& groups, const std::string& mount);

/// Throws Error(kRuntimeFailure) "PATH: its WHAT need 3.0 GiB of memory; this machine has 4.0"
/// where `bytes` are more than half of it.
void check_fits_memory(const std::string& path, const char* what, std::uint64_t bytes);

}  // namespace roundel
