#pragma once
#include <type_traits>

#include "renderer/raster/cuda/png/png_stages.h"
#include "renderer/raster/cuda/warp.cuh"

/// A segment of a row (image/png_format.h), eight pixels a thread.
namespace roundel::cuda {

inline constexpr int kThreadPixels = 8;
inline constexpr int kSegmentThreads = 128, kSegmentWarps = kSegmentThreads / 32;
static_assert(kThreadPixels * kSegmentThreads == png_format::kSegmentPixels);

struct SegmentPosition {
  std::uint32_t row, first, count;  ///< in pixels

  __device__ SegmentPosition(const PngArgs& args, std::uint32_t y, std::uint32_t index)
      : row(y), first(index * static_cast<std::uint32_t>(png_format::kSegmentPixels)) {
    const auto most = static_cast<std::uint32_t>(png_format::kSegmentPixels);
    count = args.width - first < most ? args.width - first : most;
  }
  /// Pixels of the calling thread.
  __device__ int thread_pixels() const {
    const int left = static_cast<int>(count) - kThreadPixels * static_cast<int>(threadIdx.x);
    return left < 0 ? 0 : left < kThreadPixels ? left : kThreadPixels;
  }
};

template <int kPixelBytes>
struct SegmentMemory {
  static_assert(kPixelBytes == 3 || kPixelBytes == 4 || kPixelBytes == 6 || kPixelBytes == 8);
  static constexpr int kThreadWords = kThreadPixels * kPixelBytes / 4;
  alignas(16) std::uint32_t words[kSegmentThreads * kThreadWords];  ///< filtered bytes
  /// A bit for each pixel that equals the previous one.
  std::uint32_t equal[png_format::kSegmentPixels / 32];
};

/// Loads four bytes from any address; bytes from `left` on are 0.
inline __device__ std::uint32_t load_bytes(const std::uint8_t* at, int left) {
  if (left <= 0) return 0;
  const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at) % 4);
  const auto* const words = reinterpret_cast<const std::uint32_t*>(at - shift);
  const bool is_in_two = static_cast<int>(shift) + (left < 4 ? left : 4) > 4;
  const std::uint32_t bytes =
      __funnelshift_r(__ldg(words), is_in_two ? __ldg(words + 1) : 0, 8 * shift);
  return left < 4 ? bytes & ((1u << 8 * left) - 1) : bytes;
}

/// Reads and filters a segment; bytes past its end are 0. The first kSegmentThreads threads call
/// it, then wait for each other.
template <int kPixelBytes>
__device__ void load_segment(const PngArgs& args, const SegmentPosition& position,
                             SegmentMemory<kPixelBytes>& memory) {
  constexpr int kWords = SegmentMemory<kPixelBytes>::kThreadWords;
  const std::size_t stride = std::size_t{args.width} * kPixelBytes;
  const std::uint8_t* const row =
      args.pixels + position.row * stride + std::size_t{position.first} * kPixelBytes;
  const auto size = static_cast<int>(position.count) * kPixelBytes;
  const auto thread = static_cast<int>(threadIdx.x);
  std::uint32_t here[kWords], above[kWords];
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    const int at = 4 * (k * kSegmentThreads + thread);
    here[k] = load_bytes(row + at, size - at);
    above[k] = position.row > 0 ? load_bytes(row + at - stride, size - at) : 0;
  }
#pragma unroll
  for (int k = 0; k < kWords; ++k)
    memory.words[k * kSegmentThreads + thread] = __vsub4(here[k], above[k]);
}

/// A thread's pixels, and those in runs.
template <int kPixelBytes>
struct ThreadPixels {
  static constexpr int kWords = SegmentMemory<kPixelBytes>::kThreadWords;
  /// A pixel's bytes, the first one lowest.
  using Pixel = std::conditional_t<(kPixelBytes > 4), std::uint64_t, std::uint32_t>;
  std::uint32_t words[kWords];
  int count;
  unsigned equal;  ///< a bit for each pixel
  // About neighbours:
  bool equal_before, equal_after;
  int last_unequal;  ///< last unequal pixel before these, relative to the first one

  /// Shares equal pixels with all threads, which must wait for each other before find_neighbours().
  /// Call after load_segment().
  __device__ void load(const SegmentPosition& position, SegmentMemory<kPixelBytes>& memory) {
    const auto thread = static_cast<int>(threadIdx.x);
    const std::uint32_t* const from = memory.words + thread * kWords;
#pragma unroll
    for (int k = 0; k < kWords; ++k) words[k] = from[k];
    count = position.thread_pixels();
    equal = 0;
    Pixel before = thread > 0 ? last_pixel(from) : 0;
#pragma unroll
    for (int k = 0; k < kThreadPixels; ++k) {
      const Pixel own = pixel(k);
      if (own == before && k < count && thread + k > 0) equal |= 1u << k;
      before = own;
    }
    reinterpret_cast<std::uint8_t*>(memory.equal)[thread] = static_cast<std::uint8_t>(equal);
  }

  __device__ Pixel pixel(int k) const {
    if constexpr (kPixelBytes == 8) {
      return words[2 * k] | std::uint64_t{words[2 * k + 1]} << 32;
    } else if constexpr (kPixelBytes == 6) {
      const int word = 3 * k / 2;
      const std::uint64_t both = words[word] | std::uint64_t{words[word + 1]} << 32;
      return k % 2 == 0 ? both & 0xffffffffffff : both >> 16;
    } else if constexpr (kPixelBytes == 4) {
      return words[k];
    } else {
      const int word = 3 * k / 4, shift = 3 * k % 4 * 8;
      const std::uint32_t high = shift > 8 ? words[word + 1] : 0;
      return __funnelshift_r(words[word], high, static_cast<unsigned>(shift)) & 0xffffff;
    }
  }

  /// Returns the pixel in front of these words.
  __device__ static Pixel last_pixel(const std::uint32_t* words) {
    if constexpr (kPixelBytes > 4)
      return (words[-2] | std::uint64_t{words[-1]} << 32) >> 8 * (8 - kPixelBytes);
    else
      return words[-1] >> 8 * (4 - kPixelBytes);
  }

  /// All lanes of a warp call it.
  __device__ void find_neighbours(const SegmentMemory<kPixelBytes>& memory) {
    // Each warp reads the whole segment, a word for each lane.
    const std::uint32_t unequal = ~memory.equal[lane()];
    int last = unequal == 0 ? -1 : 32 * lane() + 31 - __clz(static_cast<int>(unequal));
    for (int distance = 1; distance < 32; distance *= 2) {
      const int other = __shfl_up_sync(kAllLanes, last, distance);
      if (lane() >= distance && other > last) last = other;
    }
    const auto thread = static_cast<int>(threadIdx.x);
    const int word = thread / 4, shift = 8 * (thread % 4);
    const int before = __shfl_sync(kAllLanes, last, word > 0 ? word - 1 : 0);
    const std::uint32_t own = memory.equal[word];
    const std::uint32_t unequal_before = ~own & ((1u << shift) - 1);
    last_unequal =
        (unequal_before != 0 ? 32 * word + 31 - __clz(static_cast<int>(unequal_before)) : before) -
        kThreadPixels * thread;
    equal_before = shift > 0  ? (own >> (shift - 1) & 1) != 0
                   : word > 0 ? memory.equal[word - 1] >> 31 != 0
                              : false;
    equal_after = shift < 24  ? (own >> (shift + 8) & 1) != 0
                  : word < 31 ? (memory.equal[word + 1] & 1) != 0
                              : false;
  }

  /// Calls sink.literals(k, pixel) or sink.match(k, pixels, is_one_byte) for pixels with tokens; a
  /// match is at the last pixel of its piece. Call after find_neighbours().
  template <typename Sink>
  __device__ void put_tokens(Sink& sink) const {
    constexpr int kPiece = static_cast<int>(png_format::piece_pixels(kPixelBytes));
    // Bit k + 1 is pixel k's.
    const unsigned around = (equal_before ? 1u : 0u) | equal << 1 | (equal_after ? 512u : 0u);
    int last = last_unequal;
#pragma unroll
    for (int k = 0; k < kThreadPixels; ++k) {
      const bool is_equal = (equal >> k & 1) != 0;
      const bool is_next_equal = (around >> (k + 2) & 1) != 0;
      if (!is_equal) last = k;
      if (is_equal && (is_next_equal || (around >> k & 1) != 0)) {
        const int rest = (k - last) % kPiece;
        constexpr Pixel kEachByte = static_cast<Pixel>(0x0101010101010101 >> 8 * (8 - kPixelBytes));
        if (rest == 0 || !is_next_equal)
          sink.match(k, rest == 0 ? kPiece : rest, pixel(k) == (pixel(k) & 255) * kEachByte);
      } else if (k < count) {
        sink.literals(k, pixel(k));
      }
    }
  }
};

}  // namespace roundel::cuda
