#pragma once

namespace roundel::python {

// A forked process has one thread and a copy of all memory: what another thread had locked at that
// moment, in this library or in oneTBB, stays locked. So os.fork() waits until no thread is at work
// here, but at most a second; where one still is, nothing can be drawn in the new process.

/// To be called once, as the module is loaded.
void set_up_forks();

/// A thread is at work in the library while it lives, and none begins while another thread forks.
class AtWork {
 public:
  /// Throws Error in a process that was forked while another thread was at work.
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

/// Work that an AtWork of another thread stands for pauses while this lives.
class AtRest {
 public:
  AtRest();
  ~AtRest();
  AtRest(const AtRest&) = delete;
  AtRest& operator=(const AtRest&) = delete;
};

}  // namespace roundel::python
