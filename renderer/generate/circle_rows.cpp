#include "renderer/generate/circle_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "renderer/generate/circle_parts.h"

namespace roundel {
namespace {

constexpr std::size_t kShapeColumns = 4;   // x, y, z, radius
constexpr std::size_t kColorColumns = 7;   // and red, green, blue
constexpr std::size_t kAllColumns = 8;     // and alpha
constexpr std::size_t kStrokeColumns = 9;  // and inner radius

/// By circle; in layers without a stroke that of a stroke of width 0.
std::vector<float> inner_radii(const Scene& scene, const Circles& circles) {
  std::vector<float> radii;
  radii.reserve(circles.count());
  for (const Layer& layer : scene.layers) {
    const double width = layer.stroke ? stroke_width(scene, layer) / scene.view.zoom : 0;
    for (std::uint64_t i = 0, count = count_circles(layer); i < count; ++i) {
      const double radius = circles.shapes[radii.size()].radius;
      radii.push_back(static_cast<float>(std::max(radius - width, 0.0)));
    }
  }
  return radii;
}

}  // namespace

std::size_t circle_columns(const Scene& scene, bool all) {
  const bool all_snow = std::all_of(
      scene.layers.begin(), scene.layers.end(),
      [](const Layer& layer) { return layer.is_hidden || layer.shader == Shader::kSnow; });
  if (all) return scene.image.looks.rings ? kStrokeColumns : kAllColumns;
  return all_snow && !scene.layers.empty() ? kShapeColumns : kColorColumns;
}

std::vector<float> circle_rows(const Scene& scene, const Circles& circles, std::size_t columns) {
  const std::vector<float> inner =
      columns == kStrokeColumns ? inner_radii(scene, circles) : std::vector<float>();
  std::vector<float> rows;
  rows.reserve(circles.count() * columns);
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const Shape& shape = circles.shapes[i];
    rows.insert(rows.end(), {shape.x, shape.y, shape.z, shape.radius});
    if (columns == kShapeColumns) continue;
    const Paint& paint = circles.paints[i];
    const bool snows = is_snow(paint);  // and has no colour of its own
    rows.insert(rows.end(),
                {snows ? 1.0f : paint.red, snows ? 1.0f : paint.green, snows ? 1.0f : paint.blue});
    if (columns >= kAllColumns) rows.push_back(std::abs(paint.alpha));
    if (columns == kStrokeColumns) rows.push_back(inner[i]);
  }
  return rows;
}

}  // namespace roundel
