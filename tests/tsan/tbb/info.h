#pragma once
// For thread sanitizer builds only, see parallel_for.h.
#include <tbb/task_arena.h>

namespace tbb::info {

inline int default_concurrency() {
  return this_task_arena::max_concurrency();
}

}  // namespace tbb::info
