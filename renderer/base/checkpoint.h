#pragma once
#include <atomic>

namespace roundel {

/// Where the library works inside another program: what that program wants looked after while it
/// waits, such as Ctrl-C in Python. Called by all threads, some thousand times a second and more;
/// what it throws ends the work. Null where there is none, as in the command, which signals end.
using Checkpoint = void (*)();
inline std::atomic<Checkpoint> host_checkpoint{nullptr};

/// Called once a tile, a slab of circles, a run of rows.
inline void checkpoint() {
  if (const Checkpoint check = host_checkpoint.load(std::memory_order_relaxed)) check();
}

}  // namespace roundel
