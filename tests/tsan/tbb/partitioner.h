#pragma once
// For thread sanitizer builds only: names without effect. See parallel_for.h.

namespace tbb {

struct simple_partitioner {};
struct auto_partitioner {};
struct static_partitioner {};

}  // namespace tbb
