#include <cmath>
#include <limits>

#include "renderer/generate/layer_source.h"
#include "renderer/generate/random_circle.h"
#include "renderer/generate/random_laws.h"

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

struct ToDrawLaw {
  DrawLaw operator()(const ConstantLaw& law) const {
    return {DrawKind::kConstant, static_cast<float>(law.value), 0, 0};
  }
  DrawLaw operator()(const UniformLaw& law) const { return uniform_law(law.low, law.high); }
  DrawLaw operator()(const GaussianLaw& law) const { return normal_law(law.mean, law.sigma); }
};

class RandomLayer final : public LayerSource {
 public:
  explicit RandomLayer(const RandomLaws& laws) : laws_(laws) {}

  Runs runs() const override { return Runs::kWhole; }
  void make_run(std::size_t first, std::span<Shape> shapes,
                std::span<Paint> paints) const override {
    for (std::size_t i = 0; i < shapes.size(); ++i)
      random_circle(laws_, first + i, shapes[i], paints[i]);
  }

 private:
  RandomLaws laws_;
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
  } else {
    const auto& gaussian = std::get<GaussianPosition>(source.position);
    laws.x = normal_law(gaussian.mean[0], gaussian.sigma);
    laws.y = normal_law(gaussian.mean[1], gaussian.sigma);
  }
  if (const auto* uniform = std::get_if<UniformColor>(&source.color)) {
    laws.red = uniform_law(uniform->low.red, uniform->high.red);
    laws.green = uniform_law(uniform->low.green, uniform->high.green);
    laws.blue = uniform_law(uniform->low.blue, uniform->high.blue);
  } else {
    const DisplayColor& color = std::get<ConstantColor>(source.color).value;
    laws.red.base = color.red;
    laws.green.base = color.green;
    laws.blue.base = color.blue;
  }
  laws.radius = std::visit(ToDrawLaw{}, source.radius);
  laws.alpha = std::visit(ToDrawLaw{}, source.alpha.value_or(ConstantLaw{alpha}));
  laws.depth = std::visit(ToDrawLaw{}, source.depth);
  return laws;
}

std::unique_ptr<LayerSource> make_random_layer(const RandomSource& source, std::uint32_t seed,
                                               std::uint32_t layer_index, float alpha) {
  return std::make_unique<RandomLayer>(make_random_laws(source, seed, layer_index, alpha));
}

}  // namespace roundel
