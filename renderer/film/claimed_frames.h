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

/// Frames of a film that other processes, on any machine, may be making in the same folder. Each
/// frame is claimed before it is handed out. Frames claimed by others come last: by then they
/// exist, or their makers ended without making them.
class ClaimedFrames final : public FrameSource {
 public:
  /// `is_made` checks a frame's file after the claim, since another process may have made it in the
  /// meantime. It may throw.
  ClaimedFrames(FrameSource& frames, FileSink& sink, std::function<bool(std::int64_t)> is_made);

  std::optional<NextFrame> next() override;
  void close() override;
  void release(std::int64_t frame, bool has_failed) override;

  /// Returns the frames of other processes, if only these are left.
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
