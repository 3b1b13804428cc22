#include "renderer/map/key_times.h"

#include <algorithm>

namespace roundel {
double KeyTimes::within_keys(double frame) const {
  if (repeat == KeyRepeat::kNone) return frame;
  const double length = frames.back() - frames.front();
  const double period = repeat == KeyRepeat::kLoop ? length : 2 * length;
  double since = std::fmod(frame - frames.front(), period);
  if (since < 0) since += period;
  return frames.front() + (since > length ? period - since : since);
}

KeyTimes::Place KeyTimes::place_at(double frame) const {
  frame = within_keys(frame);
  const auto next = std::upper_bound(frames.begin(), frames.end(), frame);
  if (next == frames.begin()) return {0, 0};
  const auto from = static_cast<std::size_t>(next - frames.begin() - 1);
  if (next == frames.end() || frames[from] == frame) return {from, 0};
  return {from, eased(eases[from + 1], (frame - frames[from]) / (*next - frames[from]))};
}

}  // namespace roundel
