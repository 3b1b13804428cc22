#pragma once
#include <cstdint>
#include <string>

namespace roundel {

/// Bytes of main memory that this process may use: what the machine has, or less in a container
/// with a limit (cgroup v2 or v1).
std::uint64_t physical_memory();

/// Throws Error(kRuntimeFailure) "PATH: its WHAT need 3.0 GiB of memory; this machine has 4.0"
/// where `bytes` are more than half of it.
void check_fits_memory(const std::string& path, const char* what, std::uint64_t bytes);

}  // namespace roundel
