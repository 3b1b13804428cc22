#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/film/export_pipeline.h"
#include "renderer/film/frame_list.h"
#include "renderer/film/split_rasterizer.h"
#include "renderer/machine.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// What a message is about: only those of one kind are received together.
enum class MessageKind : int { kQuestion = 1, kAnswer, kOrder, kBand, kBandBytes };

/// Carries messages between ranks. May be used by several threads.
class Messenger {
 public:
  static constexpr int kAnyRank = -1;

  virtual ~Messenger() = default;
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  /// Returns when the bytes may be changed.
  virtual void send(int to, MessageKind kind, std::span<const std::uint8_t> bytes) = 0;
  /// The next message of this kind from this rank, if one has come, and who sent it.
  virtual std::optional<std::pair<int, std::string>> receive(MessageKind kind, int from) = 0;
  /// Waits for one of as many bytes.
  virtual void receive_into(int from, MessageKind kind, std::span<std::uint8_t> bytes) = 0;

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

/// Deals a list of frames out to several ranks.
class FrameDealer {
 public:
  FrameDealer(FrameList frames, int ranks) : frames_(std::move(frames)), ranks_(ranks) {}

  /// The next few frames, in rising order: more of a long list, so that asking takes no time, one
  /// by one at the end, so that all ranks end together. Empty: there is none.
  FrameList deal();
  /// Frames that a rank could not make; they are dealt first.
  void take_back(const FrameList& frames);
  bool is_empty() const { return stopped_ || (next_ == frames_.size() && returned_.empty()); }
  /// Deals no more.
  void stop() { stopped_ = true; }

 private:
  FrameList frames_;
  std::size_t next_ = 0;
  std::deque<std::int64_t> returned_;
  int ranks_;
  bool stopped_ = false;
};

/// What a rank has to say when it ends.
struct RankReport {
  int rank = 0;
  int exit_code = 0;     ///< of this rank alone
  FrameList unfinished;  ///< frames drawn from the list, neither written nor failed
  ExportResult result;   ///< of the pipeline, its times left out
  std::string problem;   ///< what it threw, not yet printed; mostly empty
};

/// The first rank, or the only one: deals the frames out to itself and, from a helper thread, to
/// the others, and hears what becomes of them.
class FirstRank final : public FrameSource {
 public:
  explicit FirstRank(const Ranks& ranks);
  ~FirstRank() override;

  /// Deals these frames out from now on, to others too, who may have been waiting for it. To be
  /// called once, also when there is nothing to do.
  void hand_out(FrameList frames);
  std::optional<std::int64_t> next() override;
  /// No rank gets another frame.
  void stop();
  /// This one draws no more: frames that it has not made may be dealt again.
  void take_back(const FrameList& unfinished);
  /// Whether others have left frames that nobody has.
  bool has_frames() const;

  /// What the others have done so far.
  ExportCounts others() const;
  /// Waits until the others have ended, at most so long; true when they have.
  bool wait_for_others(double seconds);
  bool has_ended(int rank) const;
  /// What others have said, when they ended, since the last call.
  std::vector<RankReport> take_reports();
  /// Lets the others go, with this exit code.
  void dismiss(int exit_code);

 private:
  void answer_questions();
  void answer(int rank, const std::string& question);

  const Ranks& ranks_;
  std::atomic<bool> quit_{false};
  std::thread helper_;

  mutable std::mutex mutex_;  ///< guards all below
  std::condition_variable ended_;
  std::optional<FrameDealer> dealer_;
  std::deque<std::int64_t> own_;
  std::vector<ExportCounts> others_;  ///< by rank
  std::vector<bool> has_ended_;       ///< by rank
  std::vector<RankReport> reports_;   ///< not yet taken
};

/// Any other rank: asks the first one for frames.
class OtherRank final : public FrameSource {
 public:
  explicit OtherRank(const Ranks& ranks) : rank_(ranks.index), messenger_(*ranks.messenger) {}

  std::optional<std::int64_t> next() override;
  /// How far this one is, for FirstRank::others().
  void note(const ExportCounts& counts);
  /// Gives back the frames that this rank has not made, and waits for FirstRank::dismiss(), whose
  /// exit code is returned.
  int end(RankReport report);

 private:
  std::string question(const RankReport* report = nullptr) const;

  int rank_;
  Messenger& messenger_;
  std::deque<std::int64_t> dealt_;
  mutable std::mutex mutex_;
  ExportCounts counts_;
};

/// The first rank's view of the bands that the others draw of each frame.
class RankBands final : public BandExchange {
 public:
  RankBands(const Ranks& ranks, const FirstRank& first) : ranks_(ranks), first_(first) {}
  /// Frames are ordered in the order of these calls, which may come from another thread.
  void expect(std::int64_t frame);
  int count() const override { return ranks_.count; }
  void order() override;
  void receive(int index, std::span<std::uint8_t> bytes) override;

 private:
  const Ranks& ranks_;
  const FirstRank& first_;
  std::mutex mutex_;
  std::deque<std::int64_t> expected_;
};

/// Remembers which frames were drawn from the ranks' list and are not written.
class DrawnFrames final : public FrameSource {
 public:
  explicit DrawnFrames(FrameSource& frames) : frames_(frames) {}
  std::optional<std::int64_t> next() override;
  /// The frame is written.
  void forget(std::int64_t frame);
  /// Returns the frames that were drawn, but neither exist nor failed.
  FrameList unfinished(const ExportResult& result) const;

 private:
  FrameSource& frames_;
  std::mutex mutex_;
  std::set<std::int64_t> drawn_;
};

/// Tells the ranks of each frame of which they are to draw bands.
class AnnouncedFrames final : public FrameSource {
 public:
  AnnouncedFrames(FrameSource& frames, RankBands& bands) : frames_(frames), bands_(bands) {}
  std::optional<std::int64_t> next() override;

 private:
  FrameSource& frames_;
  RankBands& bands_;
};

/// Tells the other ranks that no band is wanted any more.
void end_bands(const Ranks& ranks);

/// For the other ranks: draws bands until the first rank orders no more.
void draw_ordered_bands(const Scene& scene, const FrameEncoder& encoder, const Ranks& ranks,
                        std::vector<std::unique_ptr<Rasterizer>> rasterizers);

}  // namespace roundel
