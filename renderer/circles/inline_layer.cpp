#include "renderer/circles/layer_source.h"

namespace roundel {
namespace {

class InlineLayer final : public LayerSource {
 public:
  InlineLayer(const InlineSource& source, float alpha) : source_(source), alpha_(alpha) {}

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const InlineCircle& circle = source_.circles[first + i];
      shapes[i] = {static_cast<float>(circle.x), static_cast<float>(circle.y),
                   static_cast<float>(circle.z), static_cast<float>(circle.radius)};
      paints[i] = {circle.color.red, circle.color.green, circle.color.blue,
                   circle.alpha ? static_cast<float>(*circle.alpha) : alpha_};
    }
  }
  void write_centers(std::size_t first, std::span<ScenePoint> centers) const override {
    for (std::size_t i = 0; i < centers.size(); ++i)
      centers[i] = {source_.circles[first + i].x, source_.circles[first + i].y};
  }

 private:
  const InlineSource& source_;
  float alpha_;
};

}  // namespace

std::unique_ptr<LayerSource> make_inline_layer(const InlineSource& source, float alpha) {
  return std::make_unique<InlineLayer>(source, alpha);
}

}  // namespace roundel
