#include "tools/lab/bench/frame_work.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "renderer/raster/pixel_walk.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

constexpr int kBandRows = 16;

/// Counts one band of rows, front to back.
std::uint64_t count_in_band(const Circles& circles, const ImageSettings& image, int first_row,
                            int last_row, std::vector<std::uint8_t>& visible) {
  const TileGrid grid = TileGrid::make(image, kBandRows);
  const SnowRamp ramp = snow_ramp(image.blend_space);
  const auto width = static_cast<std::size_t>(image.width);
  const int num_rows = last_row - first_row + 1;
  const auto rows = static_cast<std::size_t>(num_rows);
  std::vector<PixelWalk> pixels;
  for (int y = first_row; y <= last_row; ++y)
    for (int x = 0; x < image.width; ++x) pixels.push_back(PixelWalk::at(x, y, image));
  std::vector<std::size_t> live(rows, width);
  std::uint64_t fragments = 0;
  for (std::size_t i = circles.count(); i-- > 0;) {
    const Shape& shape = circles.shapes[i];
    const PixelRect box = grid.pixel_bounds(shape);
    if (box.empty() || box.y0 > last_row || box.y1 < first_row) continue;
    const std::uint64_t before = fragments;
    for (int y = std::max(box.y0, first_row); y <= std::min(box.y1, last_row); ++y) {
      const auto row = static_cast<std::size_t>(y - first_row);
      if (live[row] == 0) continue;
      for (int x = box.x0; x <= box.x1; ++x) {
        PixelWalk& pixel = pixels[row * width + static_cast<std::size_t>(x)];
        if (pixel.has_stopped()) continue;
        const float share = pixel.share_of(shape, circles.paints[i]);
        if (share == 0) continue;
        ++fragments;
        pixel.blend(shape, circles.paints[i], share, ramp);
        if (pixel.has_stopped()) --live[row];
      }
    }
    if (fragments > before) std::atomic_ref(visible[i]).store(1, std::memory_order_relaxed);
    if (fragments > before && std::all_of(live.begin(), live.end(), [](auto n) { return n == 0; }))
      break;
  }
  return fragments;
}

}  // namespace

FrameWork count_work(const Circles& circles, const ImageSettings& image) {
  const int bands = (image.height + kBandRows - 1) / kBandRows;
  std::vector<std::uint8_t> visible(circles.count());
  std::vector<std::uint64_t> fragments(static_cast<std::size_t>(bands));
  tbb::parallel_for(0, bands, [&](int band) {
    const int last = std::min((band + 1) * kBandRows, image.height) - 1;
    fragments[static_cast<std::size_t>(band)] =
        count_in_band(circles, image, band * kBandRows, last, visible);
  });
  return {std::accumulate(fragments.begin(), fragments.end(), std::uint64_t{0}),
          static_cast<std::uint64_t>(std::count(visible.begin(), visible.end(), 1))};
}

double FrameWork::bytes(const ImageSettings& image) const {
  return static_cast<double>(visible) * (sizeof(Shape) + sizeof(Paint)) +
         static_cast<double>(image.pixels()) * image.channels();
}

double FrameWork::operations(const ImageSettings& image) const {
  constexpr double kPerFragment = 11, kPerPixel = 12;
  return static_cast<double>(fragments) * kPerFragment +
         static_cast<double>(image.pixels()) * kPerPixel;
}

}  // namespace roundel
