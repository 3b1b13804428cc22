#pragma once
#include <cstdint>

namespace roundel {

/// Bytes of main memory that this process may use: what the machine has, or less in a container
/// with a limit (cgroup v2 or v1).
std::uint64_t physical_memory();

}  // namespace roundel
