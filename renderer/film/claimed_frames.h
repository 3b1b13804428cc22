#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "renderer/film/frame_list.h"
#include "renderer/film/frame_sink.h"

namespace roundel {

/// Frames of a film that other processes may be making into the same folder, on any machine. Each
/// frame is claimed before it is handed out. Frames that others have claimed come at the end: by
/// then they exist, or their makers have ended without them.
class ClaimedFrames final : public FrameSource {
 public:
  /// `is_made` looks at a frame's file once the frame is claimed: another process may have made it
  /// since the list of frames was; it may throw.
  ClaimedFrames(FrameSource& frames, FileSink& sink, std::function<bool(std::int64_t)> is_made);

  std::optional<NextFrame> next() override;
  void close() override;
  void give_back(std::int64_t frame, bool has_failed) override;

  /// Frames that others have, if only these are left.
  FrameList waiting_for() const;

 private:
  std::optional<NextFrame> take(std::int64_t frame);

  FrameSource& frames_;
  FileSink& sink_;
  std::function<bool(std::int64_t)> is_made_;

  std::atomic<bool> is_closed_{false}, is_waiting_{false};
  mutable std::mutex mutex_;  ///< guards all below
  std::deque<std::int64_t> skipped_;
};

}  // namespace roundel
