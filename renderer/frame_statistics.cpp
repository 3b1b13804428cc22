#include "renderer/frame_statistics.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/circles/generate.h"
#include "renderer/picture_bands.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/scene/view_bounds.h"

namespace roundel {
namespace {

/// In circles: small for passes within a memory limit, large for sorted data, which are read once a
/// piece.
constexpr std::size_t kSmallPiece = std::size_t{1} << 17, kLargePiece = std::size_t{1} << 22;

/// Calls visit(shapes), front circles first. Circles made on demand come in pieces of at most
/// `piece_size`.
template <typename Visit>
void for_each_piece(const CircleStream& stream, std::size_t piece_size, const Visit& visit) {
  if (const Circles* const circles = stream.in_memory()) {
    visit(circles->shapes.span());
    return;
  }
  Circles piece;
  for (std::size_t end = stream.count(), size = 0; end > 0; end -= size) {
    size = std::min(end, piece_size);
    stream.fetch_in_parallel(end - size, size, piece);
    visit(std::as_const(piece).shapes.span().first(size));
  }
}

/// Both are in frame space.
bool touches(const Shape& shape, const ImageSettings& image) {
  const float height = static_cast<float>(image.frame_height());
  const auto away = [height](float center, int first, int count) {
    return center - std::clamp(center, static_cast<float>(first) / height,
                               static_cast<float>(first + count) / height);
  };
  const float dx = away(shape.x, image.first_column(), image.width);
  const float dy = away(shape.y, image.first_row(), image.height);
  return dx * dx + dy * dy <= shape.radius * shape.radius;
}

bool is_under_a_pixel(const Shape& shape, const ImageSettings& image) {
  return 2 * shape.radius * static_cast<float>(image.frame_height()) < 1;
}

bool is_centered(const Shape& shape, const ImageSettings& image) {
  const float aspect =
      static_cast<float>(image.frame_width()) / static_cast<float>(image.frame_height());
  return shape.x >= 0 && shape.x <= aspect && shape.y >= 0 && shape.y <= 1;
}

constexpr CircleStatistics kNoStatistics{
    {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
     std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()},
    0,
    0};

CircleStatistics join_statistics(const CircleStatistics& a, const CircleStatistics& b) {
  return {{std::min(a.bounds.left, b.bounds.left), std::max(a.bounds.right, b.bounds.right),
           std::min(a.bounds.bottom, b.bounds.bottom), std::max(a.bounds.top, b.bounds.top)},
          a.touching + b.touching,
          a.under_a_pixel + b.under_a_pixel};
}

CircleStatistics statistics_of(std::span<const Shape> shapes, const ImageSettings& image) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, shapes.size(), kTaskCircles), kNoStatistics,
      [&](const tbb::blocked_range<std::size_t>& range, CircleStatistics sums) {
        for (const Shape& shape : shapes.subspan(range.begin(), range.size())) {
          const double x = shape.x, y = shape.y, radius = shape.radius;
          sums = join_statistics(sums, {{x - radius, x + radius, y - radius, y + radius},
                                        touches(shape, image) ? 1U : 0U,
                                        is_under_a_pixel(shape, image) ? 1U : 0U});
        }
        return sums;
      },
      join_statistics);
}

/// In file order, without sorting.
Scene without_order(const Scene& scene) {
  Scene unsorted = scene;
  for (Layer& layer : unsorted.layers)
    if (auto* const data = std::get_if<DataSource>(&layer.source); data != nullptr)
      data->map.order.reset();
  return unsorted;
}

}  // namespace

std::uint64_t expected_circles(const Scene& scene) {
  const Scene unsorted = without_order(scene);
  CircleSource source(unsorted);
  if (!source.is_streamed()) return count_parts(scene);
  Circles none;
  return estimate_frame(source.at(0, none), scene.image, kCpuTileSize,
                        2 * kCpuChunks.saturation_factor)
      .front_circles;  // front circles of two chunks
}

CircleSample sample_circles(const CircleStream& circles, const ImageSettings& image) {
  constexpr std::size_t kSamples = 256;
  std::array<Shape, kSamples> shapes;  // NOLINT: only the first `sample.circles` are set
  std::array<Paint, kSamples> paints;  // NOLINT
  CircleSample sample;
  sample.circles = std::min(circles.count(), kSamples);
  for (std::size_t i = 0, run = 0; i < sample.circles; i += run) {
    run = std::min(circles.traits().sample_run, sample.circles - i);
    const std::size_t first = std::min(circles.count() / sample.circles * i, circles.count() - run);
    circles.fetch(first, std::span(shapes).subspan(i, run), std::span(paints).subspan(i, run));
  }
  for (std::size_t i = 0; i < sample.circles; ++i) {
    if (is_under_a_pixel(shapes[i], image)) ++sample.under_a_pixel;
    if (touches(shapes[i], image)) ++sample.touching;
    if (is_centered(shapes[i], image)) ++sample.centered;
    if (i == 0 || shapes[i].radius < sample.min_radius) sample.min_radius = shapes[i].radius;
    const double radius = static_cast<double>(shapes[i].radius) * image.frame_height();
    sample.ink += std::numbers::pi * radius * radius * std::fabs(paints[i].alpha);
    if (!is_snow(paints[i]))
      sample.brightest = std::max({sample.brightest, std::fabs(paints[i].red),
                                   std::fabs(paints[i].green), std::fabs(paints[i].blue)});
  }
  return sample;
}

CircleSample sample_film(const Scene& scene) try {
  constexpr std::uint64_t kMaxSampledCircles = 1'000'000;  // taking some milliseconds
  const Scene unsorted = without_order(scene);
  CircleSource source(unsorted);
  if (source.is_simulated() || (!source.is_streamed() && count_parts(scene) > kMaxSampledCircles))
    return {};
  Circles memory;
  return sample_circles(source.at(0, memory), scene.image);
} catch (const Error&) {  // bad data fail the frame itself
  return {};
}

namespace {
/// Bounds in scene space of bounds that the view turns.
SceneBounds turned_back(const SceneBounds& turned, const View& view) {
  const PointMove back({}, -view.scene_rotate(), {view.center_x, view.center_y});
  SceneBounds bounds = kNoStatistics.bounds;
  for (const double corner_x : {turned.left, turned.right})
    for (const double corner_y : {turned.bottom, turned.top}) {
      const auto [x, y] = back(corner_x, corner_y);
      bounds = {std::min(bounds.left, x), std::max(bounds.right, x), std::min(bounds.bottom, y),
                std::max(bounds.top, y)};
    }
  return bounds;
}
}  // namespace

CircleStatistics circle_statistics(const CircleStream& circles, const Scene& scene) {
  CircleStatistics sums = kNoStatistics;
  for_each_piece(circles, kSmallPiece, [&](std::span<const Shape> shapes) {
    sums = join_statistics(sums, statistics_of(shapes, scene.image));
  });
  const SceneBounds view = view_bounds(scene);
  const SceneBounds bounds = sums.bounds;
  const double zoom = scene.view.zoom;
  sums.bounds = {view.left + bounds.left / zoom, view.left + bounds.right / zoom,
                 view.bottom + bounds.bottom / zoom, view.bottom + bounds.top / zoom};
  if (scene.view.flip_y) {
    sums.bounds.bottom = view.top - bounds.top / zoom;
    sums.bounds.top = view.top - bounds.bottom / zoom;
  }
  if (scene.view.rotate != 0) sums.bounds = turned_back(sums.bounds, scene.view);
  return sums;
}

CircleStatistics circle_statistics(const Scene& scene, std::int64_t frame) {
  const Scene unsorted = without_order(scene);
  CircleSource source(unsorted);
  Circles memory;
  return circle_statistics(source.at(frame, memory), scene);
}

std::uint64_t frame_overlaps(const Scene& scene, std::int64_t frame) {
  Scene shapes_only = without_order(scene);
  for (Layer& layer : shapes_only.layers)
    if (auto* const data = std::get_if<DataSource>(&layer.source); data != nullptr)
      data->map.color = {};  // its categories may exceed the memory
  CircleSource source(shapes_only);
  Circles memory;
  std::uint64_t overlaps = 0;
  for_each_piece(source.at(frame, memory), kSmallPiece, [&](std::span<const Shape> shapes) {
    overlaps += count_overlaps(shapes, TileGrid::make(scene.image, kCpuTileSize));
  });
  return overlaps;
}

FrameStatistics measure_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                              int rows_of_band, const RasterOptions& options, WorkCount& progress) {
  CircleSource source(scene);
  Circles memory;
  const CircleStream circles = source.at(frame, memory);
  FrameStatistics statistics;
  statistics.sample = sample_circles(circles, scene.image);
  const ImageSettings& image = scene.image;
  const int bands = (image.height + rows_of_band - 1) / rows_of_band;
  if (source.is_streamed())
    progress.total = (1 + static_cast<std::uint64_t>(bands)) * circles.count();
  for_each_piece(circles, kLargePiece, [&](std::span<const Shape> shapes) {
    statistics.overlaps += count_overlaps(shapes, TileGrid::make(scene.image, kCpuTileSize));
    const CircleStatistics sums = statistics_of(shapes, scene.image);
    statistics.touching += sums.touching;
    statistics.under_a_pixel += sums.under_a_pixel;
    if (source.is_streamed()) progress.done += shapes.size();
  });
  const CircleStream drawn = circles.counted(progress);
  if (bands == 1) {
    statistics.drawing = measure_drawing(drawn, image, picture_bytes, options);
    return statistics;
  }
  for (int top = 0; top < image.height; top += rows_of_band) {
    const DrawingNeeds band =
        measure_drawing(drawn, band_of(image, top, rows_of_band), picture_bytes, options);
    statistics.drawing.memory = std::max(statistics.drawing.memory, band.memory);
    statistics.drawing.largest_chunk =
        std::max(statistics.drawing.largest_chunk, band.largest_chunk);
  }
  return statistics;
}

}  // namespace roundel
