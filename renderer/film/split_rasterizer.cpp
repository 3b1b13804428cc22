#include "renderer/film/split_rasterizer.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <thread>
#include <utility>

#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

constexpr std::size_t kBandSlab = 65536;  // circles of a task

bool may_cover_band(const TileGrid& grid, const Shape& shape, const RowBand& band) {
  const PixelRect bounds = grid.pixel_bounds(shape);
  return bounds.x0 <= bounds.x1 && bounds.y0 <= bounds.y1 && bounds.y0 < band.end &&
         bounds.y1 >= band.first;
}

/// In the picture's order of rows.
std::span<std::uint8_t> band_bytes(const FrameTarget& out, const RowBand& band) {
  const auto rows = [](std::uint8_t* bytes, std::size_t row_bytes, int first, int end) {
    return std::span(bytes + static_cast<std::size_t>(first) * row_bytes,
                     static_cast<std::size_t>(end - first) * row_bytes);
  };
  if (out.framebuffer != nullptr)
    return rows(reinterpret_cast<std::uint8_t*>(out.framebuffer->pixels.data()),
                static_cast<std::size_t>(out.framebuffer->width) * sizeof(Pixel), band.first,
                band.end);
  Image& image = *out.image;
  // Image rows go down.
  return rows(image.bytes.data(), image.row_bytes(), image.height - band.end,
              image.height - band.first);
}

struct Part {
  explicit Part(std::unique_ptr<Rasterizer> owned) : rasterizer(std::move(owned)) {}

  void draw(const Circles& all, const ImageSettings& settings, const RowBand& band,
            const FrameTarget& out) {
    try {
      select_band(all, settings, band, circles);
      const FrameTarget own =
          out.framebuffer != nullptr ? FrameTarget(framebuffer) : FrameTarget(image);
      rasterizer->draw(circles, settings, own, stats);
      const auto from = band_bytes(own, band);
      if (!from.empty()) std::memcpy(band_bytes(out, band).data(), from.data(), from.size());
    } catch (...) {
      error = std::current_exception();
    }
  }

  std::unique_ptr<Rasterizer> rasterizer;
  Circles circles;
  Image image;
  Framebuffer framebuffer;
  StageStats stats;
  std::exception_ptr error;
};

class SplitRasterizer final : public Rasterizer {
 public:
  explicit SplitRasterizer(std::vector<std::unique_ptr<Rasterizer>> rasterizers) {
    for (auto& one : rasterizers) parts_.push_back(std::make_unique<Part>(std::move(one)));
  }

 private:
  void draw_circles(const CircleStream& stream, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    const Circles& circles = stream.all(made_);
    out.resize(image);
    const auto count = static_cast<int>(parts_.size());
    std::vector<std::jthread> threads;  // joined even if a later thread cannot start
    for (int i = 0; i < count; ++i) {
      Part& part = *parts_[static_cast<std::size_t>(i)];
      part.stats = {};
      part.error = nullptr;
      threads.emplace_back([&part, &circles, &image, &out, band = band_of(image.height, i, count)] {
        part.draw(circles, image, band, out);
      });
    }
    threads.clear();
    for (const auto& part : parts_) {
      if (part->error) std::rethrow_exception(part->error);
      stats.add(part->stats);
    }
  }

  std::vector<std::unique_ptr<Part>> parts_;
  Circles made_;  // if they are made on demand
};

}  // namespace

RowBand band_of(int rows, int index, int count) {
  const std::int64_t all = rows;
  return {static_cast<int>(all * index / count), static_cast<int>(all * (index + 1) / count)};
}

void select_band(const Circles& circles, const ImageSettings& image, const RowBand& band,
                 Circles& selected) {
  const TileGrid grid = TileGrid::make(image, 16);
  const std::size_t count = circles.count();
  const std::size_t slabs = (count + kBandSlab - 1) / kBandSlab;
  // Count in each slab, scan, and copy each slab's circles to its offset: paint order stays.
  std::vector<std::size_t> offsets(slabs + 1, 0);
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t slab) {
    const auto begin = circles.shapes.begin() + slab * kBandSlab;
    const auto end = circles.shapes.begin() + std::min(count, (slab + 1) * kBandSlab);
    offsets[slab + 1] = static_cast<std::size_t>(std::count_if(
        begin, end, [&](const Shape& shape) { return may_cover_band(grid, shape, band); }));
  });
  for (std::size_t slab = 0; slab < slabs; ++slab) offsets[slab + 1] += offsets[slab];
  selected.shapes.resize_discard(offsets[slabs]);
  selected.paints.resize_discard(offsets[slabs]);
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t slab) {
    std::size_t next = offsets[slab];
    for (std::size_t i = slab * kBandSlab; i < std::min(count, (slab + 1) * kBandSlab); ++i) {
      if (!may_cover_band(grid, circles.shapes[i], band)) continue;
      selected.shapes[next] = circles.shapes[i];
      selected.paints[next++] = circles.paints[i];
    }
  });
}

std::unique_ptr<Rasterizer> make_split_rasterizer(
    std::vector<std::unique_ptr<Rasterizer>> rasterizers) {
  return std::make_unique<SplitRasterizer>(std::move(rasterizers));
}

}  // namespace roundel
