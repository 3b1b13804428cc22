#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/frame_name.h"

namespace roundel {

inline constexpr std::size_t kMaxFrames = 10'000'000;  ///< numbers in one list

/// Reads a list of frames: items between commas, each a frame or a range FIRST-LAST, with a step
/// as in FIRST-LASTxSTEP or FIRST-LAST:STEP: "1-10,15,20-30x2". Numbers may be negative ("-5--1")
/// and spaces may stand around numbers. "@PATH" reads the list from a file, where the end of a line
/// is a comma too and # starts a comment. Order and repetition do not matter.
///
/// Throws Error(kUsage) "expected … , got …" for anything else: no frame, a range that falls, a
/// step below 1, a number outside [kMinFrame, kMaxFrame], more than kMaxFrames frames, a file that
/// cannot be read.
FrameList parse_frames(const std::string& text);

/// A frame of a FrameSource.
struct NextFrame {
  std::int64_t number;
  bool is_made = false;  ///< another process has made it meanwhile
};

/// Hands out the frames to make, in rising order, and takes back those that are not made.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  FrameSource(const FrameSource&) = delete;
  FrameSource& operator=(const FrameSource&) = delete;

  /// Returns nothing once all are handed out. May wait for frames that others have. Called by one
  /// thread.
  virtual std::optional<NextFrame> next() = 0;
  /// Ends the waiting of next(): no further frame is wanted. Called by any thread.
  virtual void close() {}
  /// Takes back a frame that was handed out and is not written: it has failed, or is left to
  /// others. Called by any thread.
  virtual void give_back(std::int64_t /*frame*/, bool /*has_failed*/) {}

 protected:
  FrameSource() = default;
};

/// The frames of a list, for one process alone.
class ListedFrames final : public FrameSource {
 public:
  explicit ListedFrames(FrameList frames) : frames_(std::move(frames)) {}
  std::optional<NextFrame> next() override {
    return next_ < frames_.size() ? std::optional(NextFrame{frames_[next_++]}) : std::nullopt;
  }

 private:
  FrameList frames_;
  std::size_t next_ = 0;
};

/// One of several shares of a list of frames, for machines that do not talk to each other.
struct Shard {
  int index = 1;  ///< 1..count
  int count = 1;
  bool per_rank = false;  ///< found out from the rank of this process in a step or an MPI job
  bool operator==(const Shard&) const = default;
};

/// "2/8", "auto" or "auto/8". `auto` asks the environment which task this is: a Slurm array
/// (SLURM_ARRAY_TASK_ID with _MIN, _MAX, _STEP and _COUNT), a Slurm step (SLURM_PROCID,
/// SLURM_NTASKS), Open MPI (OMPI_COMM_WORLD_RANK, _SIZE) or a Kubernetes indexed Job
/// (JOB_COMPLETION_INDEX, whose count must follow the slash), in this order. `auto/8` insists on 8
/// shares. Throws Error(kUsage) "expected …" for another text, an environment that says nothing,
/// and array ids without a regular step.
Shard parse_shard(const std::string& text);

/// The frames of one share. The shares of all indices hold every frame once, and their sizes differ
/// by one at most. In one piece where `contiguous` (for a scene that must be stepped through), else
/// every count-th frame, so that dear and cheap parts of a film spread evenly.
FrameList shard_frames(const FrameList& frames, const Shard& shard, bool contiguous);

}  // namespace roundel
