#include "tools/lab/primitives/scan.h"

#define HWY_TARGET_INCLUDE "tools/lab/primitives/scan_part.cpp"
#include <hwy/cache_control.h>
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::primitives::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Lanes in groups of `half`, in pairs: a second group's lanes get the first one's last lane,
/// others zero.
template <typename Tag, typename Vector>
HWY_INLINE Vector last_of_first_half(Tag tag, std::uint32_t half, Vector values) {
  const auto lanes = hn::Iota(tag, 0);
  const auto is_second = hn::Ne(hn::And(lanes, hn::Set(tag, half)), hn::Zero(tag));
  const auto first_lane = hn::AndNot(hn::Set(tag, half - 1), lanes);
  const auto from = hn::IfThenElseZero(is_second, hn::Sub(first_lane, hn::Set(tag, 1)));
  return hn::IfThenElseZero(is_second, hn::TableLookupLanes(values, hn::IndicesFromVec(tag, from)));
}
#endif

void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out,
               [[maybe_unused]] std::span<const std::uint32_t> ahead) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kLine = 16;  // elements
  constexpr hn::CappedTag<std::uint32_t, kLine> kTag;
  const std::size_t lanes = hn::Lanes(kTag);
  const bool can_stream = reinterpret_cast<std::uintptr_t>(out) % (4 * lanes) == 0;
  const auto last = hn::IndicesFromVec(kTag, hn::Set(kTag, static_cast<std::uint32_t>(lanes - 1)));
  auto carry = hn::Set(kTag, sum);
  for (; i + lanes <= n; i += lanes) {
    // Into L2: L1 could not hold it until it is read.
    if (i % kLine == 0 && i < ahead.size()) __builtin_prefetch(ahead.data() + i, 0, 2);
    const auto values = hn::LoadU(kTag, in + i);
    const auto pairs = hn::Add(values, hn::ShiftLeftLanes<1>(kTag, values));
    auto sums = hn::Add(pairs, hn::ShiftLeftLanes<2>(kTag, pairs));  // in each group of four lanes
    if (lanes > 4) sums = hn::Add(sums, last_of_first_half(kTag, 4, sums));
    if (lanes > 8) sums = hn::Add(sums, last_of_first_half(kTag, 8, sums));
    const auto before = hn::Add(hn::Sub(sums, values), carry);
    if (can_stream) {
      hn::Stream(before, kTag, out + i);
    } else {
      hn::StoreU(before, kTag, out + i);
    }
    carry = hn::Add(carry, hn::TableLookupLanes(sums, last));
  }
  sum = hn::GetLane(carry);
#endif
  for (; i < n; ++i) {
    const std::uint32_t value = in[i];  // `out` may be the same memory
    out[i] = sum;
    sum += value;
  }
  hwy::FlushStream();  // before another thread is notified
}

}  // namespace roundel::primitives::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::primitives {

HWY_EXPORT(scan_part);

void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out,
               std::span<const std::uint32_t> ahead) {
  HWY_DYNAMIC_DISPATCH(scan_part)(sum, in, n, out, ahead);
}

}  // namespace roundel::primitives
#endif  // HWY_ONCE
