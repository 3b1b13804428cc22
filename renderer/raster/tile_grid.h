#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/host_device.h"
#include "renderer/circles/circle.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

inline constexpr int kLargestTileSize = 256;  ///< pixels a side

/// Pixels [x0, x1] × [y0, y1], ends included; empty when x0 > x1 or y0 > y1.
struct PixelRect {
  int x0, y0, x1, y1;

  ROUNDEL_HOST_DEVICE bool empty() const { return x0 > x1 || y0 > y1; }
};

/// The image, or the part of it that is drawn, cut into square tiles, tile 0 at the bottom left,
/// counted along rows. Pixels are counted from the lower left of what is drawn.
struct TileGrid {
  int width, height;  ///< pixels
  int tile_size;      ///< pixels a side, a power of two
  int tile_shift;     ///< its logarithm
  int tiles_x, tiles_y;
  float s;               ///< 1/scale, the size of a pixel in frame space
  float scale;           ///< height of the whole image in pixels
  float half_x, half_y;  ///< ½ and the columns on the left, the rows below, that are not drawn
  /// Pixels beyond a circle's rim whose centres it may cover: some rounding, and with coverage by
  /// area half a pixel.
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
  /// Columns on the left and rows below that are not drawn: pixel i of what is drawn has its left
  /// edge at origin_x() + i.
  ROUNDEL_HOST_DEVICE float origin_x() const { return half_x - 0.5f; }
  ROUNDEL_HOST_DEVICE float origin_y() const { return half_y - 0.5f; }
  /// Where the drawn part begins in frame space.
  ROUNDEL_HOST_DEVICE float left() const { return origin_x() * s; }
  ROUNDEL_HOST_DEVICE float bottom() const { return origin_y() * s; }
  ROUNDEL_HOST_DEVICE int num_tiles() const { return tiles_x * tiles_y; }

  /// The pixels of a tile, clipped to the image.
  ROUNDEL_HOST_DEVICE PixelRect tile_pixels(int tile_x, int tile_y) const {
    const int x0 = tile_x * tile_size, y0 = tile_y * tile_size;
    return {x0, y0, smaller(x0 + tile_size, width) - 1, smaller(y0 + tile_size, height) - 1};
  }

  /// The tiles that the pixels of a non-empty rectangle lie in, ends included.
  ROUNDEL_HOST_DEVICE PixelRect tiles_of(const PixelRect& pixels) const {
    return {pixels.x0 >> tile_shift, pixels.y0 >> tile_shift, pixels.x1 >> tile_shift,
            pixels.y1 >> tile_shift};
  }

  /// A rectangle that holds every pixel of the image that the circle covers; empty for circles that
  /// are off the image, have no radius, or without coverage by area fall between pixel centres.
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
    // Ceiling and floor by truncation: conversions are cheap everywhere, libm calls are not.
    const int below_low = static_cast<int>(low);
    return {below_low + (static_cast<float>(below_low) < low ? 1 : 0),
            static_cast<int>(high + 1.0f) - 1};
#endif
  }
};

/// True unless the coverage test fails for every pixel centre of the (non-empty) rectangle. Exact
/// on the safe side without any margin: rounding is monotonic, so no centre of the rectangle can
/// come out nearer than its nearest point does.
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

/// True only if the coverage test succeeds for every pixel centre of the rectangle: for the
/// farthest one, again exactly, because rounding is monotonic.
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

/// Pixels a side of the CPU backend's tiles, unless it is asked for others: a tile's state, 16 KiB,
/// stays in a core's L1.
inline constexpr int kCpuTileSize = 32;

/// Circles that binning lists for each tile when no tile is finished early: the lengths of the
/// lists. Parallel.
std::vector<std::uint64_t> count_overlaps_by_tile(std::span<const Shape> shapes,
                                                  const TileGrid& grid);

/// All of them together: the frame's circle–tile pairs.
std::uint64_t count_overlaps(std::span<const Shape> shapes, const TileGrid& grid);

}  // namespace roundel
