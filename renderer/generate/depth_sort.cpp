#include "renderer/generate/depth_sort.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace roundel {
namespace {

constexpr std::uint32_t kDigits = 1024;
constexpr std::size_t kSmall = 8192;  ///< below this std::sort is as fast
using Counts = std::array<std::uint32_t, kDigits>;

/// The bits of non-negative floats are in the order of their values; below 2.0 they are 30 bits,
/// three digits of ten. The largest digit becomes 0, so that an ascending sort by digits sorts
/// descending.
std::uint32_t digit_of(float value, int shift) {
  return kDigits - 1 - (std::bit_cast<std::uint32_t>(value) >> shift & (kDigits - 1));
}

/// One stable counting sort by one digit, `from` to `to`: every thread counts and then moves one
/// stretch, to positions that an exclusive scan over (digit, stretch) gives.
void sort_by_digit(const Buffer<float>& from, Buffer<float>& to, int shift,
                   std::vector<Counts>& counts) {
  const std::size_t stretches = counts.size();
  const auto begin_of = [&](std::size_t stretch) { return from.size() * stretch / stretches; };
  tbb::parallel_for(std::size_t{0}, stretches, [&](std::size_t stretch) {
    Counts& count = counts[stretch];
    count.fill(0);
    for (std::size_t i = begin_of(stretch); i < begin_of(stretch + 1); ++i)
      ++count[digit_of(from[i], shift)];
  });
  std::uint32_t position = 0;
  for (std::uint32_t digit = 0; digit < kDigits; ++digit)
    for (Counts& count : counts) {
      const std::uint32_t size = count[digit];
      count[digit] = position;
      position += size;
    }
  tbb::parallel_for(std::size_t{0}, stretches, [&](std::size_t stretch) {
    Counts& next = counts[stretch];
    for (std::size_t i = begin_of(stretch); i < begin_of(stretch + 1); ++i)
      to[next[digit_of(from[i], shift)]++] = from[i];
  });
}

}  // namespace

void sort_descending(Buffer<float>& values) {
  if (values.size() < kSmall) {
    std::sort(values.begin(), values.end(), std::greater<>());
    return;
  }
  Buffer<float> other(values.size());
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  std::vector<Counts> counts(std::clamp<std::size_t>(threads, 1, values.size() / kSmall));
  for (const int shift : {0, 10, 20}) {
    sort_by_digit(values, other, shift, counts);
    std::swap(values, other);
  }
}

}  // namespace roundel
