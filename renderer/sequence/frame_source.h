#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "renderer/sequence/frame_list.h"

namespace roundel {

/// Hands out the frames to make, in rising order. Used by one thread.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  FrameSource(const FrameSource&) = delete;
  FrameSource& operator=(const FrameSource&) = delete;

  /// Nothing once all are handed out.
  virtual std::optional<std::int64_t> next() = 0;

 protected:
  FrameSource() = default;
};

/// The frames of a list.
class ListSource final : public FrameSource {
 public:
  explicit ListSource(FrameList frames) : frames_(std::move(frames)) {}
  std::optional<std::int64_t> next() override {
    if (next_ == frames_.size()) return std::nullopt;
    return frames_[next_++];
  }

 private:
  FrameList frames_;
  std::size_t next_ = 0;
};

}  // namespace roundel
