#pragma once
#include <cstdint>
#include <optional>

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

}  // namespace roundel
