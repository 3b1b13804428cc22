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
#include "renderer/machine.h"

namespace roundel {

/// Carries messages between the first rank and the others. May be used by several threads.
class Messenger {
 public:
  virtual ~Messenger() = default;
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  virtual void send(int to, const std::string& text) = 0;
  /// The next message, if one has come, and who sent it.
  virtual std::optional<std::pair<int, std::string>> receive() = 0;

 protected:
  Messenger() = default;
};

/// The processes that work on one film together, and which of them this one is.
struct Ranks {
  int index = 0, count = 1;
  LocalRank local;                       ///< which of those on the same machine
  std::unique_ptr<Messenger> messenger;  ///< null for a process alone
};

/// The ranks that mpirun started, or this process alone where it did not or `alone` is set. Throws
/// Error(kUsage) under mpirun in a build without MPI.
Ranks join_ranks(bool alone);

/// Returns a warning if `srun` started several tasks that do not know of each other, so that each
/// makes all frames; empty for other processes, and for all tasks but the first.
std::string lone_tasks_problem();

/// Version of the MPI library, as the module for MPI reports it; "" for a program without MPI.
/// Throws Error(kRuntimeFailure) where the module is missing or broken.
std::string mpi_version();

/// What a rank reports when it ends.
struct RankReport {
  int rank = 0;
  int exit_code = 0;     ///< of this rank alone
  FrameList unfinished;  ///< handed out to it, neither written nor failed
  ExportResult result;   ///< of the pipeline, its times left out
  std::string problem;   ///< what it threw, not yet printed; mostly empty
};

/// The first rank, or the only one: deals the frames out to itself and, from a helper thread, to
/// the others, and hears what becomes of them.
class FirstRank final : public FrameSource {
 public:
  /// Begins to deal. The others may be waiting for it, also when there is nothing to do.
  FirstRank(const Ranks& ranks, const FrameList& frames);
  ~FirstRank() override;

  /// At the end waits for the other ranks, who may leave frames.
  std::optional<NextFrame> next() override;
  void close() override;
  void give_back(std::int64_t frame, bool has_failed) override;
  /// The next frames for another rank, in rising order: up to 16 of a long list, so that asking
  /// takes no time, single ones at the end, so that all ranks end together.
  FrameList deal();
  /// No rank gets another frame.
  void stop();

  /// What the others have done so far.
  ExportCounts others() const;
  /// Waits until the others have ended, at most so long; true when they have.
  bool wait_for_others(double seconds);
  /// What others have said, when they ended, since the last call.
  std::vector<RankReport> take_reports();
  /// Lets the others go, with this exit code.
  void dismiss(int exit_code);

 private:
  void answer_questions();
  void answer(int rank, const std::string& question);
  bool have_others_ended() const { return ended_ + 1 == ranks_.count; }

  const Ranks& ranks_;
  std::atomic<bool> quit_{false};
  std::thread helper_;  ///< started once all is set

  mutable std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  std::deque<std::int64_t> left_;     ///< to be dealt
  bool is_closed_ = false;            ///< this rank wants no more
  bool is_stopped_ = false;           ///< no rank gets more
  int ended_ = 0;                     ///< other ranks
  std::vector<ExportCounts> counts_;  ///< by rank
  std::vector<RankReport> reports_;   ///< not yet taken
};

/// Any other rank: asks the first one for frames.
class OtherRank final : public FrameSource {
 public:
  explicit OtherRank(const Ranks& ranks) : messenger_(*ranks.messenger) {}

  std::optional<NextFrame> next() override;
  void give_back(std::int64_t frame, bool has_failed) override;
  /// How far this one is, for FirstRank::others().
  void note(const ExportCounts& counts);
  /// Gives back the frames that this rank has not made, and waits for FirstRank::dismiss(), whose
  /// exit code is returned.
  int end(RankReport report);

 private:
  Messenger& messenger_;
  std::deque<std::int64_t> dealt_;
  std::mutex mutex_;  ///< guards all below
  ExportCounts counts_;
  FrameList unfinished_;
};

}  // namespace roundel
