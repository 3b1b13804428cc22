#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/sequence/export_pipeline.h"
#include "renderer/sequence/frame_list.h"
#include "renderer/sequence/frame_source.h"
#include "tools/roundel/cli/machine.h"

namespace roundel {

/// What one rank has to say when it ends.
struct RankReport {
  int exit_code = 0;     ///< of this rank alone
  FrameList unfinished;  ///< frames drawn from the list, neither written nor failed
  ExportResult result;   ///< of the pipeline, its times left out
  std::string problem;   ///< what it threw, not yet printed; mostly empty
};

/// What another rank threw.
struct RankProblem {
  int rank = 0, exit_code = 0;
  std::string text;
};

/// The processes that work on one sequence together. The first one deals out the frames and speaks
/// for all; it works too.
class Ranks : public FrameSource {
 public:
  virtual int index() const = 0;
  virtual int count() const = 0;
  /// Which of those on the same machine this one is.
  virtual LocalRank local() const = 0;

  /// First rank: deals these frames out from now on, to itself and to the others, who may have been
  /// waiting for it. To be called once, also when there is nothing to do.
  virtual void hand_out(FrameList frames) = 0;
  /// First rank: no rank gets another frame.
  virtual void stop() = 0;
  /// First rank: whether there are frames that nobody has.
  virtual bool has_frames() const = 0;
  /// First rank: what the others have done so far.
  virtual ExportCounts others() const = 0;
  /// First rank: waits until the others have ended, at most so long; true when they have.
  virtual bool wait_for_others(double seconds) = 0;
  /// First rank: the problems of others that have come since the last call, for it to print.
  virtual std::vector<RankProblem> take_problems() = 0;
  /// First rank: what the others said when they ended.
  virtual std::vector<RankReport> take_reports() = 0;
  /// First rank: lets the others go, with this exit code.
  virtual void dismiss(int exit_code) = 0;

  /// For frames of which every rank draws a band. First rank: tells all others to draw theirs of
  /// this frame, or that there is none left.
  virtual void order_bands(std::optional<std::int64_t> frame) = 0;
  /// First rank: waits for the bytes of another's band. Throws Error where it could not make it.
  virtual void receive_band(int rank, std::span<std::uint8_t> bytes) = 0;
  /// Other ranks: waits for the next order; nothing at the end.
  virtual std::optional<std::int64_t> wait_for_order() = 0;
  /// Other ranks: answers an order with the bytes of the band, or with what went wrong.
  virtual void send_band(std::span<const std::uint8_t> bytes) = 0;
  virtual void send_failure(const std::string& message) = 0;

  /// Other ranks: how far this one is, for others().
  virtual void note(const ExportCounts& counts) = 0;
  /// Gives back the frames that this rank has not made. Other ranks than the first then wait for
  /// dismiss(), whose exit code is returned.
  virtual int end(const RankReport& report) = 0;
};

/// The ranks that mpirun started, or this process alone where it did not or `alone` is set. Throws
/// Error(kUsage) under mpirun in a build without MPI.
std::unique_ptr<Ranks> join_ranks(bool alone);

/// The number of ranks that mpirun says it started; 1 without it.
int mpirun_size();
std::unique_ptr<Ranks> make_mpi_ranks();  ///< null in a build without MPI

}  // namespace roundel
