#pragma once
#include <atomic>

namespace roundel {

/// A function of the program that the library runs in, for what cannot wait until the work ends,
/// such as Ctrl-C in Python. All threads call it, thousands of times a second; an exception ends
/// the work. Null in the command, which signals end.
using Checkpoint = void (*)();
inline std::atomic<Checkpoint> host_checkpoint{nullptr};

/// Called once per tile, slab of circles or run of rows.
inline void checkpoint() {
  if (const Checkpoint check = host_checkpoint.load(std::memory_order_relaxed)) check();
}

}  // namespace roundel
