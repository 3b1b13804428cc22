// The vectors of the Highway target being compiled, as lanes of pixel_math.h, which it includes.
// Included inside HWY_NAMESPACE for each target.

#undef ROUNDEL_TARGET_HAS_FMA
// x86 targets below AVX2 lack it: SSE4 and, in newer Highway, SSE2.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2)
#define ROUNDEL_TARGET_HAS_FMA 0
#else
#define ROUNDEL_TARGET_HAS_FMA 1
#endif

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of the target's lanes, at most kMaxLanes.
template <std::size_t kMaxLanes>
struct CappedLanes {
  using Tag = hn::CappedTag<float, kMaxLanes>;
  using Float = hn::Vec<Tag>;
  using Mask = hn::Mask<Tag>;

  static HWY_INLINE Float set(float value) { return hn::Set(Tag(), value); }
  static HWY_INLINE Float add(Float a, Float b) { return hn::Add(a, b); }
  static HWY_INLINE Float sub(Float a, Float b) { return hn::Sub(a, b); }
  static HWY_INLINE Float mul(Float a, Float b) { return hn::Mul(a, b); }
  static HWY_INLINE Float inverse(Float a) { return hn::Div(set(1), a); }
  static HWY_INLINE Float neg(Float a) { return hn::Neg(a); }
  static HWY_INLINE Float max(Float a, Float b) { return hn::Max(a, b); }
  static HWY_INLINE Float min(Float a, Float b) { return hn::Min(a, b); }
  static HWY_INLINE Float sqrt(Float a) { return hn::Sqrt(a); }
  static HWY_INLINE Float sqrt_or_0(Float a) { return sqrt(at_least(a, 0)); }
  static HWY_INLINE Float inverse_sqrt_estimate(Float a) {
    const hn::RebindToSigned<Tag> integers;
    const auto half = hn::ShiftRight<1>(hn::BitCast(integers, a));
    return hn::BitCast(Tag(), hn::Sub(hn::Set(integers, 0x5f3744f3), half));
  }
  static HWY_INLINE Float whole(Float a) { return hn::Trunc(a); }
  static HWY_INLINE Float fma(Float a, Float b, Float c) {
#if ROUNDEL_TARGET_HAS_FMA
    return hn::MulAdd(a, b, c);
#else
    // MulAdd rounds twice on these targets; the C library's fma is exact, but slow.
    alignas(64) float lanes_a[kMaxLanes], lanes_b[kMaxLanes], lanes_c[kMaxLanes];
    hn::Store(a, Tag(), lanes_a);
    hn::Store(b, Tag(), lanes_b);
    hn::Store(c, Tag(), lanes_c);
    for (std::size_t i = 0; i < hn::Lanes(Tag()); ++i)
      lanes_c[i] = std::fma(lanes_a[i], lanes_b[i], lanes_c[i]);
    return hn::Load(Tag(), lanes_c);
#endif
  }
  static HWY_INLINE Float negative_fma(Float a, Float b, Float c) {
#if ROUNDEL_TARGET_HAS_FMA
    return hn::NegMulAdd(a, b, c);
#else
    return fma(hn::Neg(a), b, c);
#endif
  }
  static HWY_INLINE Float at_least(Float a, float low) {
    return hn::Max(a, set(low));
  }
  static HWY_INLINE Float abs(Float a) {
    return hn::Abs(a);
  }
  static HWY_INLINE Float clamp(Float a, float low, float high) {
    return hn::Min(hn::Max(a, set(low)), set(high));
  }
  static HWY_INLINE Float saturate(Float a) {
    return clamp(a, 0.0f, 1.0f);
  }
  static HWY_INLINE Mask less_equal(Float a, Float b) {
    return hn::Le(a, b);
  }
  static HWY_INLINE Mask greater(Float a, Float b) {
    return hn::Gt(a, b);
  }
  static HWY_INLINE Mask both(Mask a, Mask b) {
    return hn::And(a, b);
  }
  static HWY_INLINE bool none(Mask mask) {
    return hn::AllFalse(Tag(), mask);
  }
  static HWY_INLINE Float choose(Mask mask, Float yes, Float no) {
    return hn::IfThenElse(mask, yes, no);
  }
  static HWY_INLINE Float zero_unless(Mask mask, Float a) {
    return hn::IfThenElseZero(mask, a);
  }
};
using VectorLanes = CappedLanes<16>;  // 16 pixels divide every tile

#include "renderer/raster/pixel_math.h"

HWY_INLINE void covered_whole_pixels(VectorLanes::Float center, VectorLanes::Float radius,
                                     float height, float count, float half, float margin,
                                     VectorLanes::Float& first, VectorLanes::Float& last) {
  VectorLanes::Float low, high;
  covered_pixels<VectorLanes>(center, radius, height, count, half, margin, low, high);
  first = hn::Ceil(low), last = hn::Floor(high);
}
