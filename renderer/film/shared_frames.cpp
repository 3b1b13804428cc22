#include "renderer/film/shared_frames.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace roundel {

SharedFrames::SharedFrames(FrameSource& frames, FileSink& sink,
                           std::function<bool(std::int64_t)> is_made,
                           std::function<bool()> has_stopped)
    : frames_(frames),
      sink_(sink),
      is_made_(std::move(is_made)),
      has_stopped_(std::move(has_stopped)) {}

std::optional<std::int64_t> SharedFrames::next() {
  while (const auto frame = frames_.next())
    if (take(*frame)) return frame;
  constexpr std::chrono::milliseconds kLookInterval{20};
  for (is_waiting_ = true;; std::this_thread::sleep_for(kLookInterval)) {
    for (std::size_t left = skipped_.size(); left > 0; --left) {
      const std::int64_t frame = skipped_.front();
      {
        const std::lock_guard lock(mutex_);
        skipped_.pop_front();
      }
      if (take(frame)) return frame;
    }
    if (skipped_.empty() || has_stopped_()) return std::nullopt;
  }
}

/// False where the frame is not this process's to make: another one has it, or has made it.
bool SharedFrames::take(std::int64_t frame) {
  const bool is_claimed = sink_.claim(frame);
  const bool is_made = is_claimed && is_made_(frame);
  if (is_made) sink_.drop_claim(frame);
  const std::lock_guard lock(mutex_);
  if (!is_claimed) skipped_.push_back(frame);
  if (is_made) kept_.push_back(frame);
  return is_claimed && !is_made;
}

std::size_t SharedFrames::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

FrameList SharedFrames::take_kept() {
  const std::lock_guard lock(mutex_);
  FrameList kept = std::exchange(kept_, {});
  std::sort(kept.begin(), kept.end());
  return kept;
}

FrameList SharedFrames::waiting_for() const {
  const std::lock_guard lock(mutex_);
  FrameList frames;
  if (is_waiting_) frames.assign(skipped_.begin(), skipped_.end());
  std::sort(frames.begin(), frames.end());
  return frames;
}

}  // namespace roundel
