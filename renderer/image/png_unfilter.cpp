#include "renderer/image/png_unfilter.h"

#include <algorithm>
#include <cstring>
#include <vector>

// Without AVX-512: pixels wait for each other, and its comparisons take longer.
#define HWY_DISABLED_TARGETS (ROUNDEL_DISABLED_TARGETS | HWY_AVX3)
#define HWY_TARGET_INCLUDE "renderer/image/png_unfilter.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

enum Filter : std::uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

/// The one of left, upper and upper left byte nearest to left + up − upper left, the first if
/// several are. Fabian Giesen's method (in stb_image): fewer steps wait for `left`.
HWY_INLINE int paeth(int left, int up, int upper_left) {
  const int threshold = 3 * upper_left - (left + up);
  const int low = std::min(left, up), high = std::max(left, up);
  return threshold <= low ? high : high <= threshold ? low : upper_left;
}

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

/// `in` and `out` may overlap, out before in.
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
// A vector holds a pixel of 3 or 4 bytes. Each step reads and writes 4 bytes. With 3 bytes per
// pixel, the next pixel overwrites the fourth, so a row's last pixel is left to unfilter_bytes().
const hn::FixedTag<std::uint8_t, 4> kPixel;
const hn::FixedTag<std::int16_t, 4> kWords;
using Words = hn::Vec<decltype(kWords)>;

HWY_INLINE Words load_pixel(const std::uint8_t* from) {
  return hn::PromoteTo(kWords, hn::LoadU(kPixel, from));
}
/// Returns the low bytes that it stores.
HWY_INLINE Words store_sum(Words filtered, Words prediction, std::uint8_t* to) {
  const Words sum = hn::And(hn::Add(filtered, prediction), hn::Set(kWords, 255));
  hn::StoreU(hn::DemoteTo(kPixel, sum), kPixel, to);
  return sum;
}

HWY_INLINE Words paeth(Words left, Words up, Words upper_left) {
  const Words thrice = hn::Add(upper_left, hn::Add(upper_left, upper_left));
  const Words threshold = hn::Sub(hn::Sub(thrice, up), left);
  const Words low = hn::Min(left, up), high = hn::Max(left, up);
  const Words nearest = hn::IfThenElse(hn::Gt(high, threshold), upper_left, low);
  return hn::IfThenElse(hn::Gt(threshold, low), nearest, high);
}

/// Counts the first bytes with the value; has_value(bytes, i) tests a vector at i.
template <typename HasValue>
HWY_INLINE std::size_t prefix(std::size_t size, const HasValue& has_value) {
  const hn::ScalableTag<std::uint8_t> tag;
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= size; i += hn::Lanes(tag)) {
    const auto others = hn::Not(has_value(tag, i));
    const std::intptr_t first = hn::FindFirstTrue(tag, others);
    if (first >= 0) return i + static_cast<std::size_t>(first);
  }
  const hn::FixedTag<std::uint8_t, 1> byte;
  while (i < size && hn::AllTrue(byte, has_value(byte, i))) ++i;
  return i;
}

/// Long runs of zeros are copies: of the row above while the previous pixel equals the one above
/// it, or of the previous pixel while the row above is constant, too (always with filter Sub).
template <std::size_t kPixelBytes>
class ZeroRuns {
 public:
  ZeroRuns(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
           std::size_t row_bytes)
      : in_(in), above_(above), out_(out), row_bytes_(row_bytes) {}

  /// Writes a run from byte i, after the first pixel. Returns its bytes, in whole pixels.
  template <Filter kFilter>
  HWY_INLINE std::size_t write(std::size_t i) {
    if (i >= end_) {
      end_ = i + prefix(row_bytes_ - i, [&](auto tag, std::size_t k) HWY_ATTR {
               return hn::Eq(hn::LoadU(tag, in_ + i + k), hn::Zero(tag));
             });
    }
    std::size_t size = (end_ - i) / kPixelBytes * kPixelBytes;
    if (size < kMinRunBytes) return 0;
    std::uint8_t* const to = out_ + i;
    if (kFilter == kPaeth) {
      const std::uint8_t* const up = above_ + i;
      if (std::memcmp(to - kPixelBytes, up - kPixelBytes, kPixelBytes) == 0) {
        std::memcpy(to, up, size);
        return size;
      }
      const std::size_t same = prefix(size, [&](auto tag, std::size_t k) HWY_ATTR {
        return hn::Eq(hn::LoadU(tag, up + k), hn::LoadU(tag, up + k - kPixelBytes));
      });
      size = same / kPixelBytes * kPixelBytes;
      if (size < kMinRunBytes) return 0;
    }
    std::memcpy(to, to - kPixelBytes, kPixelBytes);
    for (std::size_t done = kPixelBytes; done < size; done *= 2)
      std::memcpy(to + done, to, std::min(done, size - done));
    return size;
  }

 private:
  static constexpr std::size_t kMinRunBytes = 4 * kPixelBytes;  // shorter runs are not worth it

  const std::uint8_t *in_, *above_;
  std::uint8_t* out_;
  std::size_t row_bytes_;
  std::size_t end_ = 0;  ///< end of the last zeros
};

/// Returns the number of finished bytes.
template <Filter kFilter, std::size_t kPixelBytes>
HWY_INLINE std::size_t unfilter_pixels(const std::uint8_t* in, const std::uint8_t* above,
                                       std::uint8_t* out, std::size_t row_bytes) {
  Words left = hn::Zero(kWords), upper_left = hn::Zero(kWords);
  ZeroRuns<kPixelBytes> runs(in, above, out, row_bytes - 1);
  std::size_t i = 0;
  for (; i + kPixelBytes < row_bytes; i += kPixelBytes) {
    if (kFilter != kAverage && i > 0 && in[i] == 0) {
      const std::size_t written = runs.template write<kFilter>(i);
      if (written > 0) {
        i += written - kPixelBytes;
        left = load_pixel(out + i);
        upper_left = load_pixel(above + i);
        continue;
      }
    }
    Words prediction = left;
    if constexpr (kFilter != kSub) {
      const Words up = load_pixel(above + i);
      prediction =
          kFilter == kAverage ? hn::ShiftRight<1>(hn::Add(left, up)) : paeth(left, up, upper_left);
      upper_left = up;
    }
    left = store_sum(load_pixel(in + i), prediction, out + i);
  }
  return i;
}

/// The lower row is a pixel later: the rows do not wait for each other, so both take as long as
/// one. Returns the number of finished bytes in the upper row; the lower row has a pixel less.
template <std::size_t kPixelBytes>
HWY_INLINE std::size_t unfilter_paeth_pair(const std::uint8_t* in, const std::uint8_t* lower_in,
                                           const std::uint8_t* above, std::uint8_t* out,
                                           std::uint8_t* lower_out, std::size_t row_bytes) {
  if (row_bytes <= kPixelBytes) return 0;
  Words upper_left = load_pixel(above);
  Words left = store_sum(load_pixel(in), upper_left, out);
  Words lower_left = hn::Zero(kWords), left_of_left = hn::Zero(kWords);
  std::size_t i = kPixelBytes;
  for (; i + kPixelBytes < row_bytes; i += kPixelBytes) {
    const Words up = load_pixel(above + i);
    const Words pixel = store_sum(load_pixel(in + i), paeth(left, up, upper_left), out + i);
    lower_left = store_sum(load_pixel(lower_in + i - kPixelBytes),
                           paeth(lower_left, left, left_of_left), lower_out + i - kPixelBytes);
    upper_left = up;
    left_of_left = left;
    left = pixel;
  }
  return i;
}

template <std::size_t kPixelBytes>
HWY_INLINE std::size_t unfilter_whole_pixels(Filter filter, const std::uint8_t* in,
                                             const std::uint8_t* above, std::uint8_t* out,
                                             std::size_t row_bytes) {
  if (filter == kSub) return unfilter_pixels<kSub, kPixelBytes>(in, above, out, row_bytes);
  if (filter == kAverage) return unfilter_pixels<kAverage, kPixelBytes>(in, above, out, row_bytes);
  return unfilter_pixels<kPaeth, kPixelBytes>(in, above, out, row_bytes);
}
#endif

HWY_INLINE bool is_sparse(const std::uint8_t* in, std::size_t row_bytes) {
  const hn::ScalableTag<std::uint8_t> tag;
  std::size_t zeros = 0;
  for (std::size_t i = 0; i + hn::Lanes(tag) <= row_bytes; i += hn::Lanes(tag))
    zeros += hn::CountTrue(tag, hn::Eq(hn::LoadU(tag, in + i), hn::Zero(tag)));
  return zeros > row_bytes / 2;
}

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
  if (pixel_bytes == 3) done = unfilter_whole_pixels<3>(filter, in, above, out, row_bytes);
  if (pixel_bytes == 4) done = unfilter_whole_pixels<4>(filter, in, above, out, row_bytes);
#endif
  unfilter_bytes(filter, in, above, out, done, row_bytes, pixel_bytes);
}

/// `scratch` can hold a row.
HWY_INLINE void unfilter_pair(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                              std::size_t row_bytes, std::size_t pixel_bytes,
                              std::uint8_t* scratch) {
  const std::uint8_t* const lower_in = in + row_bytes + 1;
  std::uint8_t* const lower_out = out + row_bytes;
  std::copy(in, in + row_bytes,
            scratch);  // the lower row's first pixels go where its last ones are
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if (pixel_bytes == 3)
    done = unfilter_paeth_pair<3>(scratch, lower_in, above, out, lower_out, row_bytes);
  if (pixel_bytes == 4)
    done = unfilter_paeth_pair<4>(scratch, lower_in, above, out, lower_out, row_bytes);
#endif
  unfilter_bytes(kPaeth, scratch, above, out, done, row_bytes, pixel_bytes);
  unfilter_bytes(kPaeth, lower_in, out, lower_out, done - std::min(done, pixel_bytes), row_bytes,
                 pixel_bytes);
}

bool unfilter_rows(std::uint8_t* data, std::size_t row_bytes, std::size_t height,
                   std::size_t pixel_bytes) {
  const std::vector<std::uint8_t> nothing(row_bytes);  // above the first row
  std::vector<std::uint8_t> scratch(row_bytes);
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* const in = data + y * (row_bytes + 1);
    std::uint8_t* const out = data + y * row_bytes;
    const std::uint8_t* const above = y == 0 ? nothing.data() : out - row_bytes;
    if (*in > kPaeth) return false;
    const bool is_pair = *in == kPaeth && y + 1 < height && in[row_bytes + 1] == kPaeth &&
                         !is_sparse(in + 1, row_bytes);
    if (is_pair) {
      unfilter_pair(in + 1, above, out, row_bytes, pixel_bytes, scratch.data());
      ++y;
    } else {
      unfilter_row(static_cast<Filter>(*in), in + 1, above, out, row_bytes, pixel_bytes);
    }
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
