#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace roundel {

/// Threads that wait for things of one maker, which end about in the order in which they were
/// begun. The first thread of the line waits for its thing by itself. Then it wakes those whose
/// things have ended too, and the one that is the first now; all others sleep.
class WaitingLine {
 public:
  /// Returns at the end of a thing. `wait_alone` does so without the line; `has_ended` tells at
  /// once, and is called by another thread. Throws what `wait_alone` throws.
  template <typename WaitAlone>
  void wait(const WaitAlone& wait_alone, const std::function<bool()>& has_ended) {
    Waiter self{has_ended};
    std::unique_lock lock(mutex_);
    line_.push_back(&self);
    self.woken.wait(lock, [&] { return self.is_told || line_.front() == &self; });
    if (self.is_told) return;
    lock.unlock();
    const Leaving leaving(*this);
    wait_alone();
  }

 private:
  struct Waiter {
    const std::function<bool()>& has_ended;
    bool is_told = false;  ///< that it has; it is no longer in the line
    std::condition_variable woken{};
  };
  /// Of the first one, at its end.
  class Leaving {
   public:
    explicit Leaving(WaitingLine& all) : all_(all) {}
    ~Leaving() {
      const std::lock_guard lock(all_.mutex_);
      all_.line_.pop_front();
      while (!all_.line_.empty()) {
        Waiter& next = *all_.line_.front();
        next.is_told = next.has_ended();
        if (next.is_told) all_.line_.pop_front();
        next.woken.notify_one();
        if (!next.is_told) break;
      }
    }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;

   private:
    WaitingLine& all_;
  };

  std::mutex mutex_;
  std::deque<Waiter*> line_;
};

}  // namespace roundel
