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
struct Askers {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  bool has_ended = false;
  std::thread::id ender;
};
Askers* all_askers = new Askers();
Askers& askers() {
  return *all_askers;
}
/// A forked process has none of the waiting threads, and the mutex would stay locked.
void forget_askers() {
  all_askers = new Askers();
}

/// Returns false if another thread is ending the interpreter.
bool begin_to_ask() {
  Askers& all = askers();
  const std::lock_guard lock(all.mutex);
  if (all.has_ended && all.ender != std::this_thread::get_id()) return false;
  ++all.count;
  return true;
}

void end_to_ask() {
  Askers& all = askers();
  {
    const std::lock_guard lock(all.mutex);
    --all.count;
  }
  all.changed.notify_all();
}

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

/// The waiting threads get the GIL once more.
void end() {
  const py::gil_scoped_release release;
  Askers& all = askers();
  std::unique_lock lock(all.mutex);
  all.has_ended = true;
  all.ender = std::this_thread::get_id();
  all.changed.wait(lock, [&all] { return all.count == 0; });
}

}  // namespace

void set_up_gil() {
  ::pthread_atfork(nullptr, nullptr, forget_askers);
  py::module_::import("atexit").attr("register")(py::cpp_function(&end));
}

GilAcquire::GilAcquire(AtEnd at_end) : has_it_(begin_to_ask()) {
  if (has_it_) {
    state_ = PyGILState_Ensure();
    end_to_ask();
  } else if (at_end == AtEnd::kWait) {
    wait_for_ever();
  }
}

GilAcquire::~GilAcquire() {
  if (has_it_) PyGILState_Release(state_);
}

GilRelease::~GilRelease() {
  if (!begin_to_ask()) wait_for_ever();
  PyEval_RestoreThread(state_);
  end_to_ask();
}

}  // namespace roundel::python
