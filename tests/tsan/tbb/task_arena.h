#pragma once
// For thread sanitizer builds only: an arena that just carries its number of threads. See
// parallel_for.h.
#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tbb {

namespace this_task_arena {
/// The calling thread's; at least 4, so that races can show on small machines.
inline int& concurrency() {
  thread_local int value = std::max(4, static_cast<int>(std::thread::hardware_concurrency()));
  return value;
}
inline int max_concurrency() {
  return concurrency();
}
template <typename Function>
decltype(auto) isolate(const Function& function) {
  return function();
}
}  // namespace this_task_arena

class task_arena {
 public:
  static constexpr int automatic = -1;
  explicit task_arena(int max_concurrency = automatic, unsigned = 1)
      : concurrency_(max_concurrency == automatic ? this_task_arena::max_concurrency()
                                                  : max_concurrency) {}
  int max_concurrency() const { return concurrency_; }

  template <typename Function>
  decltype(auto) execute(Function&& function) {
    struct Restore {
      int value;
      ~Restore() { this_task_arena::concurrency() = value; }
    } restore{std::exchange(this_task_arena::concurrency(), concurrency_)};
    return std::forward<Function>(function)();
  }

  /// A thread for each piece of work, so more at once than the arena would have.
  template <typename Function>
  void enqueue(Function&& function) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::forward<Function>(function));
  }

 private:
  int concurrency_;
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

}  // namespace tbb
