#include "renderer/scene/double_centers.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace roundel {
namespace {

constexpr double kMaxNormal = 6;  // maximum of a draw: see normal_pair()

double largest(std::initializer_list<double> numbers) {
  double most = 0;
  for (const double number : numbers) most = std::max(most, std::abs(number));
  return most;
}

/// Upper bound of |coordinate|.
struct FarthestPlace {
  using Point = std::array<double, 2>;

  double operator()(const UniformPosition& box) const { return of_box(box.low, box.high); }
  double operator()(const GaussianPosition& cloud) const {
    return of_box(cloud.mean, cloud.mean) + kMaxNormal * cloud.sigma;
  }
  double operator()(const DiscPosition& disc) const {
    return of_box(disc.center, disc.center) + disc.radius;
  }
  double operator()(const RingPosition& ring) const {
    return of_box(ring.center, ring.center) + ring.radius;
  }
  double operator()(const PolylinePosition& line) const {
    double most = 0;
    for (const Point& point : line.points) most = std::max(most, of_box(point, point));
    return most + line.width + kMaxNormal * line.sigma;
  }
  double operator()(const GridPosition& grid) const { return of_box(grid.low, grid.high); }

  static double of_box(const Point& low, const Point& high) {
    return largest({low[0], low[1], high[0], high[1]});
  }
};

/// Upper bound.
struct LargestNumber {
  double operator()(const ConstantLaw& law) const { return law.value; }
  double operator()(const UniformLaw& law) const { return law.high; }
  double operator()(const GaussianLaw& law) const { return law.mean + kMaxNormal * law.sigma; }
};

/// The largest |coordinate|, in the layer's space, that reaches the picture.
double farthest_seen(const Scene& scene, const Layer& layer, double largest_radius) {
  const LayerMove& move = layer.move;
  const PointMove to_layer(
      {.offset = {-move.offset[0], -move.offset[1]},
       .pivot = {move.pivot[0] + move.offset[0], move.pivot[1] + move.offset[1]},
       .scale = 1 / move.scale,
       .rotate = -move.rotate});
  const auto [x, y] = to_layer(scene.view.center_x, scene.view.center_y);
  const double aspect = static_cast<double>(scene.image.frame_width()) / scene.image.frame_height();
  const double half_diagonal = 0.5 * std::sqrt(1 + aspect * aspect) / scene.view.zoom;
  return largest({x, y}) + half_diagonal / move.scale + std::max(largest_radius, 0.0);
}

double rounding_of(double number) {
  return std::abs(number - static_cast<double>(static_cast<float>(number)));
}

/// Maximum shift of centres, in the layer's space.
struct CenterRounding {
  const Scene& scene;
  const Layer& layer;

  double operator()(const InlineSource& source) const {
    double most = 0;
    for (const InlineCircle& circle : source.circles)
      most = std::max({most, rounding_of(circle.x), rounding_of(circle.y)});
    return most;
  }
  double operator()(const RandomSource& source) const {
    const double seen = farthest_seen(scene, layer, std::visit(LargestNumber(), source.radius));
    return std::ldexp(std::min(std::visit(FarthestPlace(), source.position), seen), -24);
  }
  double operator()(const GeneratorSource& /*source*/) const { return 0; }
  /// Data depend on the numbers of their files.
  double operator()(const DataSource& /*source*/) const { return 0; }
};

}  // namespace

bool has_double_centers(const Scene& scene, const Layer& layer) {
  constexpr double kMaxShift = 1.0 / 64;
  const int width = scene.image.frame_width(), height = scene.image.frame_height();
  const bool moves =
      layer.is_on_screen || !layer.move.is_identity() || !is_identity(scene.view, width, height);
  if (layer.is_hidden || !moves) return false;
  const double pixels = layer.is_on_screen
                            ? scene.image.px
                            : layer.move.scale * scene.view.zoom * height;  // per unit of the layer
  return std::visit(CenterRounding{scene, layer}, layer.source) * pixels > kMaxShift;
}

}  // namespace roundel
