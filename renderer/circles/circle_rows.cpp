#include "renderer/circles/circle_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "renderer/circles/circle_parts.h"
#include "renderer/circles/view.h"
#include "renderer/scene/double_centers.h"

namespace roundel {
namespace {

constexpr std::size_t kShapeColumns = 4;   // x, y, z, radius
constexpr std::size_t kColorColumns = 7;   // and red, green, blue
constexpr std::size_t kAllColumns = 8;     // and alpha
constexpr std::size_t kStrokeColumns = 9;  // and inner radius

/// Returns widths in scene space, by circle; 0 without a stroke.
std::vector<double> stroke_widths(const Scene& scene) {
  std::vector<double> widths;
  for (const Layer& layer : scene.layers)
    widths.resize(widths.size() + count_circles(layer),
                  layer.stroke ? stroke_width(scene, layer) / scene.view.zoom : 0);
  return widths;
}

/// `shape_of(i)`: geometry to write.
template <typename Number, typename ShapeOf>
std::vector<Number> rows_of(const Scene& scene, const Circles& circles, std::size_t columns,
                            const ShapeOf& shape_of) {
  const std::vector<double> widths =
      columns == kStrokeColumns ? stroke_widths(scene) : std::vector<double>();
  std::vector<Number> rows;
  rows.reserve(circles.count() * columns);
  const auto add = [&rows](auto... numbers) {
    (rows.push_back(static_cast<Number>(numbers)), ...);
  };
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const SceneShape shape = shape_of(i);
    add(shape.x, shape.y, shape.z, shape.radius);
    if (columns == kShapeColumns) continue;
    const Paint& paint = circles.paints[i];
    const BlendColor color = is_snow(paint) ? BlendColor{1, 1, 1} : paint_color(paint);
    add(color.red, color.green, color.blue);
    if (columns >= kAllColumns) add(std::abs(paint.alpha));
    if (columns == kStrokeColumns) add(std::max(shape.radius - widths[i], 0.0));
  }
  return rows;
}

/// The number closest to `value` that moves to `goal`, or `value`.
template <typename Number, typename Move>
Number moved_to(float goal, Number value, const Move& move) {
  constexpr int kTries = 24;
  Number step = 0;
  for (int i = 0; i < kTries; ++i) {
    if (move(value - step) == goal) return value - step;
    if (move(value + step) == goal) return value + step;
    const Number size = std::abs(value);
    step = i == 0 ? std::nextafter(size, std::numeric_limits<Number>::infinity()) - size : 2 * step;
  }
  return value;
}

/// The point closest to `point` for which `is_goal` is true, or `point`.
template <typename IsGoal>
ScenePoint moved_to(const ScenePoint& point, const IsGoal& is_goal) {
  constexpr int kTries = 12;
  const auto step = [](double value, int k) {
    const double size = std::abs(value);
    const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
    return k == 0 ? value : value + std::copysign(std::ldexp(ulp, std::abs(k) - 1), k);
  };
  for (int tries = 0; tries <= kTries; ++tries)
    for (int i = -tries; i <= tries; ++i)
      for (int j = -tries; j <= tries; ++j) {
        if (std::max(std::abs(i), std::abs(j)) != tries) continue;
        const ScenePoint other{step(point.x, i), step(point.y, j)};
        if (is_goal(other)) return other;
      }
  return point;
}

/// True if circles are rounded to binary32 after the view.
bool is_rounded_last(const Scene& scene) {
  if (is_identity(scene.view, scene.image.frame_width(), scene.image.frame_height())) return false;
  return std::any_of(scene.layers.begin(), scene.layers.end(), [&scene](const Layer& layer) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    return !layer.is_hidden &&
           (layer.is_on_screen || !layer.move.is_identity() || has_double_centers(scene, layer) ||
            (data != nullptr && (!data->map.is_plain || !data->fits_float)));
  });
}

std::vector<double> rounded_last(const Scene& scene, CircleSource& source, std::int64_t frame,
                                 std::size_t columns, Circles& buffer) {
  std::vector<ScenePoint> centers;
  source.generate_with_centers(frame, buffer, centers);
  const double zoom = scene.view.zoom;
  const FrameMove move(scene.view, scene.image.frame_width(), scene.image.frame_height());
  const PointMove turn = turned_move({}, scene.view);
  // Columns of data round the radius before the view, maps after it.
  const auto zoom_float = [zoom](float radius) {
    return static_cast<float>(static_cast<double>(radius) * zoom);
  };
  const auto zoom_double = [zoom](double radius) { return static_cast<float>(radius * zoom); };
  return rows_of<double>(scene, buffer, columns, [&](std::size_t i) {
    const Shape& drawn = buffer.shapes[i];
    const double radius = static_cast<double>(drawn.radius) / zoom;
    const float rounded = moved_to(drawn.radius, static_cast<float>(radius), zoom_float);
    ScenePoint center = centers[i];
    if (turn.is_identity()) {
      center.x = moved_to(drawn.x, center.x, [&](double x) { return move.x(x); });
      center.y = moved_to(drawn.y, center.y, [&](double y) { return move.y(y); });
    } else {
      center = moved_to(center, [&](const ScenePoint& point) {
        const auto [x, y] = turn(point.x, point.y);
        return move.x(x) == drawn.x && move.y(y) == drawn.y;
      });
    }
    return SceneShape{center.x, center.y, static_cast<double>(drawn.z),
                      zoom_float(rounded) == drawn.radius
                          ? static_cast<double>(rounded)
                          : moved_to(drawn.radius, radius, zoom_double)};
  });
}

}  // namespace

std::size_t circle_columns(const Scene& scene, bool all) {
  const bool all_snow = std::all_of(
      scene.layers.begin(), scene.layers.end(),
      [](const Layer& layer) { return layer.is_hidden || layer.shader == Shader::kSnow; });
  if (all) return scene.image.styles.rings ? kStrokeColumns : kAllColumns;
  return all_snow && !scene.layers.empty() ? kShapeColumns : kColorColumns;
}

std::size_t circle_row_bytes(const Scene& scene, bool all) {
  constexpr std::size_t kTwice = 2;  // rows, and the file made of them
  const std::size_t bytes = kTwice * circle_columns(scene, all) * sizeof(float);
  return sizeof(Shape) + sizeof(Paint) +
         (all && is_rounded_last(scene) ? 2 * bytes + sizeof(ScenePoint) : bytes);
}

CircleRows circle_rows(const Scene& scene, CircleSource& source, std::int64_t frame, bool all,
                       Circles& buffer) {
  const std::size_t columns = circle_columns(scene, all);
  if (all && is_rounded_last(scene)) return rounded_last(scene, source, frame, columns, buffer);
  source.generate(frame, buffer);
  return rows_of<float>(scene, buffer, columns, [&](std::size_t i) {
    const Shape& shape = buffer.shapes[i];
    return SceneShape{shape.x, shape.y, shape.z, shape.radius};
  });
}

}  // namespace roundel
