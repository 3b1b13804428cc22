#include "renderer/image/png_unfilter.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

// Compiled once for each of these instruction sets; the best one that the machine has is chosen
// when the program runs.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "renderer/image/png_unfilter.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

enum Filter : std::uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

/// Of the left, upper and upper left byte the one nearest to left + up − upper left.
HWY_INLINE int paeth(int left, int up, int upper_left) {
  const int to_left = std::abs(up - upper_left), to_up = std::abs(left - upper_left);
  const int to_upper_left = std::abs(left + up - 2 * upper_left);
  if (to_left <= to_up && to_left <= to_upper_left) return left;
  return to_up <= to_upper_left ? up : upper_left;
}

/// Bytes [first, row_bytes) of a row, one by one.
HWY_INLINE void unfilter_bytes(Filter filter, const std::uint8_t* in, const std::uint8_t* above,
                               std::uint8_t* out, std::size_t first, std::size_t row_bytes,
                               std::size_t pixel_bytes) {
  for (std::size_t i = first; i < row_bytes; ++i) {
    const bool has_left = i >= pixel_bytes;
    const int left = has_left ? out[i - pixel_bytes] : 0;
    const int upper_left = has_left ? above[i - pixel_bytes] : 0;
    const int prediction = filter == kSub       ? left
                           : filter == kAverage ? (left + above[i]) / 2
                           : filter == kPaeth   ? paeth(left, above[i], upper_left)
                                                : 0;
    out[i] = static_cast<std::uint8_t>(in[i] + prediction);
  }
}

/// The filter Up: no byte depends on another of its row. `in` and `out` may overlap, out before in.
HWY_INLINE void unfilter_up(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                            std::size_t row_bytes) {
  const hn::ScalableTag<std::uint8_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 0;
  for (; i + lanes <= row_bytes; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(tag, in + i), hn::LoadU(tag, above + i)), tag, out + i);
  for (; i < row_bytes; ++i) out[i] = static_cast<std::uint8_t>(in[i] + above[i]);
}

#if HWY_TARGET != HWY_SCALAR
/// Pixels of 3 or 4 bytes, a pixel a vector, whose bytes do not depend on each other. Reads and
/// writes 4 bytes each time, of which the fourth is overwritten by the next pixel where a pixel has
/// 3; the last pixel is left to unfilter_bytes(). Returns how many bytes are done.
template <Filter kFilter, std::size_t kPixelBytes>
HWY_INLINE std::size_t unfilter_pixels(const std::uint8_t* in, const std::uint8_t* above,
                                       std::uint8_t* out, std::size_t row_bytes) {
  const hn::FixedTag<std::uint8_t, 4> bytes;
  const hn::FixedTag<std::int16_t, 4> words;
  const auto load = [&](const std::uint8_t* from) {
    return hn::PromoteTo(words, hn::LoadU(bytes, from));
  };
  const auto low_byte = hn::Set(words, 255);
  auto left = hn::Zero(words), upper_left = hn::Zero(words);
  std::size_t i = 0;
  for (; i + kPixelBytes < row_bytes; i += kPixelBytes) {
    auto prediction = left;
    if constexpr (kFilter != kSub) {
      const auto up = load(above + i);
      if constexpr (kFilter == kAverage) {
        prediction = hn::ShiftRight<1>(hn::Add(left, up));
      } else {
        const auto from_left = hn::Sub(up, upper_left), from_up = hn::Sub(left, upper_left);
        const auto to_left = hn::Abs(from_left), to_up = hn::Abs(from_up);
        const auto to_upper_left = hn::Abs(hn::Add(from_left, from_up));
        const auto least = hn::Min(to_upper_left, hn::Min(to_left, to_up));
        prediction = hn::IfThenElse(hn::Eq(least, to_left), left,
                                    hn::IfThenElse(hn::Eq(least, to_up), up, upper_left));
        upper_left = up;
      }
    }
    left = hn::And(hn::Add(load(in + i), prediction), low_byte);
    hn::StoreU(hn::DemoteTo(bytes, left), bytes, out + i);
  }
  return i;
}

template <std::size_t kPixelBytes>
HWY_INLINE std::size_t unfilter_most(Filter filter, const std::uint8_t* in,
                                     const std::uint8_t* above, std::uint8_t* out,
                                     std::size_t row_bytes) {
  if (filter == kSub) return unfilter_pixels<kSub, kPixelBytes>(in, above, out, row_bytes);
  if (filter == kAverage) return unfilter_pixels<kAverage, kPixelBytes>(in, above, out, row_bytes);
  return unfilter_pixels<kPaeth, kPixelBytes>(in, above, out, row_bytes);
}
#endif

void unfilter_row(Filter filter, const std::uint8_t* in, const std::uint8_t* above,
                  std::uint8_t* out, std::size_t row_bytes, std::size_t pixel_bytes) {
  if (filter == kNone) {
    std::copy(in, in + row_bytes, out);
    return;
  }
  if (filter == kUp) {
    unfilter_up(in, above, out, row_bytes);
    return;
  }
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if (pixel_bytes == 3) done = unfilter_most<3>(filter, in, above, out, row_bytes);
  if (pixel_bytes == 4) done = unfilter_most<4>(filter, in, above, out, row_bytes);
#endif
  unfilter_bytes(filter, in, above, out, done, row_bytes, pixel_bytes);
}

bool unfilter_rows(std::uint8_t* data, std::size_t row_bytes, std::size_t height,
                   std::size_t pixel_bytes) {
  const std::vector<std::uint8_t> nothing(row_bytes);  // above the first row
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* const in = data + y * (row_bytes + 1);
    if (*in > kPaeth) return false;
    std::uint8_t* const out = data + y * row_bytes;
    unfilter_row(static_cast<Filter>(*in), in + 1, y == 0 ? nothing.data() : out - row_bytes, out,
                 row_bytes, pixel_bytes);
  }
  return true;
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
HWY_EXPORT(unfilter_rows);

bool unfilter_png(std::uint8_t* data, std::size_t row_bytes, std::size_t height, int pixel_bytes) {
  return HWY_DYNAMIC_DISPATCH(unfilter_rows)(data, row_bytes, height,
                                             static_cast<std::size_t>(pixel_bytes));
}

}  // namespace roundel
#endif  // HWY_ONCE
