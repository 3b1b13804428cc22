#include "renderer/compare/byte_rows.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#define HWY_TARGET_INCLUDE "renderer/compare/byte_rows.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kChannels>
void compare_pixels(const std::uint8_t* a, const std::uint8_t* b, std::size_t first,
                    std::size_t pixels, std::uint8_t limit, ByteDifferences& differences,
                    std::uint64_t* over) {
  for (std::size_t p = first; p < pixels; ++p) {
    int farthest = 0;
    for (int c = 0; c < kChannels; ++c) {
      const std::size_t i = p * kChannels + static_cast<std::size_t>(c);
      const int delta = std::abs(a[i] - b[i]);
      const auto distance = static_cast<std::uint64_t>(delta);
      differences.largest[c] = std::max(differences.largest[c], distance);
      differences.sum[c] += distance;
      differences.squares[c] += distance * distance;
      farthest = std::max(farthest, delta);
    }
    if (farthest > 0) ++differences.pixels;
    if (farthest > limit) over[p / 64] |= std::uint64_t{1} << (p % 64);
  }
}

#if HWY_TARGET != HWY_SCALAR
const hn::ScalableTag<std::uint8_t> kBytes;
const hn::Repartition<std::int16_t, decltype(kBytes)> kWords16;
const hn::Repartition<std::int32_t, decltype(kBytes)> kWords32;
const hn::Repartition<std::uint64_t, decltype(kBytes)> kWords64;
using Bytes = hn::Vec<decltype(kBytes)>;

/// Sums of one channel, lane by lane.
struct ChannelSums {
  Bytes largest;
  hn::Vec<decltype(kWords64)> sum;
  // A row of 65536 pixels adds at most 2³¹ − 1 to a lane, with vectors of 16 bytes or more.
  hn::Vec<decltype(kWords32)> squares, more_squares;

  HWY_INLINE void clear() {
    largest = hn::Zero(kBytes);
    sum = hn::Zero(kWords64);
    squares = more_squares = hn::Zero(kWords32);
  }
  HWY_INLINE void add(Bytes delta) {
    largest = hn::Max(largest, delta);
    sum = hn::Add(sum, hn::SumsOf8(delta));
    const hn::Half<decltype(kBytes)> half;
    for (const auto words : {hn::PromoteTo(kWords16, hn::LowerHalf(half, delta)),
                             hn::PromoteTo(kWords16, hn::UpperHalf(half, delta))})
      squares = hn::ReorderWidenMulAccumulate(kWords32, words, words, squares, more_squares);
  }
  void store(ByteDifferences& differences, int channel) const {
    HWY_ALIGN std::uint8_t bytes[hn::MaxLanes(kBytes)];
    hn::Store(largest, kBytes, bytes);
    const std::uint64_t farthest = *std::max_element(bytes, bytes + hn::Lanes(kBytes));
    differences.largest[channel] = std::max(differences.largest[channel], farthest);
    differences.sum[channel] += hn::GetLane(hn::SumOfLanes(kWords64, sum));
    HWY_ALIGN std::int32_t lanes[2 * hn::MaxLanes(kWords32)];
    hn::Store(squares, kWords32, lanes);
    hn::Store(more_squares, kWords32, lanes + hn::Lanes(kWords32));
    for (std::size_t i = 0; i < 2 * hn::Lanes(kWords32); ++i)
      differences.squares[channel] += static_cast<std::uint32_t>(lanes[i]);
  }
};

HWY_INLINE void load_channels(const std::uint8_t* from, Bytes (&channels)[1]) {
  channels[0] = hn::LoadU(kBytes, from);
}
HWY_INLINE void load_channels(const std::uint8_t* from, Bytes (&channels)[2]) {
  hn::LoadInterleaved2(kBytes, from, channels[0], channels[1]);
}
HWY_INLINE void load_channels(const std::uint8_t* from, Bytes (&channels)[3]) {
  hn::LoadInterleaved3(kBytes, from, channels[0], channels[1], channels[2]);
}
HWY_INLINE void load_channels(const std::uint8_t* from, Bytes (&channels)[4]) {
  hn::LoadInterleaved4(kBytes, from, channels[0], channels[1], channels[2], channels[3]);
}

/// Returns the number of compared pixels.
template <int kChannels>
std::size_t compare_vectors(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels,
                            std::uint8_t limit, ByteDifferences& differences, std::uint64_t* over) {
  const std::size_t lanes = hn::Lanes(kBytes);
  const Bytes limits = hn::Set(kBytes, limit);
  ChannelSums sums[kChannels];
  for (ChannelSums& sum : sums) sum.clear();
  std::size_t p = 0;
  for (; p + lanes <= pixels; p += lanes, a += lanes * kChannels, b += lanes * kChannels) {
    Bytes channels_a[kChannels], channels_b[kChannels];
    load_channels(a, channels_a);
    load_channels(b, channels_b);
    Bytes farthest = hn::Zero(kBytes);
    for (int c = 0; c < kChannels; ++c) {
      const Bytes delta =
          hn::Sub(hn::Max(channels_a[c], channels_b[c]), hn::Min(channels_a[c], channels_b[c]));
      farthest = hn::Max(farthest, delta);
      sums[c].add(delta);
    }
    differences.pixels += lanes - hn::CountTrue(kBytes, hn::Eq(farthest, hn::Zero(kBytes)));
    const auto is_within = hn::Eq(hn::Max(farthest, limits), limits);
    std::uint8_t bits[8];
    hn::StoreMaskBits(kBytes, hn::Not(is_within), bits);
    std::memcpy(reinterpret_cast<std::uint8_t*>(over) + p / 8, bits, lanes / 8);
  }
  for (int c = 0; c < kChannels; ++c) sums[c].store(differences, c);
  return p;
}
#endif

template <int kChannels>
void compare_row_of(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels,
                    std::uint8_t limit, ByteDifferences& differences, std::uint64_t* over) {
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  done = compare_vectors<kChannels>(a, b, pixels, limit, differences, over);
#endif
  compare_pixels<kChannels>(a, b, done, pixels, limit, differences, over);
}

void compare_row(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels, int channels,
                 std::uint8_t limit, ByteDifferences& differences, std::uint64_t* over) {
  if (channels == 1) return compare_row_of<1>(a, b, pixels, limit, differences, over);
  if (channels == 2) return compare_row_of<2>(a, b, pixels, limit, differences, over);
  if (channels == 3) return compare_row_of<3>(a, b, pixels, limit, differences, over);
  compare_row_of<4>(a, b, pixels, limit, differences, over);
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
HWY_EXPORT(compare_row);

void compare_byte_row(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels,
                      int channels, std::uint8_t limit, ByteDifferences& differences,
                      std::uint64_t* over) {
  HWY_DYNAMIC_DISPATCH(compare_row)(a, b, pixels, channels, limit, differences, over);
}

}  // namespace roundel
#endif  // HWY_ONCE
