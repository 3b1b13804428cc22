#include "renderer/map/moving_rows.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace roundel {
namespace {

/// Calls work(a, b), functions from a row to its number at a key and at the next.
template <typename Work>
void with_numbers(const KeyNumbers& a, const KeyNumbers& b, const Work& work) {
  const auto choose = [](const KeyNumbers& key, const auto& next) {
    if (key.rows == nullptr)
      next([value = key.constant](std::size_t) { return value; });
    else if (key.one == 1)
      next([rows = key.rows](std::size_t i) { return rows[i]; });
    else
      next([rows = key.rows, one = key.one](std::size_t i) { return rows[i] / one; });
  };
  choose(a, [&](const auto& number_a) {
    choose(b, [&](const auto& number_b) { work(number_a, number_b); });
  });
}

template <KeyPath kPath>
inline double between(double a, double b, double progress) {
  return limited(number_between(kPath, a, b, progress), a, b);
}

/// All rows are at the same place.
void move_together(const KeyTimes& times, std::span<const KeyNumbers> keys,
                   const KeyTimes::Place& place, std::span<double> out) {
  const auto& [from, progress] = place;
  const KeyNumbers &a = keys[from], &b = keys[std::min(from + 1, keys.size() - 1)];
  with_numbers(a, b, [&, progress = progress](const auto& number_a, const auto& number_b) {
    if (progress == 0)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = number_a(i);
    else if (times.path == KeyPath::kLinear)
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = between<KeyPath::kLinear>(number_a(i), number_b(i), progress);
    else if (times.path == KeyPath::kExponential)
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = between<KeyPath::kExponential>(number_a(i), number_b(i), progress);
    else
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = number_at(times.path, keys.data(), keys.size(), place, i);
  });
}

/// Eases all times: one loop each, which compilers vectorize.
void ease_all(Ease ease, std::span<double> times) {
  const auto apply = [&](auto constant_ease) {
    for (double& time : times) time = eased(constant_ease, time);
  };
  if (ease == Ease::kLinear) return;
  if (ease == Ease::kIn) return apply(std::integral_constant<Ease, Ease::kIn>());
  if (ease == Ease::kOut) return apply(std::integral_constant<Ease, Ease::kOut>());
  if (ease == Ease::kInOut) return apply(std::integral_constant<Ease, Ease::kInOut>());
  apply(std::integral_constant<Ease, Ease::kHold>());
}

/// Linear paths of few keys without repeat: a pass over the rows for each pair of keys, without
/// branches. The bits are those of KeyTimes::place_at().
void move_in_passes(const KeyTimes& times, std::span<const KeyNumbers> keys,
                    std::span<const double> starts, double frame, std::span<double> out) {
  constexpr std::size_t kAtOnce = 256;
  std::array<double, kAtOnce> buffer;  // NOLINT: set before it is read
  for (std::size_t begin = 0; begin < out.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, out.size() - begin);
    const double* const start = starts.data() + begin;
    double* const value = out.data() + begin;
    double* const progress = buffer.data();
    for (std::size_t i = 0; i < count; ++i) value[i] = keys[0].at(begin + i);
    for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
      const double first = times.frames[k], next = times.frames[k + 1], length = next - first;
      for (std::size_t i = 0; i < count; ++i) progress[i] = (frame - start[i] - first) / length;
      ease_all(times.eases[k + 1], {progress, count});
      with_numbers(keys[k], keys[k + 1], [&](const auto& number_a, const auto& number_b) {
        for (std::size_t i = 0; i < count; ++i) {
          const double at = frame - start[i], a = number_a(begin + i), b = number_b(begin + i);
          const double mixed = between<KeyPath::kLinear>(a, b, progress[i]);
          const double before_next = progress[i] == 0 ? a : mixed;
          const double from_first = at >= next ? b : before_next;
          value[i] = at >= first ? from_first : value[i];
        }
      });
    }
  }
}

}  // namespace

void move_numbers(const KeyTimes& times, std::span<const KeyNumbers> keys,
                  std::span<const double> starts, double frame, std::span<double> out) {
  constexpr std::size_t kMaxPasses = 8;
  if (starts.empty()) return move_together(times, keys, times.place_at(frame), out);
  if (times.path == KeyPath::kLinear && times.repeat == KeyRepeat::kNone &&
      keys.size() <= kMaxPasses)
    return move_in_passes(times, keys, starts, frame, out);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = number_at(times.path, keys.data(), keys.size(), times.place_at(frame - starts[i]), i);
}

std::vector<double> RowMotion::times_at(double at_frame) const {
  std::vector<double> times;
  for (const MovingNumber& number : numbers) {
    const double first = number.times.frames.front(), last = number.times.frames.back();
    if (starts[0] == starts[1])
      times.push_back(std::clamp(number.times.within_keys(at_frame - starts[0]), first, last));
    else if (number.times.repeat == KeyRepeat::kNone)
      times.push_back(std::clamp(at_frame, first + starts[0], last + starts[1]));
    else
      times.push_back(at_frame);
  }
  return times;
}

bool RowMotion::is_constant_in(const FrameList& frames) const {
  const std::vector<double> times = times_at(static_cast<double>(frames.front()));
  return std::all_of(frames.begin(), frames.end(), [&](std::int64_t at_frame) {
    return times_at(static_cast<double>(at_frame)) == times;
  });
}

}  // namespace roundel
