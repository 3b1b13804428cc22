#include "renderer/film/claimed_frames.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace roundel {

ClaimedFrames::ClaimedFrames(FrameSource& frames, FileSink& sink,
                             std::function<bool(std::int64_t)> is_made)
    : frames_(frames), sink_(sink), is_made_(std::move(is_made)) {}

std::optional<NextFrame> ClaimedFrames::next() {
  while (const auto listed = frames_.next())
    if (const auto frame = take(listed->number)) return frame;
  constexpr std::chrono::milliseconds kPollInterval{20};
  for (is_waiting_ = true;; std::this_thread::sleep_for(kPollInterval)) {
    for (std::size_t left = skipped_.size(); left > 0; --left) {
      const std::int64_t number = skipped_.front();
      {
        const std::lock_guard lock(mutex_);
        skipped_.pop_front();
      }
      if (const auto frame = take(number)) return frame;
    }
    if (skipped_.empty() || is_closed_) return std::nullopt;
  }
}

void ClaimedFrames::close() {
  is_closed_ = true;
  frames_.close();
}

void ClaimedFrames::release(std::int64_t frame, bool has_failed) {
  sink_.drop_claim(frame);
  frames_.release(frame, has_failed);
}

/// Returns nothing if another process is making the frame.
std::optional<NextFrame> ClaimedFrames::take(std::int64_t frame) {
  if (sink_.claim(frame)) {
    const bool is_made = is_made_(frame);
    if (is_made) sink_.drop_claim(frame);
    return NextFrame{frame, is_made};
  }
  const std::lock_guard lock(mutex_);
  skipped_.push_back(frame);
  return std::nullopt;
}

FrameList ClaimedFrames::waiting_for() const {
  const std::lock_guard lock(mutex_);
  FrameList frames;
  if (is_waiting_) frames.assign(skipped_.begin(), skipped_.end());
  std::sort(frames.begin(), frames.end());
  return frames;
}

}  // namespace roundel
