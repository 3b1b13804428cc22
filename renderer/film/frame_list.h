#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/frame_name.h"

namespace roundel {

inline constexpr std::size_t kMaxFrames = 10'000'000;  ///< frame numbers in one list

/// Parses a list of frames: items between commas, each a frame or a range FIRST-LAST, with a step
/// as in FIRST-LASTxSTEP or FIRST-LAST:STEP: "1-10,15,20-30x2". Numbers may be negative ("-5--1")
/// and have spaces around them. "@PATH" reads the list from a file, in which the end of a line is a
/// comma too and # starts a comment. Order and repetition do not matter.
///
/// Throws Error(kUsage) "expected … , got …" for other texts, descending ranges, steps below 1,
/// numbers outside [kMinFrame, kMaxFrame], more than kMaxFrames frames and unreadable files.
FrameList parse_frames(const std::string& text);

/// A frame of a FrameSource.
struct NextFrame {
  std::int64_t number;
  bool is_made = false;  ///< by another process
};

/// Hands out the frames to make in ascending order, and takes back frames that were not made.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  FrameSource(const FrameSource&) = delete;
  FrameSource& operator=(const FrameSource&) = delete;

  /// Returns nothing once all frames are handed out. May wait for frames of others. Called by one
  /// thread.
  virtual std::optional<NextFrame> next() = 0;
  /// Ends the waiting of next(). Called by any thread.
  virtual void close() {}
  /// Takes back a frame that failed or is left to others. Called by any thread.
  virtual void release(std::int64_t /*frame*/, bool /*has_failed*/) {}

 protected:
  FrameSource() = default;
};

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

/// One share of a list of frames, for machines that do not communicate.
struct Shard {
  int index = 1;  ///< 1..count
  int count = 1;
  bool per_rank = false;  ///< from the process's rank in a step or an MPI job
  bool operator==(const Shard&) const = default;
};

/// Parses "2/8", "auto" or "auto/8" (8 shares required). `auto` reads the environment, in this
/// order: a Slurm array (SLURM_ARRAY_TASK_ID with _MIN, _MAX, _STEP and _COUNT), a Slurm step
/// (SLURM_PROCID, SLURM_NTASKS), Open MPI (OMPI_COMM_WORLD_RANK, _SIZE), a Kubernetes indexed Job
/// (JOB_COMPLETION_INDEX, whose count must follow the slash). Throws Error(kUsage) "expected …" for
/// other texts, missing variables, and array ids without a regular step.
Shard parse_shard(const std::string& text);

/// Returns the frames of one share. Shares are disjoint, and their sizes differ by at most one. If
/// `contiguous` (for a scene that must be stepped through) a share is one run of frames, else every
/// count-th frame, which spreads expensive parts of a film.
FrameList shard_frames(const FrameList& frames, const Shard& shard, bool contiguous);

}  // namespace roundel
