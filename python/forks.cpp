#include "python/forks.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "renderer/base/error.h"

namespace roundel::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kMaxWait{1};
/// oneTBB's threads go to sleep after the last work.
constexpr std::chrono::milliseconds kSettlingTime{5};

/// The working threads, and the forking one. Never destroyed: threads may wait at the process's
/// end.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int at_work = 0;
  bool is_closed = false;  ///< a thread forks
  Clock::time_point last_end;
};
Gate* gate = new Gate();
bool was_forked_at_work = false;  ///< forked while another thread was working
thread_local int depth = 0;
thread_local bool holds_gate = false;

int own_work() {
  return depth > 0 ? 1 : 0;
}

void before_fork() {
  std::unique_lock lock(gate->mutex);
  gate->is_closed = true;
  gate->changed.wait_for(lock, kMaxWait, [] { return gate->at_work <= own_work(); });
  const Clock::time_point settled = gate->last_end + kSettlingTime;
  gate->changed.wait_until(lock, settled, [&] { return Clock::now() >= settled; });
  lock.release();  // locked while the memory is copied
  holds_gate = true;
}

void after_fork_in_parent() {
  if (!std::exchange(holds_gate, false)) return;
  {
    const std::lock_guard lock(gate->mutex, std::adopt_lock);
    gate->is_closed = false;
  }
  gate->changed.notify_all();
}

void after_fork_in_child() {
  was_forked_at_work = was_forked_at_work || gate->at_work > own_work();
  gate = new Gate();
  gate->at_work = own_work();
  holds_gate = false;
}

void begin() {
  std::unique_lock lock(gate->mutex);
  gate->changed.wait(lock, [] { return !gate->is_closed; });
  ++gate->at_work;
}

void end_work() {
  {
    const std::lock_guard lock(gate->mutex);
    --gate->at_work;
    gate->last_end = Clock::now();
  }
  gate->changed.notify_all();
}

}  // namespace

void set_up_forks() {
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

AtWork::AtWork() {
  if (was_forked_at_work)
    throw Error(ExitCode::kRuntimeFailure,
                "this process was forked while another thread was drawing; start processes with "
                "multiprocessing.get_context(\"spawn\")");
  if (depth == 0) begin();
  ++depth;
}

AtWork::~AtWork() {
  if (--depth == 0) end_work();
}

AtRest::AtRest() {
  end_work();
}

AtRest::~AtRest() {
  begin();
}

}  // namespace roundel::python
