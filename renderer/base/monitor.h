#pragma once
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace roundel {

/// A mutex with conditions that threads wait for (Hoare 1974). Wakes threads after the lock is
/// released: before, they could only wait for it, and all others with them while a processor wakes.
template <std::size_t kConditions>
class Monitor {
  static constexpr std::size_t kAll = ~std::size_t{0};
  using Waking = std::array<std::size_t, kConditions>;  ///< threads to wake per condition

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

    /// Calls is_met() under the lock.
    template <typename IsMet>
    void wait(std::size_t condition, const IsMet& is_met) {
      while (!is_met()) {
        if (!wake_others()) monitor_.conditions_[condition].wait(lock_);
      }
    }
    /// Waits for at most `time`; returns is_met().
    template <typename IsMet>
    bool wait_for(std::size_t condition, std::chrono::duration<double> time, const IsMet& is_met) {
      wake_others();
      return monitor_.conditions_[condition].wait_for(lock_, time, is_met);
    }

    /// Wakes threads before the lock is released; then the monitor may be gone.
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
    /// True if it woke threads, with the lock released meanwhile.
    bool wake_others() {
      if (monitor_.waking_ == Waking{}) return false;
      unlock();
      lock();
      return true;
    }

    Monitor& monitor_;
    std::unique_lock<std::mutex> lock_;
  };

  /// Wakes a thread later. Call it under the lock, like wake_all().
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
