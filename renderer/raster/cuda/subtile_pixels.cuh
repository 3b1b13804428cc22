#pragma once
#include <type_traits>

#include "renderer/pixels/quantize_levels.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/warp.cuh"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel::cuda {

inline constexpr int kPixelsPerLane = kSubtileWidth * kSubtileHeight / 32;
inline constexpr int kRowStep = 32 / kSubtileWidth;  // rows between a lane's pixels

/// Pixels of a subtile: lane l has column l % 16 and rows l / 16, l / 16 + 2, and so on.
struct SubtilePosition {
  using L = ScalarLanes;

  int x0, y0;              ///< lower left pixel
  float first_x, first_y;  ///< centre of that pixel, in pixels of the whole image
  float center_x, center_y[kPixelsPerLane];

  __device__ SubtilePosition(const TileGrid& grid, int tile_x, int tile_y, int subtile)
      : x0(tile_x * kTileSize + subtile % 2 * kSubtileWidth),
        y0(tile_y * kTileSize + subtile / 2 * kSubtileHeight),
        first_x(static_cast<float>(x0) + grid.half_x),
        first_y(static_cast<float>(y0) + grid.half_y) {
    // Sums of whole numbers are exact, and faster than converting each.
    const float column = static_cast<float>(x() - x0), first_row = static_cast<float>(y(0) - y0);
    center_x = scalar::pixel_center<L>(column, grid.s, first_x);
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      center_y[k] =
          scalar::pixel_center<L>(first_row + static_cast<float>(k * kRowStep), grid.s, first_y);
  }

  __device__ int x() const {
    return x0 + static_cast<int>(threadIdx.x % kSubtileWidth);
  }
  __device__ int y(int k) const {
    return y0 + static_cast<int>(threadIdx.x % 32 / kSubtileWidth) + k * kRowStep;
  }
  /// Centre of the lane's first pixel: x in frame space, y in pixels of the whole image. Rarely
  /// used: volatile, so that it takes no registers.
  __device__ float2 first_center(const TileGrid& grid) const {
    int own = static_cast<int>(threadIdx.x % 32), left = x0, bottom = y0;
    asm volatile("" : "+r"(own), "+r"(left), "+r"(bottom));
    const float column = static_cast<float>(own & (kSubtileWidth - 1));
    const float row = static_cast<float>(own / kSubtileWidth);
    return {scalar::pixel_center<L>(column, grid.s, static_cast<float>(left) + grid.half_x),
            row + (static_cast<float>(bottom) + grid.half_y)};
  }
  __device__ bool is_outside(const TileGrid& grid) const {
    return x0 >= grid.width || y0 >= grid.height;
  }
  __device__ bool is_inside(const TileGrid& grid) const {
    return x0 + kSubtileWidth <= grid.width && y0 + kSubtileHeight <= grid.height;
  }
};

class ActiveBox {
 public:
  __device__ ActiveBox() : ActiveBox(~0u, kAllRows) {}
  /// A bit for each column and row; not 0.
  __device__ ActiveBox(std::uint32_t columns, std::uint32_t rows)
      : bits_((columns & kAllColumns) | rows << kSubtileWidth) {}

  __device__ int first_column() const { return __ffs(static_cast<int>(bits_)) - 1; }
  __device__ int last_column() const { return front_bit(bits_ & kAllColumns); }
  __device__ int first_row() const { return __ffs(static_cast<int>(bits_ >> kSubtileWidth)) - 1; }
  __device__ int last_row() const { return front_bit(bits_) - kSubtileWidth; }
  /// In drawn pixels.
  __device__ PixelRect rect(const SubtilePosition& subtile) const {
    return {subtile.x0 + first_column(), subtile.y0 + first_row(), subtile.x0 + last_column(),
            subtile.y0 + last_row()};
  }

 private:
  static constexpr std::uint32_t kAllColumns = (1u << kSubtileWidth) - 1;
  static constexpr std::uint32_t kAllRows = (1u << kSubtileHeight) - 1;

  std::uint32_t bits_;  // one word, to save registers
};

/// `kStyled`: for frames with styles.
template <bool kStyled>
using StateOf =
    std::conditional_t<kStyled, scalar::ChannelState<ScalarLanes>, scalar::PixelState<ScalarLanes>>;

/// Without styles the mode is kOver.
template <bool kStyled>
__device__ scalar::ModePaint<ScalarLanes> mode_paint(const Paint& paint) {
  if constexpr (!kStyled) return {BlendMode::kOver, paint.red, paint.green, paint.blue};
  const BlendColor color = paint_color(paint);
  return {blend_mode(paint), color.red, color.green, color.blue};
}

template <bool kStyled>
struct SubtilePixels : SubtilePosition {
  using State = StateOf<kStyled>;

  State state[kPixelsPerLane];
  /// All pixels have the same state: every circle so far covered the subtile.
  bool are_alike = false;

  using SubtilePosition::SubtilePosition;

  __device__ bool is_active(int k) const {
    return scalar::max_transmittance<L>(state[k]) > scalar::kOpaqueTransmittance;
  }
  /// True, in all lanes, if all pixels are opaque.
  __device__ bool is_done() const {
    bool active = false;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) active |= is_active(k);
    return !__any_sync(kAllLanes, active);
  }

  /// Rows count in pairs. Returns the whole subtile if all pixels are opaque.
  __device__ ActiveBox active_box() const {
    bool are_active = true;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) are_active &= is_active(k);
    if (__all_sync(kAllLanes, are_active)) return {};
    std::uint32_t pixels = 0, rows = 0;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      const unsigned active = __ballot_sync(kAllLanes, is_active(k));
      pixels |= active;
      if (active != 0) rows |= ((1u << kRowStep) - 1) << (k * kRowStep);
    }
    if (rows == 0) return {};
    static_assert(kRowStep == 2);
    return {pixels | pixels >> kSubtileWidth, rows};
  }

  /// While the pixels are alike, paints one for all: front circles up to the first that does not
  /// cover the subtile. Removes their bits from `whole` and returns their number, or `count` if the
  /// subtile is done.
  __device__ int paint_alike(const Paint* paints, int count, unsigned& whole) {
    int i = 0;
    if (are_alike && (whole & 1) != 0) {
      for (; (whole & 1) != 0 && is_active(0); ++i, whole >>= 1)
        scalar::composite<L>(state[0], mode_paint<kStyled>(paints[i]), paints[i].alpha);
#pragma unroll
      for (int k = 1; k < kPixelsPerLane; ++k) state[k] = state[0];
      if (!is_active(0)) return count;
    }
    are_alike = are_alike && i == count;
    return i;
  }

  /// Loads the pixels that the previous chunk left, or empty ones if `is_first_chunk`.
  __device__ void start(const BlendTilesArgs& args, bool is_first_chunk) {
    const TileGrid& grid = args.grid;
    if (is_first_chunk && is_inside(grid)) {  // fast path for the usual case
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) state[k] = empty(1);
      are_alike = true;
      return;
    }
    const int width = grid.width, height = grid.height;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      if (x() >= width || y(k) >= height) {
        state[k] = empty(0);  // outside the image: opaque
      } else if (is_first_chunk) {
        state[k] = empty(1);
      } else {
        const std::size_t position = static_cast<std::size_t>(y(k)) * width + x();
        const SavedPixel saved = args.states[position];
        if constexpr (kStyled) {
          const float2 others = args.other_transmittances[position];
          state[k] =
              State{saved.red, saved.green, saved.blue, saved.transmittance, others.x, others.y};
        } else {
          state[k] = State{saved.red, saved.green, saved.blue, saved.transmittance};
        }
      }
    }
  }
  __device__ void save(const BlendTilesArgs& args) const {
    const int width = args.grid.width, height = args.grid.height;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      if (x() >= width || y(k) >= height) continue;
      const std::size_t position = static_cast<std::size_t>(y(k)) * width + x();
      const State& s = state[k];
      if constexpr (kStyled) {
        args.states[position] = {s.red, s.green, s.blue, s.red_transmittance};
        args.other_transmittances[position] = {s.green_transmittance, s.blue_transmittance};
      } else {
        args.states[position] = {s.red, s.green, s.blue, s.transmittance};
      }
    }
  }

  __device__ void write(const BlendTilesArgs& args) {
    const int width = args.grid.width, height = args.grid.height;
    // Fast path for the usual case: display colours, rows and subtiles of whole words.
    if (args.bytes && !args.framebuffer && !args.samples.has_alpha && args.samples.is_plain() &&
        args.samples.blend_space == BlendSpace::kDisplay && width % 4 == 0 &&
        is_inside(args.grid)) {
      std::uint8_t* const first =
          args.bytes + (static_cast<std::size_t>(height - 1 - y(0)) * width + x()) * 3;
      const auto rgb_of = [&](int k, const BlendColor& color) {
        scalar::add_background<L>(state[k], color);
        return quantized_rgb(state[k]);
      };
      const auto write_row = [&](int k, std::uint32_t rgb, std::uint32_t next) {
        write_quarter_row(rgb, next, first - static_cast<std::int64_t>(width) * (k * kRowStep * 3));
      };
      if (are_alike && !args.background) {
        const std::uint32_t rgb = rgb_of(0, args.flat_background);
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k) write_row(k, rgb, rgb);
        return;
      }
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) {
        const std::uint32_t rgb =
            rgb_of(k, args.background ? background_row(args, y(k)) : args.flat_background);
        write_row(k, rgb, __shfl_down_sync(kAllLanes, rgb, 1));
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      if (x() < width && y(k) < height) write_pixel(args, x(), y(k), state[k]);
  }

  /// Writes a pixel in all cases. Not inlined, so that frequent code stays short.
  __device__ __noinline__ static void write_pixel(const BlendTilesArgs& args, int x, int y,
                                                  State s) {
    if (!args.samples.has_alpha) scalar::add_background<L>(s, background_row(args, y));
    const float transmittance = scalar::max_transmittance<L>(s);  // with alpha all are equal
    const Pixel pixel{s.red, s.green, s.blue, args.samples.has_alpha ? 1.0f - transmittance : 1.0f};
    const std::size_t width = args.grid.width;
    if (args.framebuffer) args.framebuffer[y * width + x] = pixel;
    if (!args.bytes) return;
    const std::size_t position = (args.grid.height - 1 - y) * width + x;
    const std::size_t size = (args.samples.has_alpha ? 4 : 3) * (args.samples.has_words ? 2 : 1);
    store_samples(pixel, args.samples, static_cast<std::uint32_t>(x),
                  static_cast<std::uint32_t>(args.grid.height - 1 - y),
                  args.bytes + position * size);
  }

 private:
  __device__ static State empty(float transmittance) {
    if constexpr (kStyled)
      return {0, 0, 0, transmittance, transmittance, transmittance};
    else
      return {0, 0, 0, transmittance};
  }

  /// Packs red, green and blue into bytes 0 to 2; byte 3 is undefined.
  __device__ static std::uint32_t quantized_rgb(const State& s) {
    const auto code_in_byte_0 = [](float c) {
      return __float_as_uint(scalar::quantizing_sum<L>(c));
    };
    const std::uint32_t red_green =
        __byte_perm(code_in_byte_0(s.red), code_in_byte_0(s.green), 0x0040);
    return __byte_perm(red_green, code_in_byte_0(s.blue), 0x0410);
  }

  /// Four lanes have four pixels, three words, and the first three write one each. `bytes` is the
  /// position of the lane's pixel, `next` is the next lane's pixel. Byte 3 of both is ignored.
  __device__ static void write_quarter_row(std::uint32_t rgb, std::uint32_t next,
                                           std::uint8_t* bytes) {
    const unsigned i = threadIdx.x % 4;
    // Word i has bytes i to 2 of pixel i, then 0 to i of the next pixel, here 4 to 4 + i.
    const std::uint32_t bytes_of_word = i == 0 ? 0x4210 : i == 1 ? 0x5421 : 0x6542;
    if (i < 3) *reinterpret_cast<std::uint32_t*>(bytes + i) = __byte_perm(rgb, next, bytes_of_word);
  }

  __device__ static BlendColor background_row(const BlendTilesArgs& args, int y) {
    if (!args.background) return args.flat_background;
    const float4 row = args.background[y];
    return {row.x, row.y, row.z};
  }
};

}  // namespace roundel::cuda
