#pragma once
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace roundel {

/// A mutex with conditions that threads wait for (Hoare 1974). Wake-ups requested under the lock
/// happen after it is released. A thread woken earlier could only wait for the lock, and all others
/// would wait for the time that waking a processor takes.
template <std::size_t kConditions>
class Monitor {
  static constexpr std::size_t kAll = ~std::size_t{0};
  using Waking = std::array<std::size_t, kConditions>;  ///< number of threads to wake per condition

 public:
  class Lock {
   public:
    explicit Lock(Monitor& monitor) : monitor_(monitor), lock_(monitor.mutex_) {}
    ~Lock() {
      if (lock_.owns_lock()) unlock();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void lock() { lock_.lock(); }
    void unlock() {
      const Waking waking = std::exchange(monitor_.waking_, {});
      lock_.unlock();
      wake(waking);
    }

    /// Waits until is_met(), which is called under the lock.
    template <typename IsMet>
    void wait(std::size_t condition, const IsMet& is_met) {
      while (!is_met()) {
        if (!wake_others()) monitor_.conditions_[condition].wait(lock_);
      }
    }
    /// Waits for at most `time`; returns whether is_met().
    template <typename IsMet>
    bool wait_for(std::size_t condition, std::chrono::duration<double> time, const IsMet& is_met) {
      wake_others();
      return monitor_.conditions_[condition].wait_for(lock_, time, is_met);
    }

    /// Wakes the requested threads before the lock is released; afterwards the monitor may be gone.
    void wake_at_once() { wake(std::exchange(monitor_.waking_, {})); }

   private:
    void wake(const Waking& waking) {
      for (std::size_t k = 0; k < kConditions; ++k) {
        if (waking[k] == kAll) {
          monitor_.conditions_[k].notify_all();
        } else {
          for (std::size_t i = 0; i < waking[k]; ++i) monitor_.conditions_[k].notify_one();
        }
      }
    }
    /// Returns true if it woke threads, for which it released the lock meanwhile.
    bool wake_others() {
      if (monitor_.waking_ == Waking{}) return false;
      unlock();
      lock();
      return true;
    }

    Monitor& monitor_;
    std::unique_lock<std::mutex> lock_;
  };

  /// Wakes one thread that waits for the condition. Call this and wake_all() under the lock.
  void wake_one(std::size_t condition) {
    if (waking_[condition] != kAll) ++waking_[condition];
  }
  void wake_all() { waking_.fill(kAll); }

 private:
  std::mutex mutex_;
  std::array<std::condition_variable, kConditions> conditions_;
  Waking waking_{};
};

}  // namespace roundel
