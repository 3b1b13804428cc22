#pragma once
#include <chrono>
#include <ctime>

namespace roundel {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Sum over all threads.
  double processor_seconds() const { return processor_now() - processor_start_; }

 private:
  static double processor_now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double processor_start_ = processor_now();  // takes a moment, so it comes first
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace roundel
