#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "renderer/sequence/frame_list.h"

namespace roundel {

/// Deals a list of frames out to several ranks.
class FrameDealer {
 public:
  FrameDealer(FrameList frames, int ranks) : frames_(std::move(frames)), ranks_(ranks) {}

  /// The next few frames, in rising order: more of a long list, so that asking takes no time, one
  /// by one at the end, so that all ranks end together. Empty: there is none.
  FrameList deal();
  /// Frames that a rank could not make; they are dealt first.
  void take_back(const FrameList& frames);
  bool is_empty() const { return stopped_ || (next_ == frames_.size() && returned_.empty()); }
  /// Deals no more.
  void stop() { stopped_ = true; }

 private:
  FrameList frames_;
  std::size_t next_ = 0;
  std::deque<std::int64_t> returned_;
  int ranks_;
  bool stopped_ = false;
};

}  // namespace roundel
