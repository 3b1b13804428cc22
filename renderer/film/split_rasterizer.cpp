#include "renderer/film/split_rasterizer.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

constexpr std::size_t kBandSlab = 65536;  // circles a task looks at

bool may_cover_band(const TileGrid& grid, const Shape& shape, const RowBand& band) {
  const PixelRect bounds = grid.pixel_bounds(shape);
  return bounds.x0 <= bounds.x1 && bounds.y0 <= bounds.y1 && bounds.y0 < band.end &&
         bounds.y1 >= band.first;
}

class SplitRasterizer final : public Rasterizer {
 public:
  SplitRasterizer(std::vector<std::unique_ptr<Rasterizer>> rasterizers, BandExchange* others)
      : painter_(std::move(rasterizers)), others_(others) {}
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats) override {
    const RowBand whole = {0, image.height};
    const int count = others_ != nullptr ? others_->count() : 1;
    // Every band that was ordered is received, whatever goes wrong: its sender waits for that.
    std::exception_ptr error;
    const auto attempt = [&error](const auto& work) {
      try {
        work();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    };
    if (others_ != nullptr) others_->order();
    out.resize(image);
    attempt(
        [&] { painter_.draw(circles.all(made_), image, part_of(whole, 0, count), out, stats); });
    for (int i = 1; i < count; ++i) {
      attempt([&] { others_->receive(i, band_bytes(out, part_of(whole, i, count))); });
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  BandPainter painter_;
  BandExchange* others_;
  Circles made_;  // where they are not in memory
};

}  // namespace

RowBand part_of(const RowBand& whole, int index, int count) {
  const std::int64_t rows = whole.end - whole.first;
  return {whole.first + static_cast<int>(rows * index / count),
          whole.first + static_cast<int>(rows * (index + 1) / count)};
}

void select_band(const Circles& circles, const ImageSettings& image, const RowBand& band,
                 Circles& selected) {
  const TileGrid grid = TileGrid::make(image, 16);
  const std::size_t count = circles.count();
  const std::size_t slabs = (count + kBandSlab - 1) / kBandSlab;
  // Count in each slab, add up, and put each slab's circles where they belong: paint order stays.
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

struct BandPainter::Part {
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

BandPainter::BandPainter(std::vector<std::unique_ptr<Rasterizer>> rasterizers) {
  for (auto& rasterizer : rasterizers) {
    parts_.push_back(std::make_unique<Part>(std::move(rasterizer)));
  }
}

BandPainter::~BandPainter() = default;

void BandPainter::draw(const Circles& circles, const ImageSettings& image, const RowBand& band,
                       const FrameTarget& out, StageStats& stats) {
  out.resize(image);
  const auto count = static_cast<int>(parts_.size());
  std::vector<std::jthread> threads;  // joined even if another one cannot be had
  for (int i = 0; i < count; ++i) {
    Part& part = *parts_[static_cast<std::size_t>(i)];
    part.stats = {};
    part.error = nullptr;
    threads.emplace_back([&part, &circles, &image, &out, own = part_of(band, i, count)] {
      part.draw(circles, image, own, out);
    });
  }
  threads.clear();
  for (const auto& part : parts_) {
    if (part->error) std::rethrow_exception(part->error);
    stats.add(part->stats);
  }
}

std::unique_ptr<Rasterizer> make_split_rasterizer(
    std::vector<std::unique_ptr<Rasterizer>> rasterizers, BandExchange* others) {
  return std::make_unique<SplitRasterizer>(std::move(rasterizers), others);
}

}  // namespace roundel
