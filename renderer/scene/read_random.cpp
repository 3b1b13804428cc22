#include "renderer/scene/read_random.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/text.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/scene_spec.h"

namespace roundel {
namespace {

class RandomReader {
 public:
  RandomReader(std::string layer_path, FormatErrors& errors)
      : path_(std::move(layer_path) + ".random"), errors_(errors) {}

  RandomSource read(PartlyValidNode node) {
    RandomSource source;
    scene_forms().random.fill(node, source);
    if (const auto color = node.find("color"))
      source.color = read_color_law(*color, path_ + ".color", errors_);
    check_order(node, "radius", source.radius);
    if (source.alpha) check_order(node, "alpha", *source.alpha);
    check_order(node, "depth", source.depth);
    if (const auto position = node.find("position")) check_position(*position, source.position);
    if (const auto* grid = std::get_if<GridPosition>(&source.position))
      source.count = count_cells(node, *grid);
    else if (!node.has("count") && node.find("position"))
      errors_.add(node.place(), path_, "missing key \"count\"");
    return source;
  }

 private:
  void check_position(ValidNode node, const PositionLaw& law) {
    const std::string path = path_ + ".position";
    const auto is_box = [](const auto& box) {
      return box.low[0] <= box.high[0] && box.low[1] <= box.high[1];
    };
    const auto* const uniform = std::get_if<UniformPosition>(&law);
    const auto* const grid = std::get_if<GridPosition>(&law);
    if ((uniform && !is_box(*uniform)) || (grid && !is_box(*grid)))
      errors_.add(node.place(), path, "expected the lower left corner first, then the upper right");
    if (const auto* const ring = std::get_if<RingPosition>(&law);
        ring && ring->width > ring->radius)
      errors_.add(node.place(), path + ".ring.width",
                  fmt::format("expected at most the radius, got {}", ring->width));
    if (const auto* const line = std::get_if<PolylinePosition>(&law);
        line && std::all_of(line->points.begin(), line->points.end(),
                            [&](const auto& point) { return point == line->points[0]; }))
      errors_.add(node.place(), path + ".polyline.points", "expected two points that differ");
  }

  std::uint64_t count_cells(PartlyValidNode node, const GridPosition& grid) {
    if (node.has("count"))
      errors_.add(node.place(), path_,
                  fmt::format("expected \"count\" or a grid, which has {} * {} circles, got both",
                              grid.columns, grid.rows));
    const std::uint64_t count = grid.columns * grid.rows;
    if (count > kMaxCircles)
      errors_.add(
          node.place(), path_ + ".position.grid",
          fmt::format("{} circles need {} of memory; at most {}", count,
                      memory_text(static_cast<double>(count) * kBytesPerCircle), kMaxCircles));
    return count <= kMaxCircles ? count : 0;
  }

  void check_order(PartlyValidNode random, const char* key, const NumberLaw& law) {
    const auto* uniform = std::get_if<UniformLaw>(&law);
    if (uniform && uniform->low > uniform->high)
      errors_.add(
          random.find(key)->place(), fmt::format("{}.{}.uniform", path_, key),
          fmt::format("expected the lower bound first, got [{}, {}]", uniform->low, uniform->high));
  }

  std::string path_;
  FormatErrors& errors_;
};

}  // namespace

RandomSource read_random(PartlyValidNode node, const std::string& layer_path,
                         FormatErrors& errors) {
  return RandomReader(layer_path, errors).read(node);
}

}  // namespace roundel
