#pragma once
#include <atomic>

namespace roundel {

/// Hook of the program that uses the library, for tasks that cannot wait, such as Ctrl-C in Python.
/// All threads call it, thousands of times a second; an exception ends the work. Null in the
/// command.
using Checkpoint = void (*)();
inline std::atomic<Checkpoint> host_checkpoint{nullptr};

/// Runs the hook. Call it once per tile, slab of circles or run of rows.
inline void checkpoint() {
  if (const Checkpoint check = host_checkpoint.load(std::memory_order_relaxed)) check();
}

}  // namespace roundel
