#include "tools/roundel/export/frame_dealer.h"

#include <algorithm>

namespace roundel {

FrameList FrameDealer::deal() {
  constexpr std::size_t kMost = 16;
  if (stopped_) return {};
  FrameList dealt;
  if (!returned_.empty()) {
    dealt.push_back(returned_.front());
    returned_.pop_front();
    return dealt;
  }
  const std::size_t left = frames_.size() - next_;
  const std::size_t share = left / (4 * static_cast<std::size_t>(ranks_));
  const std::size_t number = std::min(left, std::clamp<std::size_t>(share, 1, kMost));
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(next_);
  dealt.assign(begin, begin + static_cast<std::ptrdiff_t>(number));
  next_ += number;
  return dealt;
}

void FrameDealer::take_back(const FrameList& frames) {
  returned_.insert(returned_.end(), frames.begin(), frames.end());
}

}  // namespace roundel
