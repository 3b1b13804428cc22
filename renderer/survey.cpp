#include "renderer/survey.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/data/table.h"
#include "renderer/picture_bands.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

/// Calls visit(shapes) for those of all circles, front ones first, piece by piece where they are
/// made for it.
template <typename Visit>
void for_each_piece(const CircleStream& stream, const Visit& visit) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  if (const Circles* const circles = stream.in_memory()) {
    visit(circles->shapes.span());
    return;
  }
  Circles piece;
  for (std::size_t end = stream.count(), size = 0; end > 0; end -= size) {
    size = std::min(end, kPiece);
    stream.fetch_in_parallel(end - size, size, piece);
    visit(std::as_const(piece).shapes.span().first(size));
  }
}

/// True if the disc and the picture, both in frame space, have a point in common.
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

/// Of no circles.
constexpr CirclePlaces kNoPlaces{
    {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
     std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()},
    0,
    0,
    0};

/// Of frame space.
CirclePlaces join_places(const CirclePlaces& a, const CirclePlaces& b) {
  return {{std::min(a.bounds.left, b.bounds.left), std::max(a.bounds.right, b.bounds.right),
           std::min(a.bounds.bottom, b.bounds.bottom), std::max(a.bounds.top, b.bounds.top)},
          a.touching + b.touching,
          a.under_a_pixel + b.under_a_pixel,
          a.circles + b.circles};
}
CirclePlaces places_of(std::span<const Shape> shapes, const ImageSettings& image) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, shapes.size(), kCirclesOfTask), kNoPlaces,
      [&](const tbb::blocked_range<std::size_t>& range, CirclePlaces places) {
        for (const Shape& shape : shapes.subspan(range.begin(), range.size())) {
          const double x = shape.x, y = shape.y, radius = shape.radius;
          places = join_places(places, {{x - radius, x + radius, y - radius, y + radius},
                                        touches(shape, image) ? 1U : 0U,
                                        is_under_a_pixel(shape, image) ? 1U : 0U,
                                        1});
        }
        return places;
      },
      join_places);
}

/// Of more circles that are made on the way only these runs are looked at.
constexpr std::size_t kRuns = 256, kRunCircles = std::size_t{1} << 14;
bool can_look_at_all(const CircleStream& circles) {
  return circles.in_memory() != nullptr || circles.count() <= kRuns * kRunCircles;
}

/// The same circles, for whom it does not matter which is on top.
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
  if (!source.is_streamed() || source.makes_all_first()) return count_parts(scene);
  Circles none;
  return estimate_frame(source.at(0, none), scene.image, kCpuTileSize,
                        2 * kCpuChunks.saturation_factor)
      .front_circles;  // of two chunks
}

bool makes_circles_on_the_way(const Scene& scene) {
  return CircleSource(scene).is_streamed();
}

SceneBounds view_bounds(const Scene& scene) {
  const double half_height = 0.5 / scene.view.zoom;
  const double half_width = half_height * scene.image.frame_width() / scene.image.frame_height();
  SceneBounds bounds{scene.view.center_x - half_width, scene.view.center_x + half_width,
                     scene.view.center_y - half_height, scene.view.center_y + half_height};
  const std::optional<SceneBounds> asked = asked_window(scene);
  if (!asked) return bounds;
  // Edges of the window where the picture ends are the window's numbers, and not what rounding has
  // left of them.
  const auto take = [&](double& edge, double number) {
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
    const double most = std::max({std::fabs(number), half_width, half_height});
    if (std::fabs(edge - number) <= kRounding * most) edge = number;
  };
  take(bounds.left, asked->left);
  take(bounds.right, asked->right);
  take(bounds.bottom, asked->bottom);
  take(bounds.top, asked->top);
  return bounds;
}

SceneBounds picture_bounds(const Scene& scene) {
  const SceneBounds view = view_bounds(scene);
  const ImageSettings& image = scene.image;
  // The place of a line between pixels; the first and last are the view's edges as they are.
  const auto place = [](double low, double high, int line, int lines) {
    return line == lines ? high : low + (high - low) * line / lines;
  };
  const auto x = [&](int column) {
    return place(view.left, view.right, column, image.frame_width());
  };
  const auto y = [&](int row) {
    return scene.view.flip_y ? place(view.top, view.bottom, row, image.frame_height())
                             : place(view.bottom, view.top, row, image.frame_height());
  };
  const double below = y(image.first_row()), above = y(image.first_row() + image.height);
  return {x(image.first_column()), x(image.first_column() + image.width), std::min(below, above),
          std::max(below, above)};
}

std::vector<ValueReading> value_readings(const DataSource& source, const DataMap& map,
                                         const DataFacts& facts) {
  using Kind = ValueReading::Kind;
  std::vector<ValueReading> readings;
  const auto name_of = [&](Slot slot) {
    const std::string& name = source.table->columns()[map.columns[slot]].name;
    return name.empty() ? fmt::format("column {}", map.columns[slot]) : printable(name);
  };
  const auto add_size = [&](const char* key, const SizeMap& size, std::uint64_t missing) {
    if (!size.slot) return;
    readings.push_back({key,
                        size.scale ? Kind::kScale : Kind::kNumbers,
                        {name_of(*size.slot)},
                        {size.one},
                        size.scale ? &*size.scale : nullptr,
                        missing});
  };
  add_size("radius", map.radius, facts.missing.radius);
  if (map.alpha) add_size("alpha", *map.alpha, facts.missing.alpha);
  const ColorMap& color = map.color;
  if (color.kind == ColorMap::Kind::kConstant) return readings;
  if (color.kind == ColorMap::Kind::kChannels) {
    ValueReading channels{"color", Kind::kChannels, {}, {}};
    for (std::size_t c = 0; c < color.channels.size(); ++c) {
      const NumberMap& channel = color.channels[c];
      channels.columns.push_back(channel.slot ? name_of(*channel.slot)
                                              : fmt::format("{}", channel.constant));
      channels.ones.push_back(color.ones[c]);
    }
    readings.push_back(std::move(channels));
    return readings;
  }
  const bool is_scale = color.kind == ColorMap::Kind::kScale;
  const Kind kind = is_scale                              ? Kind::kScale
                    : color.kind == ColorMap::Kind::kText ? Kind::kColors
                                                          : Kind::kCategories;
  readings.push_back({"color",
                      kind,
                      {name_of(color.slot)},
                      {1},
                      is_scale ? &color.scale : nullptr,
                      facts.missing.color});
  return readings;
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
    if (is_under_a_pixel(shapes[i], image)) ++sample.under_a_pixel;
    if (touches(shapes[i], image)) ++sample.touching;
    const double radius = static_cast<double>(shapes[i].radius) * image.frame_height();
    sample.ink += std::numbers::pi * radius * radius * std::fabs(paints[i].alpha);
    if (!is_snow(paints[i]))
      sample.brightest = std::max({sample.brightest, std::fabs(paints[i].red),
                                   std::fabs(paints[i].green), std::fabs(paints[i].blue)});
  }
  return sample;
}

CircleSample sample_circles(const Scene& scene, std::int64_t frame) {
  const Scene unsorted = without_order(scene);
  CircleSource source(unsorted);
  Circles memory;
  return sample_circles(source.at(frame, memory), scene.image);
}

bool touch_picture(const CircleStream& circles, const ImageSettings& image) {
  if (sample_circles(circles, image).touching > 0 || !can_look_at_all(circles)) return true;
  bool are_seen = false;
  for_each_piece(circles, [&](std::span<const Shape> shapes) {
    are_seen = are_seen || places_of(shapes, image).touching > 0;
  });
  return are_seen;
}

CirclePlaces circle_places(const Scene& scene, std::int64_t frame) {
  CirclePlaces places = kNoPlaces;
  const Scene unsorted = without_order(scene);
  CircleSource source(unsorted);
  Circles memory;
  const CircleStream circles = source.at(frame, memory);
  if (can_look_at_all(circles)) {
    for_each_piece(circles, [&](std::span<const Shape> shapes) {
      places = join_places(places, places_of(shapes, scene.image));
    });
  } else {
    Circles piece;
    for (std::size_t run = 0; run < kRuns; ++run) {
      circles.fetch_in_parallel((circles.count() - kRunCircles) / (kRuns - 1) * run, kRunCircles,
                                piece);
      places = join_places(places, places_of(piece.shapes.span().first(kRunCircles), scene.image));
    }
  }
  // Back to scene space.
  const SceneBounds view = view_bounds(scene);
  const SceneBounds bounds = places.bounds;
  const double zoom = scene.view.zoom;
  places.bounds = {view.left + bounds.left / zoom, view.left + bounds.right / zoom,
                   view.bottom + bounds.bottom / zoom, view.bottom + bounds.top / zoom};
  if (scene.view.flip_y) {
    places.bounds.bottom = view.top - bounds.top / zoom;
    places.bounds.top = view.top - bounds.bottom / zoom;
  }
  return places;
}

FrameSurvey survey_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                         int rows_of_band, const RasterOptions& options, WorkCount& progress) {
  CircleSource source(scene);
  Circles memory;
  const CircleStream circles = source.at(frame, memory);
  FrameSurvey survey;
  survey.sample = sample_circles(circles, scene.image);
  const ImageSettings& image = scene.image;
  const int bands = (image.height + rows_of_band - 1) / rows_of_band;
  if (source.is_streamed())
    progress.total = (1 + static_cast<std::uint64_t>(bands)) * circles.count();
  for_each_piece(circles, [&](std::span<const Shape> shapes) {
    survey.overlaps += count_overlaps(shapes, TileGrid::make(scene.image, kCpuTileSize));
    const CirclePlaces places = places_of(shapes, scene.image);
    survey.touching += places.touching;
    survey.under_a_pixel += places.under_a_pixel;
    if (source.is_streamed()) progress.done += shapes.size();
  });
  const CircleStream drawn = circles.counted(progress);
  if (bands == 1) {
    survey.drawing = measure_drawing(drawn, image, picture_bytes, options);
    return survey;
  }
  for (int top = 0; top < image.height; top += rows_of_band) {
    const DrawingNeeds band =
        measure_drawing(drawn, band_of(image, top, rows_of_band), picture_bytes, options);
    survey.drawing.memory = std::max(survey.drawing.memory, band.memory);
    survey.drawing.largest_chunk = std::max(survey.drawing.largest_chunk, band.largest_chunk);
  }
  return survey;
}

}  // namespace roundel
