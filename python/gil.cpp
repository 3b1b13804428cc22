#include "python/gil.h"

#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace py = pybind11;

namespace roundel::python {
namespace {

/// Threads that wait for the GIL, and the one that ends the interpreter. Never destroyed: threads
/// may wait when the process ends.
struct GilWaiters {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  bool has_ended = false;
  std::thread::id ender;
};
GilWaiters* all_waiters = new GilWaiters();
GilWaiters& waiters() {
  return *all_waiters;
}
/// A forked process has none of the waiting threads, and the mutex would stay locked.
void reset_waiters() {
  all_waiters = new GilWaiters();
}

/// Returns false if another thread is ending the interpreter.
bool begin_waiting() {
  GilWaiters& all = waiters();
  const std::lock_guard lock(all.mutex);
  if (all.has_ended && all.ender != std::this_thread::get_id()) return false;
  ++all.count;
  return true;
}

void end_waiting() {
  GilWaiters& all = waiters();
  {
    const std::lock_guard lock(all.mutex);
    --all.count;
  }
  all.changed.notify_all();
}

[[noreturn]] void wait_forever() {
  for (;;) ::pause();
}

/// The waiting threads get the GIL once more.
void end() {
  const py::gil_scoped_release release;
  GilWaiters& all = waiters();
  std::unique_lock lock(all.mutex);
  all.has_ended = true;
  all.ender = std::this_thread::get_id();
  all.changed.wait(lock, [&all] { return all.count == 0; });
}

}  // namespace

void set_up_gil() {
  ::pthread_atfork(nullptr, nullptr, reset_waiters);
  py::module_::import("atexit").attr("register")(py::cpp_function(&end));
}

GilAcquire::GilAcquire(AtEnd at_end) : holds_gil_(begin_waiting()) {
  if (holds_gil_) {
    state_ = PyGILState_Ensure();
    end_waiting();
  } else if (at_end == AtEnd::kWait) {
    wait_forever();
  }
}

GilAcquire::~GilAcquire() {
  if (holds_gil_) PyGILState_Release(state_);
}

GilRelease::~GilRelease() {
  if (!begin_waiting()) wait_forever();
  PyEval_RestoreThread(state_);
  end_waiting();
}

}  // namespace roundel::python
