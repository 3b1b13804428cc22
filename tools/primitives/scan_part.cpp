#include "tools/primitives/scan_part.h"

#define HWY_TARGET_INCLUDE "tools/primitives/scan_part.cpp"
#include <hwy/cache_control.h>
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::primitives::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr hn::Full128<std::uint32_t> kFour;
  const bool can_stream = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  auto carry = hn::Set(kFour, sum);
  for (; i + 4 <= n; i += 4) {
    const auto values = hn::LoadU(kFour, in + i);
    const auto pairs = hn::Add(values, hn::ShiftLeftLanes<1>(kFour, values));
    const auto sums = hn::Add(pairs, hn::ShiftLeftLanes<2>(kFour, pairs));
    const auto before = hn::Add(hn::Sub(sums, values), carry);
    if (can_stream) {
      hn::Stream(before, kFour, out + i);
    } else {
      hn::StoreU(before, kFour, out + i);
    }
    carry = hn::Add(carry, hn::Broadcast<3>(sums));
  }
  sum = hn::GetLane(carry);
#endif
  for (; i < n; ++i) {
    const std::uint32_t value = in[i];  // `out` may be the same memory
    out[i] = sum;
    sum += value;
  }
  hwy::FlushStream();  // before another thread is told
}

}  // namespace roundel::primitives::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::primitives {

HWY_EXPORT(scan_part);

void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(scan_part)(sum, in, n, out);
}

}  // namespace roundel::primitives
#endif  // HWY_ONCE
