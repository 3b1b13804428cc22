#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "renderer/base/lines.h"
#include "renderer/base/stage_stats.h"

namespace roundel {

enum class ProgressFormat {
  kAuto,  ///< a bar on a terminal, else plain
  kNone,
  kBar,       ///< one line that is overwritten
  kPlain,     ///< a line every few seconds
  kJson,      ///< an object a line
  kOpenJd,    ///< "openjd_progress: 42.0"
  kDeadline,  ///< "Progress: 42%"
  kBlender,   ///< "Fra:7 …" and "Saved: 'PATH'" for every frame
};

/// The state of an export that a progress report shows.
struct ProgressState {
  std::uint64_t done = 0;    ///< frames: written, failed or kept
  std::uint64_t failed = 0;  ///< part of `done`
  std::uint64_t total = 0;
  std::uint64_t bytes = 0;  ///< written
  std::size_t queue = 0;    ///< pictures drawn and not yet written
};

/// Frames and bytes a second over the last few seconds.
class Rates {
 public:
  using Clock = std::chrono::steady_clock;
  void add(Clock::time_point now, std::uint64_t done, std::uint64_t bytes);
  double frames_per_second() const { return frames_per_second_; }
  double bytes_per_second() const { return bytes_per_second_; }

 private:
  struct Sample {
    Clock::time_point time;
    std::uint64_t done, bytes;
  };
  std::deque<Sample> samples_;
  double frames_per_second_ = 0, bytes_per_second_ = 0;
};

/// Returns the report for people or a farm manager. `columns`: width of the bar.
Lines progress_text(ProgressFormat format, const ProgressState& state, double frames_per_second,
                    double bytes_per_second, std::size_t columns);
/// Returns the lines of one finished frame; empty in most formats.
Lines frame_text(ProgressFormat format, std::int64_t frame, const std::string& name);

/// Returns "43 %  ETA 0:31" after this many seconds; never 100 %.
std::string work_text(std::uint64_t done, std::uint64_t total, double seconds);

/// Returns work_text() as a line for people or a farm manager; `name` names the work.
Lines work_line(ProgressFormat format, const std::string& name, std::uint64_t done,
                std::uint64_t total, double seconds);

/// Shows the progress of a long piece of work on stderr, once it has taken more than a second.
class WorkProgress {
 public:
  /// Keeps a reference to `count`.
  WorkProgress(std::string name, const WorkCount& count,
               ProgressFormat format = ProgressFormat::kAuto);
  ~WorkProgress();
  WorkProgress(const WorkProgress&) = delete;
  WorkProgress& operator=(const WorkProgress&) = delete;

 private:
  void show();

  std::string name_;
  const WorkCount& count_;
  ProgressFormat format_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

/// WorkProgress's name for reading the existing frames.
inline constexpr const char* kReadingFrames = "checking existing frames";

/// Prints the progress of an export on stderr.
class Progress {
 public:
  explicit Progress(ProgressFormat format);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Prints if it is time to; call it several times a second.
  void update(const ProgressState& state);
  /// Prints the last state, unless it has been printed.
  void finish(const ProgressState& state);
  /// May be called from any thread.
  void frame_written(std::int64_t frame, const std::string& name);

 private:
  void print(const ProgressState& state);
  void clear_bar();

  ProgressFormat format_;
  std::mutex mutex_;  ///< guards stderr and the members below
  Rates rates_;
  Rates::Clock::time_point next_print_{};
  std::uint64_t printed_done_ = 0;
  bool has_printed_ = false, bar_shown_ = false;
};

}  // namespace roundel
