#pragma once
// For thread sanitizer builds only: a thread for each function. See parallel_for.h.
#include "tbb/task_group.h"

namespace tbb {

template <typename... Functions>
void parallel_invoke(const Functions&... functions) {
  task_group tasks;
  (tasks.run([&functions] { functions(); }), ...);
  tasks.wait();
}

}  // namespace tbb
