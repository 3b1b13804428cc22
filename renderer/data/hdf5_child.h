#pragma once
#include <sys/types.h>

#include <functional>
#include <string>

#include "renderer/data/hdf5_module.h"

namespace roundel {

/// What is to be done in that process.
struct ChildWork {
  /// In a process that was forked from this one, where libhdf5's lock may stay locked, it is left
  /// alone.
  pid_t first_process;
  /// Calls `fork` while libhdf5's lock is this thread's.
  std::function<void(const std::function<void()>& fork)> inside;
  std::function<void()> begin;  ///< enters libhdf5 and leaves it again
  std::function<Hdf5Table(int descriptor)> read;
};

/// Calls read(descriptor) in a process of its own, in which all that it returns then stays: broken
/// files can crash libhdf5. Rows come from there; where that process ends before its time, reading
/// throws Error(kInvalidScene) "PATH: ...". Throws Error(kRuntimeFailure) where no process can be
/// started, or another thread does not leave libhdf5 for half a minute, or was in libhdf5 when this
/// process was forked. A process that is forked
/// from this one starts another such process when it reads rows: `descriptor` must stay open as
/// long as they are read.
Hdf5Table read_in_child(const std::string& path, int descriptor, ChildWork work);

}  // namespace roundel
