#include "renderer/circles/depth_sort.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace roundel {
namespace {

// 31-bit unsigned keys ascend as the numbers descend.
constexpr int kKeyBits = 31;
constexpr std::uint32_t kLastKey = (std::uint32_t{1} << kKeyBits) - 1;

constexpr std::size_t kBucketSize = 1024;  ///< maximum average of draws
constexpr int kMaxBucketBits = 11;         ///< a core's L2 has a line for each
constexpr std::size_t kSlab = 16384;       ///< worth a task and a skip of the stream

template <std::size_t kDigits>
void counts_to_offsets(std::array<std::uint32_t, kDigits>& counts) {
  std::uint32_t offset = 0;
  for (std::uint32_t& count : counts) offset += std::exchange(count, offset);
}

/// Stable counting sorts, digit by digit. `other`: a buffer of equal size. Returns the array with
/// the result.
std::uint32_t* sort_keys(std::uint32_t* keys, std::uint32_t* other, std::size_t count) {
  constexpr int kDigitBits = 11;
  constexpr std::uint32_t kMask = (std::uint32_t{1} << kDigitBits) - 1;
  std::array<std::uint32_t, std::size_t{1} << kDigitBits> next;  // NOLINT: set for each pass
  for (int shift = 0; shift < kKeyBits; shift += kDigitBits) {
    next.fill(0);
    for (std::size_t i = 0; i < count; ++i) ++next[keys[i] >> shift & kMask];
    counts_to_offsets(next);
    for (std::size_t i = 0; i < count; ++i) other[next[keys[i] >> shift & kMask]++] = keys[i];
    std::swap(keys, other);
  }
  return keys;
}

}  // namespace

void sort_descending(Buffer<float>& values) {
  // Non-negative floats have bits in the order of their values, 30 bits below 2.0.
  std::vector<std::uint32_t> keys(values.size()), other(values.size());
  std::transform(values.begin(), values.end(), keys.begin(),
                 [](float value) { return kLastKey - std::bit_cast<std::uint32_t>(value); });
  const std::uint32_t* const sorted = sort_keys(keys.data(), other.data(), values.size());
  std::transform(sorted, sorted + values.size(), values.begin(),
                 [](std::uint32_t key) { return std::bit_cast<float>(kLastKey - key); });
}

SortedDraws::SortedDraws(const GlibcRandom& stream, std::size_t count)
    : shift_(kKeyBits -
             std::min(static_cast<int>(std::bit_width(count / kBucketSize)), kMaxBucketBits)),
      keys_(count) {
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t slabs = std::clamp<std::size_t>(count / kSlab, 1, 4 * threads);
  const std::size_t buckets = std::size_t{1} << (kKeyBits - shift_);
  // Draws twice, which is faster than keeping the draws: to count each slab's draws by bucket, and
  // to place them by the scan of the counts.
  std::vector<std::uint32_t> positions(slabs * buckets);
  const int shift = shift_;  // a local copy stays in a register
  const auto for_each_key = [&](const auto& use) {
    tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t slab) {
      const std::size_t begin = count * slab / slabs, end = count * (slab + 1) / slabs;
      std::uint32_t* const of_slab = positions.data() + slab * buckets;
      GlibcRandom outputs = stream;
      outputs.skip(begin);
      outputs.take(end - begin,
                   [of_slab, shift, &use](const std::uint32_t* words, std::size_t size) {
                     for (std::size_t i = 0; i < size; ++i) {
                       const std::uint32_t key = ~words[i] >> 1;
                       use(of_slab[key >> shift], key);
                     }
                   });
    });
  };
  for_each_key([](std::uint32_t& counted, std::uint32_t /*key*/) { ++counted; });
  begins_.reserve(buckets + 1);
  std::uint32_t position = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    begins_.push_back(position);
    for (std::size_t slab = 0; slab < slabs; ++slab)
      position += std::exchange(positions[slab * buckets + bucket], position);
  }
  begins_.push_back(position);
  for_each_key(
      [keys = keys_.data()](std::uint32_t& next, std::uint32_t key) { keys[next++] = key; });
}

void SortedDraws::sort_bucket(std::size_t bucket, std::vector<float>& draws) {
  const std::size_t count = begin(bucket + 1) - begin(bucket);
  const std::uint32_t* const keys = keys_.data() + begin(bucket);
  // A counting sort by the highest bits that differ; the few draws that agree in them are inserted
  // in order.
  constexpr int kDigitBits = 11;
  static_assert(kDigitBits <= kKeyBits - kMaxBucketBits);
  const int shift = shift_ - kDigitBits;
  std::array<std::uint32_t, std::size_t{1} << kDigitBits> next{};
  const std::uint32_t mask = next.size() - 1;
  for (std::size_t i = 0; i < count; ++i) ++next[keys[i] >> shift & mask];
  counts_to_offsets(next);
  thread_local std::vector<std::uint32_t> sorted;
  sorted.resize(std::max(sorted.size(), count));
  for (std::size_t i = 0; i < count; ++i) sorted[next[keys[i] >> shift & mask]++] = keys[i];
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint32_t key = sorted[i];
    if (sorted[i - 1] <= key) continue;
    std::size_t place = i;
    for (; place > 0 && sorted[place - 1] > key; --place) sorted[place] = sorted[place - 1];
    sorted[place] = key;
  }
  draws.resize(count);
  std::transform(sorted.data(), sorted.data() + count, draws.begin(),
                 [](std::uint32_t key) { return GlibcRandom::to_unit(kLastKey - key); });
}

}  // namespace roundel
