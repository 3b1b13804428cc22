#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace roundel {

/// Queue of threads that wait for jobs, which end roughly in the order they began. Only the
/// first thread waits itself; then it wakes the threads whose jobs have ended, and the new first
/// one.
class WaitQueue {
 public:
  /// Waits for a job. `wait_alone` waits outside the queue; `has_ended` polls, from another thread.
  /// Throws what `wait_alone` throws.
  template <typename WaitAlone>
  void wait(const WaitAlone& wait_alone, const std::function<bool()>& has_ended) {
    Waiter self{has_ended};
    std::unique_lock lock(mutex_);
    line_.push_back(&self);
    self.woken.wait(lock, [&] { return self.is_done || line_.front() == &self; });
    if (self.is_done) return;
    lock.unlock();
    const Leaving leaving(*this);
    wait_alone();
  }

 private:
  struct Waiter {
    const std::function<bool()>& has_ended;
    bool is_done = false;  ///< its job has ended, and it left the queue
    std::condition_variable woken{};
  };
  class Leaving {
   public:
    explicit Leaving(WaitQueue& all) : all_(all) {}
    ~Leaving() {
      const std::lock_guard lock(all_.mutex_);
      all_.line_.pop_front();
      while (!all_.line_.empty()) {
        Waiter& next = *all_.line_.front();
        next.is_done = next.has_ended();
        if (next.is_done) all_.line_.pop_front();
        next.woken.notify_one();
        if (!next.is_done) break;
      }
    }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;

   private:
    WaitQueue& all_;
  };

  std::mutex mutex_;
  std::deque<Waiter*> line_;
};

}  // namespace roundel
