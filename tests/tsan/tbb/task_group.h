#pragma once
// For thread sanitizer builds only: a thread for each task. See parallel_for.h.
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tbb/task_arena.h"

namespace tbb {

/// Plain threads end their work after an exception in another one.
inline bool is_current_task_group_canceling() {
  return false;
}

class task_group {
 public:
  template <typename Function>
  void run(Function function) {
    threads_.emplace_back(
        [this, concurrency = this_task_arena::concurrency(), function = std::move(function)] {
          this_task_arena::concurrency() = concurrency;
          try {
            function();
          } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_error_ && !is_canceled_) first_error_ = std::current_exception();
          }
        });
  }
  /// Errors that come later are dropped; threads run to their end.
  void cancel() {
    const std::lock_guard lock(mutex_);
    is_canceled_ = true;
  }
  void wait() {
    threads_.clear();
    if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_error_;
  bool is_canceled_ = false;
  std::vector<std::jthread> threads_;  // the last member: the threads use the others
};

}  // namespace tbb
