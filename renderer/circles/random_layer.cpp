#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "renderer/base/math.h"
#include "renderer/circles/layer_source.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/random_laws.h"

namespace roundel {
namespace {

DrawLaw uniform_law(double low, double high) {
  const float base = static_cast<float>(low);
  const float bound = static_cast<float>(high);
  const float below = std::nextafter(bound, -std::numeric_limits<float>::infinity());
  return {DrawKind::kUniform, base, bound - base, below > base ? below : base};
}

DrawLaw normal_law(double mean, double sigma) {
  return {DrawKind::kNormal, static_cast<float>(mean), static_cast<float>(sigma), 0};
}

RingLaw ring_law(const std::array<double, 2>& center, double radius, double inner) {
  return {static_cast<float>(center[0]), static_cast<float>(center[1]), static_cast<float>(radius),
          static_cast<float>(inner / radius * (inner / radius))};
}

struct ToDrawLaw {
  DrawLaw operator()(const ConstantLaw& law) const {
    return {DrawKind::kConstant, static_cast<float>(law.value), 0, 0};
  }
  DrawLaw operator()(const UniformLaw& law) const { return uniform_law(law.low, law.high); }
  DrawLaw operator()(const GaussianLaw& law) const { return normal_law(law.mean, law.sigma); }
};

// Places: circle k's first two words give a centre, `in_binary32` for a Shape, `in_binary64` for
// layers whose centres are rounded after the view.

/// In binary64, with the uniform numbers u and v of the two words: low + (high − low)·u and
/// likewise v, at most the number below high; mean + sigma·n with normal_pair(u, v); center +
/// radius·√(inner + (1 − inner)·u)·(cos 2πv, sin 2πv).
class LawPlace {
 public:
  explicit LawPlace(const PositionLaw& law) : law_(law) {}
  void in_binary32(const RandomLaws& laws, std::uint64_t /*k*/, const PhiloxBlock& words,
                   Shape& shape) const {
    draw_place(laws, words, shape);
  }
  ScenePoint in_binary64(std::uint64_t /*k*/, const PhiloxBlock& words) const {
    const float u = uniform_of(words.words[0]), v = uniform_of(words.words[1]);
    if (const auto* box = std::get_if<UniformPosition>(&law_))
      return {even(box->low[0], box->high[0], u), even(box->low[1], box->high[1], v)};
    if (const auto* cloud = std::get_if<GaussianPosition>(&law_)) {
      const NormalPair normal = normal_pair(u, v);
      return {cloud->mean[0] + cloud->sigma * static_cast<double>(normal.first),
              cloud->mean[1] + cloud->sigma * static_cast<double>(normal.second)};
    }
    if (const auto* disc = std::get_if<DiscPosition>(&law_))
      return in_ring(disc->center, disc->radius, 0, u, v);
    const auto& ring = std::get<RingPosition>(law_);
    return in_ring(ring.center, ring.radius, ring.radius - ring.width, u, v);
  }

 private:
  static double even(double low, double high, float u) {
    const double below = std::max(low, std::nextafter(high, low));
    return std::min(low + (high - low) * static_cast<double>(u), below);
  }
  static ScenePoint in_ring(const std::array<double, 2>& center, double radius, double inner_radius,
                            float u, float v) {
    const double inner = inner_radius / radius * (inner_radius / radius);
    const double distance = radius * std::sqrt(inner + (1 - inner) * static_cast<double>(u));
    const Direction angle = portable_sin_cos(360 * static_cast<double>(v));
    return {center[0] + distance * angle.cos, center[1] + distance * angle.sin};
  }

  const PositionLaw& law_;
};

/// Rounds places that are always computed in binary64.
template <typename Place>
void round_place(const Place& place, std::uint64_t k, const PhiloxBlock& words, Shape& shape) {
  const ScenePoint center = place.in_binary64(k, words);
  shape.x = static_cast<float>(center.x);
  shape.y = static_cast<float>(center.y);
}

/// Uniform along lines. With a width also across, along a vector that turns from one joint's mitre
/// to the next, so that the sides of lines meet. With a sigma in a round cloud, by the two halves
/// of the second word.
class PolylinePlace {
 public:
  explicit PolylinePlace(const PolylinePosition& line) : width_(line.width), sigma_(line.sigma) {
    for (const Point& point : line.points)
      if (points_.empty() || point != points_.back()) points_.push_back(point);
    double length = 0;
    std::vector<Point> normals;  // by line
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const double dx = points_[i][0] - points_[i - 1][0], dy = points_[i][1] - points_[i - 1][1];
      const double of_line = std::sqrt(dx * dx + dy * dy);
      ends_.push_back(length += of_line);
      normals.push_back({-dy / of_line, dx / of_line});
    }
    sides_.push_back(normals.front());
    for (std::size_t i = 1; i < normals.size(); ++i)
      sides_.push_back(mitre(normals[i - 1], normals[i]));
    sides_.push_back(normals.back());
  }
  void in_binary32(const RandomLaws& /*laws*/, std::uint64_t k, const PhiloxBlock& words,
                   Shape& shape) const {
    round_place(*this, k, words, shape);
  }
  ScenePoint in_binary64(std::uint64_t /*k*/, const PhiloxBlock& words) const {
    const double along = static_cast<double>(uniform_of(words.words[0])) * ends_.back();
    const auto line = std::min<std::size_t>(
        static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), along) -
                                 ends_.begin()),
        ends_.size() - 1);
    const double start = line == 0 ? 0 : ends_[line - 1];
    const double t = (along - start) / (ends_[line] - start);
    const auto mix = [t](const Point& a, const Point& b) {
      return Point{a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t};
    };
    const Point at = mix(points_[line], points_[line + 1]);
    Point away{};
    if (sigma_ > 0) {
      const std::uint32_t word = words.words[1];
      const NormalPair normal = normal_pair(uniform_of(word & 0xffff0000), uniform_of(word << 16));
      away = {sigma_ * static_cast<double>(normal.first),
              sigma_ * static_cast<double>(normal.second)};
    } else {
      const double across = (static_cast<double>(uniform_of(words.words[1])) - 0.5) * width_;
      const Point side = mix(sides_[line], sides_[line + 1]);
      away = {side[0] * across, side[1] * across};
    }
    return {at[0] + away[0], at[1] + away[1]};
  }

 private:
  using Point = std::array<double, 2>;

  /// The mitre of unit normals; its length is at most 2, in sharp turns.
  static Point mitre(const Point& a, const Point& b) {
    const double stretch = 1 / std::max(1 + a[0] * b[0] + a[1] * b[1], 0.5);
    return {(a[0] + b[0]) * stretch, (a[1] + b[1]) * stretch};
  }

  std::vector<Point> points_;
  std::vector<double> ends_;  ///< by line: sum of lengths
  std::vector<Point> sides_;  ///< by point
  double width_, sigma_;
};

class GridPlace {
 public:
  explicit GridPlace(const GridPosition& grid) : grid_(grid) {}
  void in_binary32(const RandomLaws& /*laws*/, std::uint64_t k, const PhiloxBlock& words,
                   Shape& shape) const {
    round_place(*this, k, words, shape);
  }
  ScenePoint in_binary64(std::uint64_t k, const PhiloxBlock& words) const {
    const auto at = [&](std::size_t axis, std::uint64_t cell, std::uint64_t cells) {
      const double jitter =
          grid_.jitter * (static_cast<double>(uniform_of(words.words[axis])) - 0.5);
      const double share =
          (static_cast<double>(cell) + (0.5 + jitter)) / static_cast<double>(cells);
      return grid_.low[axis] + (grid_.high[axis] - grid_.low[axis]) * share;
    };
    return {at(0, k % grid_.columns, grid_.columns), at(1, k / grid_.columns, grid_.rows)};
  }

 private:
  GridPosition grid_;
};

// Colours:

struct ChannelColor {
  void operator()(const RandomLaws& laws, std::uint64_t k, Paint& paint) const {
    draw_color(laws, k, paint);
  }
};

void set_color(const DisplayColor& color, Paint& paint) {
  paint.red = color.red;
  paint.green = color.green;
  paint.blue = color.blue;
}

/// The first colour with a sum of weights above u times the total.
class ChosenColor {
 public:
  explicit ChosenColor(const ChoiceColor& choice) : colors_(choice.colors) {
    double sum = 0;
    for (const double weight : choice.weights) sums_.push_back(sum += weight);
  }
  void operator()(const RandomLaws& laws, std::uint64_t k, Paint& paint) const {
    const auto u = static_cast<double>(uniform_of(draw_block(laws, k, 1).words[0]));
    const auto first = std::upper_bound(sums_.begin(), sums_.end(), u * sums_.back());
    const auto index = static_cast<std::size_t>(first - sums_.begin());
    set_color(colors_[std::min(index, colors_.size() - 1)], paint);
  }

 private:
  std::vector<DisplayColor> colors_;
  std::vector<double> sums_;
};

class MixedColor {
 public:
  explicit MixedColor(const GradientColor& color) : gradient_(view_of(color.gradient)) {}
  void operator()(const RandomLaws& laws, std::uint64_t k, Paint& paint) const {
    const auto u = static_cast<double>(uniform_of(draw_block(laws, k, 1).words[0]));
    set_color(gradient_.at(u), paint);
  }

 private:
  GradientView gradient_;
};

class RandomLayer final : public LayerSource {
 public:
  RandomLayer(const RandomLaws& laws, const RandomSource& source)
      : laws_(laws), place_(place_of(source.position)), color_(color_of(source.color)) {
    if (std::holds_alternative<LawPlace>(place_) && std::holds_alternative<ChannelColor>(color_))
      traits_.laws = &laws_;
  }

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    std::visit(
        [&](const auto& place, const auto& color) {
          const RandomLaws laws = laws_;  // in registers: writes cannot change it
          for (std::size_t i = 0; i < shapes.size(); ++i) {
            const std::uint64_t k = first + i;
            random_circle(
                laws, k, shapes[i], paints[i],
                [&](const PhiloxBlock& words, Shape& shape) {
                  place.in_binary32(laws, k, words, shape);
                },
                [&](Paint& paint) { color(laws, k, paint); });
          }
        },
        place_, color_);
  }
  void write_centers(std::size_t first, std::span<ScenePoint> centers) const override {
    std::visit(
        [&](const auto& place) {
          for (std::size_t i = 0; i < centers.size(); ++i)
            centers[i] = place.in_binary64(first + i, draw_block(laws_, first + i, 0));
        },
        place_);
  }

 private:
  using Place = std::variant<LawPlace, PolylinePlace, GridPlace>;
  using Color = std::variant<ChannelColor, ChosenColor, MixedColor>;

  static Place place_of(const PositionLaw& law) {
    if (const auto* line = std::get_if<PolylinePosition>(&law)) return PolylinePlace(*line);
    if (const auto* grid = std::get_if<GridPosition>(&law)) return GridPlace(*grid);
    return LawPlace(law);
  }
  static Color color_of(const ColorLaw& law) {
    if (const auto* choice = std::get_if<ChoiceColor>(&law)) return ChosenColor(*choice);
    if (const auto* gradient = std::get_if<GradientColor>(&law)) return MixedColor(*gradient);
    return ChannelColor();
  }

  RandomLaws laws_;
  Place place_;
  Color color_;
};

}  // namespace

RandomLaws make_random_laws(const RandomSource& source, std::uint32_t seed,
                            std::uint32_t layer_index, float alpha) {
  RandomLaws laws;
  laws.seed = seed;
  laws.layer = layer_index;
  if (const auto* uniform = std::get_if<UniformPosition>(&source.position)) {
    laws.x = uniform_law(uniform->low[0], uniform->high[0]);
    laws.y = uniform_law(uniform->low[1], uniform->high[1]);
  } else if (const auto* gaussian = std::get_if<GaussianPosition>(&source.position)) {
    laws.x = normal_law(gaussian->mean[0], gaussian->sigma);
    laws.y = normal_law(gaussian->mean[1], gaussian->sigma);
  } else if (const auto* disc = std::get_if<DiscPosition>(&source.position)) {
    laws.ring = ring_law(disc->center, disc->radius, 0);
  } else if (const auto* ring = std::get_if<RingPosition>(&source.position)) {
    laws.ring = ring_law(ring->center, ring->radius, ring->radius - ring->width);
  }
  if (const auto* uniform = std::get_if<UniformColor>(&source.color)) {
    laws.red = uniform_law(uniform->low.red, uniform->high.red);
    laws.green = uniform_law(uniform->low.green, uniform->high.green);
    laws.blue = uniform_law(uniform->low.blue, uniform->high.blue);
  } else if (const auto* constant = std::get_if<ConstantColor>(&source.color)) {
    laws.red.base = constant->value.red;
    laws.green.base = constant->value.green;
    laws.blue.base = constant->value.blue;
  }
  laws.radius = std::visit(ToDrawLaw{}, source.radius);
  laws.alpha = std::visit(ToDrawLaw{}, source.alpha.value_or(ConstantLaw{alpha}));
  laws.depth = std::visit(ToDrawLaw{}, source.depth);
  return laws;
}

std::unique_ptr<LayerSource> make_random_layer(const RandomSource& source, std::uint32_t seed,
                                               std::uint32_t layer_index, float alpha) {
  return std::make_unique<RandomLayer>(make_random_laws(source, seed, layer_index, alpha), source);
}

}  // namespace roundel
