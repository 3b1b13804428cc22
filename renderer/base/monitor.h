#pragma once
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace roundel {

/// A mutex with conditions that threads wait for (Hoare 1974). Threads that are woken under the
/// lock are woken once it is given up: before, they could only wait for it, and all others with
/// them for as long as it takes to wake a processor.
template <std::size_t kConditions>
class Monitor {
  static constexpr std::size_t kAll = ~std::size_t{0};
  using Waking = std::array<std::size_t, kConditions>;  ///< threads to be woken

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

    /// Until is_met(), which is called under the lock.
    template <typename IsMet>
    void wait(std::size_t condition, const IsMet& is_met) {
      while (!is_met()) {
        if (!wake_others()) monitor_.conditions_[condition].wait(lock_);
      }
    }
    /// The same, for so long at most; whether it is met.
    template <typename IsMet>
    bool wait_for(std::size_t condition, std::chrono::duration<double> time, const IsMet& is_met) {
      wake_others();
      return monitor_.conditions_[condition].wait_for(lock_, time, is_met);
    }

    /// Wakes who is to be woken before the lock is given up, after which the monitor may be gone.
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
    /// False where there is nobody to wake; else the lock was given up meanwhile.
    bool wake_others() {
      if (monitor_.waking_ == Waking{}) return false;
      unlock();
      lock();
      return true;
    }

    Monitor& monitor_;
    std::unique_lock<std::mutex> lock_;
  };

  /// One of the threads that wait for the condition; called under the lock, as is wake_all().
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
