#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/film/export_pipeline.h"
#include "renderer/film/frame_list.h"
#include "renderer/machine_options.h"

namespace roundel {

/// Carries messages between the first rank and the others. Thread-safe.
class Messenger {
 public:
  virtual ~Messenger() = default;
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  virtual void send(int to, const std::string& text) = 0;
  /// Nothing if there is no message yet.
  virtual std::optional<std::pair<int, std::string>> receive() = 0;

 protected:
  Messenger() = default;
};

/// The processes that work on one film together, and this one's number.
struct Ranks {
  int index = 0, count = 1;
  LocalRank local;
  std::unique_ptr<Messenger> messenger;  ///< null for a single process
};

/// Returns the ranks that mpirun started, or this process alone. Throws Error(kUsage) under mpirun
/// in a build without MPI.
Ranks join_ranks(bool alone);

/// Returns a warning if `srun` started several independent tasks, each of which makes all frames;
/// empty for other processes, and for all tasks except the first.
std::string independent_tasks_warning();

/// Version of the MPI library; "" for a program without MPI. Throws Error(kRuntimeFailure) if the
/// module for MPI is missing or broken.
std::string mpi_version();

/// Final report of a rank.
struct RankReport {
  int rank = 0;
  int exit_code = 0;
  FrameList unfinished;  ///< neither written nor failed
  ExportResult result;   ///< without times
  std::string problem;   ///< its error, if not yet printed
};

/// The first rank, or the only one. Deals frames to itself and, from a helper thread, to the
/// others, and collects their results.
class FirstRank final : public FrameSource {
 public:
  /// Starts to deal. Other ranks may be waiting, even without frames.
  FirstRank(const Ranks& ranks, const FrameList& frames);
  ~FirstRank() override;

  /// At the end waits for the other ranks, which may give back frames.
  std::optional<NextFrame> next() override;
  void close() override;
  void release(std::int64_t frame, bool has_failed) override;
  /// Returns frames for another rank, ascending: up to 16 of a long list, so that asking takes
  /// little time; single ones at the end, so that all ranks finish together.
  FrameList deal();
  /// Deals no more frames, to any rank.
  void stop();

  ExportCounts others() const;
  /// Waits at most `seconds` until the other ranks have ended; true if they have.
  bool wait_for_others(double seconds);
  /// Takes other ranks' final reports since the last call.
  std::vector<RankReport> take_reports();
  /// Lets the other ranks exit with this exit code.
  void dismiss(int exit_code);

 private:
  void answer_questions();
  void answer(int rank, const std::string& question);
  bool have_others_ended() const { return ended_ + 1 == ranks_.count; }

  const Ranks& ranks_;
  std::atomic<bool> quit_{false};
  std::thread helper_;  ///< started last

  mutable std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  std::deque<std::int64_t> left_;     ///< to deal
  bool is_closed_ = false;            ///< this rank takes no more
  bool is_stopped_ = false;           ///< no rank gets more
  int ended_ = 0;                     ///< other ranks
  std::vector<ExportCounts> counts_;  ///< by rank
  std::vector<RankReport> reports_;   ///< not yet taken
};

class OtherRank final : public FrameSource {
 public:
  explicit OtherRank(const Ranks& ranks) : messenger_(*ranks.messenger) {}

  std::optional<NextFrame> next() override;
  void release(std::int64_t frame, bool has_failed) override;
  /// Sets this rank's progress, for FirstRank::others().
  void note(const ExportCounts& counts);
  /// Gives back unmade frames, waits for FirstRank::dismiss() and returns its exit code.
  int end(RankReport report);

 private:
  Messenger& messenger_;
  std::deque<std::int64_t> dealt_;
  std::mutex mutex_;  ///< guards all below
  ExportCounts counts_;
  FrameList unfinished_;
};

}  // namespace roundel
