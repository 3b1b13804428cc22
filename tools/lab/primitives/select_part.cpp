
#include <algorithm>

#include "tools/lab/primitives/select.h"

#define HWY_TARGET_INCLUDE "tools/lab/primitives/select_part.cpp"
#include <hwy/cache_control.h>
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::primitives::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Gathers whole vectors while there are any; advances `i` and `kept`.
template <Kept kWhat, typename Tag>
HWY_INLINE void gather_vectors(Tag tag, const std::int32_t* in, std::size_t& i, std::size_t end,
                               std::uint32_t*& kept) {
  constexpr std::size_t kAhead = 1024;  // elements: a page, where the hardware prefetcher stops
  const hn::RebindToUnsigned<Tag> out_tag;
  const auto lanes = hn::Iota(out_tag, 0);
  for (; i + hn::Lanes(tag) <= end; i += hn::Lanes(tag)) {
    hwy::Prefetch(in + std::min(i + kAhead, end));
    const auto values = hn::LoadU(tag, in + i);
    auto out = hn::BitCast(out_tag, values);
    auto is_kept = hn::Ne(values, hn::Zero(tag));
    if constexpr (kWhat == Kept::kBelowLimit) {
      is_kept = hn::Lt(values, hn::Set(tag, kSelectionLimit));
    } else if constexpr (kWhat == Kept::kRepeated) {
      is_kept = hn::Eq(values, hn::LoadU(tag, in + i + 1));
      out = hn::Add(hn::Set(out_tag, static_cast<std::uint32_t>(i)), lanes);
    }
    // Not CompressStore: some processors write parts of vectors slowly.
    hn::StoreU(hn::Compress(out, hn::RebindMask(out_tag, is_kept)), out_tag, kept);
    kept += hn::CountTrue(tag, is_kept);
  }
}

template <Kept kWhat>
std::size_t gather(const std::int32_t* in, std::size_t i, std::size_t end, std::uint32_t* kept) {
  const std::uint32_t* const first = kept;
  gather_vectors<kWhat>(hn::CappedTag<std::int32_t, 16>(), in, i, end, kept);
  gather_vectors<kWhat>(hn::CappedTag<std::int32_t, 1>(), in, i, end, kept);
  return static_cast<std::size_t>(kept - first);
}

std::size_t gather_part(Kept what, const std::int32_t* in, std::size_t begin, std::size_t end,
                        std::uint32_t* kept) {
  if (what == Kept::kNotZero) return gather<Kept::kNotZero>(in, begin, end, kept);
  if (what == Kept::kBelowLimit) return gather<Kept::kBelowLimit>(in, begin, end, kept);
  return gather<Kept::kRepeated>(in, begin, end, kept);
}

void stream_part(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
  constexpr std::size_t kLine = 16;  // elements
  constexpr hn::CappedTag<std::uint32_t, kLine> kTag;
  std::size_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(to + i) % 64 != 0; ++i) to[i] = from[i];
  for (; i + kLine <= n; i += kLine)
    for (std::size_t j = i; j < i + kLine; j += hn::Lanes(kTag))
      hn::Stream(hn::LoadU(kTag, from + j), kTag, to + j);
  for (; i < n; ++i) to[i] = from[i];
  hwy::FlushStream();  // before another thread is notified
}

}  // namespace roundel::primitives::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::primitives {

HWY_EXPORT(gather_part);
HWY_EXPORT(stream_part);

std::size_t gather_part(Kept what, const std::int32_t* in, std::size_t begin, std::size_t end,
                        std::uint32_t* kept) {
  return HWY_DYNAMIC_DISPATCH(gather_part)(what, in, begin, end, kept);
}

void stream_part(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(stream_part)(from, n, to);
}

}  // namespace roundel::primitives
#endif  // HWY_ONCE
