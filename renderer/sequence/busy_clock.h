#pragma once
#include <chrono>
#include <ctime>

namespace roundel {

/// Measures how busy a group of workers is, from the first piece of work to the last call of
/// end_window(). Not thread-safe.
class BusyClock {
 public:
  void begin_work() {
    const TimePoint now = std::chrono::steady_clock::now();
    if (start_ == TimePoint()) {
      start_ = last_ = now;
      processor_start_ = processor_seconds_now();
    }
    advance(now);
    ++workers_;
  }
  void end_work() {
    advance(std::chrono::steady_clock::now());
    --workers_;
  }
  /// The window ends here, unless this is called again.
  void end_window() {
    if (start_ == TimePoint()) return;
    advance(std::chrono::steady_clock::now());
    window_ = std::chrono::duration<double>(last_ - start_).count();
    busy_in_window_ = busy_;
    work_in_window_ = work_;
    processor_in_window_ = processor_seconds_now() - processor_start_;
  }

  bool idle() const { return workers_ == 0; }
  double window_seconds() const { return window_; }
  /// With at least one worker at work.
  double busy_seconds() const { return busy_in_window_; }
  /// At work at once, on average.
  double mean_workers() const { return window_ > 0 ? work_in_window_ / window_ : 0; }
  /// Processor time of all the process's threads, whatever they did.
  double processor_seconds() const { return processor_in_window_; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  static double processor_seconds_now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  void advance(TimePoint now) {
    const double seconds = std::chrono::duration<double>(now - last_).count();
    if (workers_ > 0) busy_ += seconds;
    work_ += seconds * workers_;
    last_ = now;
  }

  TimePoint start_, last_;
  int workers_ = 0;
  double busy_ = 0, work_ = 0;  // seconds, since start_
  double processor_start_ = 0;  // seconds
  double window_ = 0, busy_in_window_ = 0, work_in_window_ = 0, processor_in_window_ = 0;
};

}  // namespace roundel
