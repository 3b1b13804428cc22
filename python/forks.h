#pragma once

namespace roundel::python {

// A forked process has one thread and a copy of all memory: locks that another thread held at that
// moment, in this library or in oneTBB, stay locked. So os.fork() waits until all threads have left
// the library, for at most a second; if one is still there, the new process cannot draw.

/// Must be called once, when the module is loaded.
void set_up_forks();

/// Marks a thread as working in the library while it lives. Waits while another thread forks.
class AtWork {
 public:
  /// Throws Error in a process that was forked while another thread was working.
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

/// Suspends the AtWork of another thread while it lives.
class AtRest {
 public:
  AtRest();
  ~AtRest();
  AtRest(const AtRest&) = delete;
  AtRest& operator=(const AtRest&) = delete;
};

}  // namespace roundel::python
