#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/host_device.h"
#include "renderer/circles/circle.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

inline constexpr int kMaxTileSize = 256;  ///< pixels a side

/// Pixels [x0, x1] × [y0, y1], ends included; empty if x0 > x1 or y0 > y1.
struct PixelRect {
  int x0, y0, x1, y1;

  ROUNDEL_HOST_DEVICE bool empty() const { return x0 > x1 || y0 > y1; }
};

/// The drawn image, or a part of one, cut into square tiles, by rows from the bottom left. Pixels
/// count from there, too.
struct TileGrid {
  int width, height;  ///< pixels
  int tile_size;      ///< pixels a side, a power of two
  int tile_shift;     ///< log2(tile_size)
  int tiles_x, tiles_y;
  float s;               ///< 1/scale, the size of a pixel in frame space
  float scale;           ///< height of the whole image in pixels
  float half_x, half_y;  ///< ½ plus the columns on the left, the rows below, that are not drawn
  /// Distance in pixels beyond a circle's rim at which it may cover centres: rounding, plus half a
  /// pixel with coverage by area.
  float margin;

  bool operator==(const TileGrid&) const = default;

  static TileGrid make(const ImageSettings& image, int tile_size) {
    TileGrid grid = make(image.width, image.height, tile_size, image.antialias);
    grid.scale = static_cast<float>(image.frame_height());
    grid.s = 1.0f / grid.scale;
    grid.half_x = static_cast<float>(image.first_column()) + 0.5f;
    grid.half_y = static_cast<float>(image.first_row()) + 0.5f;
    return grid;
  }
  static ROUNDEL_HOST_DEVICE TileGrid make(int width, int height, int tile_size,
                                           bool antialias = false) {
    int tile_shift = 0;
    while ((1 << tile_shift) < tile_size) ++tile_shift;
    return {width,
            height,
            tile_size,
            tile_shift,
            (width + tile_size - 1) / tile_size,
            (height + tile_size - 1) / tile_size,
            1.0f / static_cast<float>(height),
            static_cast<float>(height),
            0.5f,
            0.5f,
            kMargin + (antialias ? 0.5f : 0.0f)};
  }
  ROUNDEL_HOST_DEVICE bool is_antialiased() const { return margin > kMargin; }
  /// Left and lower edge of the drawn part in the whole image, in pixels.
  ROUNDEL_HOST_DEVICE float origin_x() const { return half_x - 0.5f; }
  ROUNDEL_HOST_DEVICE float origin_y() const { return half_y - 0.5f; }
  /// Edges in frame space.
  ROUNDEL_HOST_DEVICE float left() const { return origin_x() * s; }
  ROUNDEL_HOST_DEVICE float bottom() const { return origin_y() * s; }
  ROUNDEL_HOST_DEVICE int num_tiles() const { return tiles_x * tiles_y; }

  ROUNDEL_HOST_DEVICE PixelRect tile_pixels(int tile_x, int tile_y) const {
    const int x0 = tile_x * tile_size, y0 = tile_y * tile_size;
    return {x0, y0, smaller(x0 + tile_size, width) - 1, smaller(y0 + tile_size, height) - 1};
  }

  ROUNDEL_HOST_DEVICE PixelRect tiles_of(const PixelRect& pixels) const {
    return {pixels.x0 >> tile_shift, pixels.y0 >> tile_shift, pixels.x1 >> tile_shift,
            pixels.y1 >> tile_shift};
  }

  /// Returns a rectangle of every pixel that the circle covers; empty for circles off the image,
  /// without radius, or between pixel centres (without coverage by area).
  ROUNDEL_HOST_DEVICE PixelRect pixel_bounds(const Shape& shape) const {
    if (!(shape.radius > 0)) return {0, 0, -1, -1};
    const Interval x = covered_pixels(shape.x, shape.radius, width, half_x);
    const Interval y = covered_pixels(shape.y, shape.radius, height, half_y);
    return {x.first, y.first, x.last, y.last};
  }

 private:
  static constexpr float kMargin = 0x1p-6f;
  struct Interval {
    int first, last;
  };
  static ROUNDEL_HOST_DEVICE int smaller(int a, int b) { return a < b ? a : b; }

  ROUNDEL_HOST_DEVICE Interval covered_pixels(float center, float radius, int count,
                                              float half) const {
    float low = 0, high = 0;
    scalar::covered_pixels<ScalarLanes>(center, radius, scale, static_cast<float>(count), half,
                                        margin, low, high);
#ifdef __CUDA_ARCH__
    return {__float2int_ru(low), __float2int_rd(high)};
#else
    // Ceiling and floor by truncation: conversions are cheap everywhere, calls of libm are not.
    const int below_low = static_cast<int>(low);
    return {below_low + (static_cast<float>(below_low) < low ? 1 : 0),
            static_cast<int>(high + 1.0f) - 1};
#endif
  }
};

/// False only if the coverage test fails for every centre of the (non-empty) rectangle. Needs no
/// margin: rounding is monotonic, so no centre comes out nearer than the rectangle's nearest point.
inline ROUNDEL_HOST_DEVICE bool may_cover(const Shape& shape, const PixelRect& rect,
                                          const TileGrid& grid) {
  using L = ScalarLanes;
  const float left = scalar::pixel_center<L>(static_cast<float>(rect.x0), grid.s, grid.half_x);
  const float right = scalar::pixel_center<L>(static_cast<float>(rect.x1), grid.s, grid.half_x);
  const float bottom = scalar::pixel_center<L>(static_cast<float>(rect.y0), grid.s, grid.half_y);
  const float top = scalar::pixel_center<L>(static_cast<float>(rect.y1), grid.s, grid.half_y);
  const float dx = shape.x - L::clamp(shape.x, left, right);
  const float dy = shape.y - L::clamp(shape.y, bottom, top);
  return scalar::squared_distance<L>(dx, dy) <= shape.radius * shape.radius;
}

/// True only if the test succeeds for every centre. Tests the farthest one, also without a margin.
inline ROUNDEL_HOST_DEVICE bool covers_all(const Shape& shape, const PixelRect& rect,
                                           const TileGrid& grid) {
  using L = ScalarLanes;
  const auto farthest = [&](float position, int first, int last, float half) {
    const float a = position - scalar::pixel_center<L>(static_cast<float>(first), grid.s, half);
    const float b = scalar::pixel_center<L>(static_cast<float>(last), grid.s, half) - position;
    return a > b ? a : b;
  };
  return scalar::squared_distance<L>(farthest(shape.x, rect.x0, rect.x1, grid.half_x),
                                     farthest(shape.y, rect.y0, rect.y1, grid.half_y)) <=
         shape.radius * shape.radius;
}

/// Default tile size of the CPU backend, in pixels: a tile's state, 16 KiB, stays in a core's L1.
inline constexpr int kCpuTileSize = 32;

/// Lengths of all tiles' lists if no tile is done early. Parallel.
std::vector<std::uint64_t> count_overlaps_by_tile(std::span<const Shape> shapes,
                                                  const TileGrid& grid);

std::uint64_t count_overlaps(std::span<const Shape> shapes, const TileGrid& grid);

}  // namespace roundel
