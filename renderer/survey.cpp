#include "renderer/survey.h"

#include <algorithm>
#include <array>
#include <limits>

#include "renderer/generate/generate.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

/// Calls visit(circles, n) for all circles, front ones first, piece by piece where they are made
/// for it, until it returns false: the first n of `circles` are the piece's.
template <typename Visit>
void for_each_piece(const CircleStream& stream, const Visit& visit) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  if (const Circles* const circles = stream.in_memory()) {
    visit(*circles, circles->count());
    return;
  }
  Circles piece;
  for (std::size_t end = stream.count(), size = 0; end > 0; end -= size) {
    size = std::min(end, kPiece);
    stream.fetch_in_parallel(end - size, size, piece);
    if (!visit(piece, size)) return;
  }
}

}  // namespace

std::uint64_t expected_circles(const Scene& scene) {
  CircleSource source(scene);
  Circles none;
  if (!source.is_streamed()) return count_circles(scene);
  return estimate_frame(source.at(0, none), scene.image, kCpuTileSize,
                        2 * kCpuChunks.saturation_factor)
      .front_circles;  // of two chunks
}

bool makes_circles_on_the_way(const Scene& scene) {
  return CircleSource(scene).is_streamed();
}

SceneBounds view_bounds(const Scene& scene) {
  const double half_height = 0.5 / scene.view.zoom;
  const double half_width = half_height * scene.image.width / scene.image.height;
  return {scene.view.center_x - half_width, scene.view.center_x + half_width,
          scene.view.center_y - half_height, scene.view.center_y + half_height};
}

CircleSample sample_circles(const CircleStream& circles, const ImageSettings& image) {
  constexpr std::size_t kSamples = 256;
  std::array<Shape, kSamples> shapes;  // NOLINT: only the first `sample.circles` are set
  std::array<Paint, kSamples> paints;  // NOLINT
  CircleSample sample;
  sample.circles = std::min(circles.count(), kSamples);
  for (std::size_t i = 0, run = 0; i < sample.circles; i += run) {
    run = std::min(circles.sample_run(), sample.circles - i);
    const std::size_t first = std::min(circles.count() / sample.circles * i, circles.count() - run);
    circles.fetch(first, std::span(shapes).subspan(i, run), std::span(paints).subspan(i, run));
  }
  for (std::size_t i = 0; i < sample.circles; ++i) {
    if (2 * shapes[i].radius * static_cast<float>(image.height) < 1) ++sample.under_a_pixel;
    if (!is_snow(paints[i]))
      sample.brightest =
          std::max({sample.brightest, paints[i].red, paints[i].green, paints[i].blue});
  }
  return sample;
}

CircleSample sample_circles(const Scene& scene, std::int64_t frame) {
  CircleSource source(scene);
  Circles memory;
  return sample_circles(source.at(frame, memory), scene.image);
}

SceneBounds circle_bounds(const Scene& scene, std::int64_t frame) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SceneBounds bounds{kInfinity, -kInfinity, kInfinity, -kInfinity};  // of frame space
  const auto add = [&bounds](std::span<const Shape> shapes) {
    for (const Shape& shape : shapes) {
      bounds.left = std::min(bounds.left, double{shape.x} - double{shape.radius});
      bounds.right = std::max(bounds.right, double{shape.x} + double{shape.radius});
      bounds.bottom = std::min(bounds.bottom, double{shape.y} - double{shape.radius});
      bounds.top = std::max(bounds.top, double{shape.y} + double{shape.radius});
    }
  };
  CircleSource source(scene);
  Circles memory;
  for_each_piece(source.at(frame, memory), [&](const Circles& circles, std::size_t size) {
    add(circles.shapes.span().first(size));
    return true;
  });
  // Back to scene space.
  const SceneBounds view = view_bounds(scene);
  const double zoom = scene.view.zoom;
  return {view.left + bounds.left / zoom, view.left + bounds.right / zoom,
          view.bottom + bounds.bottom / zoom, view.bottom + bounds.top / zoom};
}

bool touches_picture(const Scene& scene, std::int64_t frame) {
  CircleSource source(scene);
  Circles memory;
  std::uint64_t overlaps = 0;
  for_each_piece(source.at(frame, memory), [&](const Circles& circles, std::size_t size) {
    overlaps = count_overlaps(circles.shapes.span().first(size), scene.image.width,
                              scene.image.height, kCpuTileSize);
    return overlaps == 0;
  });
  return overlaps > 0;
}

FrameSurvey survey_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                         const RasterOptions& options, SurveyProgress& progress) {
  CircleSource source(scene);
  Circles memory;
  const CircleStream circles = source.at(frame, memory);
  FrameSurvey survey;
  survey.sample = sample_circles(circles, scene.image);
  if (source.is_streamed()) progress.total = 2 * circles.count();
  for_each_piece(circles, [&](const Circles& piece, std::size_t size) {
    survey.overlaps += count_overlaps(piece.shapes.span().first(size), scene.image.width,
                                      scene.image.height, kCpuTileSize);
    if (source.is_streamed()) progress.done += size;
    return true;
  });
  const CircleStream counted(
      circles.count(), circles.sample_run(),
      [&](std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) {
        circles.fetch(first, shapes, paints);
        progress.done += shapes.size();
      });
  survey.drawing = measure_drawing(source.is_streamed() ? counted : circles, scene.image,
                                   picture_bytes, options);
  return survey;
}

}  // namespace roundel
