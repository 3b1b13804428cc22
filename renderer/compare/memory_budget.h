#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace roundel {

/// Bytes of memory that threads share. A thread that needs more than all waits until the others
/// have returned theirs.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

  /// Bytes that the destructor returns.
  class Share {
   public:
    Share() = default;
    Share(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->release(bytes_);
    }

   private:
    MemoryBudget* budget_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  /// Waits until `bytes` are free. The thread must hold no other share.
  Share take(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return taken_ == 0 || taken_ + bytes <= bytes_; });
    taken_ += bytes;
    return {*this, bytes};
  }

 private:
  void release(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
    given_back_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable given_back_;
  std::uint64_t bytes_, taken_ = 0;
};

}  // namespace roundel
