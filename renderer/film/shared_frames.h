#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "renderer/film/frame_list.h"
#include "renderer/film/frame_sink.h"

namespace roundel {

/// Frames of a film that other processes may be making into the same folder, on whatever machines:
/// each is claimed before it is handed out. The ones that others have are come back to at the end:
/// by then they are there, or their makers have ended without them.
class SharedFrames final : public FrameSource {
 public:
  /// `is_made` looks at a frame's file once the frame is claimed: another process may have made it
  /// since the list of frames was; it may throw. `has_stopped` ends waiting for others.
  SharedFrames(FrameSource& frames, FileSink& sink, std::function<bool(std::int64_t)> is_made,
               std::function<bool()> has_stopped);

  std::optional<std::int64_t> next() override;

  /// How many others have made, and which, rising, since the last call.
  std::size_t kept() const;
  FrameList take_kept();
  /// Those that others have, while all that is left is to wait for them.
  FrameList waiting_for() const;

 private:
  bool take(std::int64_t frame);

  FrameSource& frames_;
  FileSink& sink_;
  std::function<bool(std::int64_t)> is_made_;
  std::function<bool()> has_stopped_;

  std::atomic<bool> is_waiting_{false};
  mutable std::mutex mutex_;  ///< guards what next() changes for those who ask
  std::deque<std::int64_t> skipped_;
  FrameList kept_;
};

}  // namespace roundel
