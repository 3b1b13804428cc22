#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "renderer/circles/layer_source.h"

namespace roundel {
namespace {

class KeptLayer final : public LayerSource {
 public:
  KeptLayer(std::shared_ptr<LayerSource> source, std::size_t count, bool by_runs)
      : source_(std::move(source)) {
    circles_.shapes.resize_discard(count);
    circles_.paints.resize_discard(count);
    const std::span<Shape> shapes = circles_.shapes.span();
    const std::span<Paint> paints = circles_.paints.span();
    if (!by_runs) {
      source_->generate(0, shapes, paints);
      return;
    }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kCirclesOfTask),
                      [&](const tbb::blocked_range<std::size_t>& run) {
                        source_->make_run(run.begin(), shapes.subspan(run.begin(), run.size()),
                                          paints.subspan(run.begin(), run.size()));
                      });
  }

  Runs runs() const override { return Runs::kWhole; }
  void make_run(std::size_t first, std::span<Shape> shapes,
                std::span<Paint> paints) const override {
    std::copy_n(circles_.shapes.begin() + first, shapes.size(), shapes.begin());
    std::copy_n(circles_.paints.begin() + first, paints.size(), paints.begin());
  }
  void make_centers(std::size_t first, std::span<ScenePoint> centers) const override {
    source_->make_centers(first, centers);
  }

 private:
  std::shared_ptr<LayerSource> source_;
  Circles circles_;
};

}  // namespace

std::unique_ptr<LayerSource> make_kept_layer(std::shared_ptr<LayerSource> source, std::size_t count,
                                             bool by_runs) {
  return std::make_unique<KeptLayer>(std::move(source), count, by_runs);
}

}  // namespace roundel
