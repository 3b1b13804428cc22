#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "renderer/generate/layer_source.h"

namespace roundel {
namespace {

class KeptLayer final : public LayerSource {
 public:
  KeptLayer(LayerSource& source, std::size_t count, bool by_runs) {
    circles_.shapes.resize_discard(count);
    circles_.paints.resize_discard(count);
    const std::span<Shape> shapes = circles_.shapes.span();
    const std::span<Paint> paints = circles_.paints.span();
    if (!by_runs) {
      source.generate(0, shapes, paints);
      return;
    }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kCirclesOfTask),
                      [&](const tbb::blocked_range<std::size_t>& run) {
                        source.make_run(run.begin(), shapes.subspan(run.begin(), run.size()),
                                        paints.subspan(run.begin(), run.size()));
                      });
  }

  Runs runs() const override { return Runs::kWhole; }
  void make_run(std::size_t first, std::span<Shape> shapes,
                std::span<Paint> paints) const override {
    std::copy_n(circles_.shapes.begin() + first, shapes.size(), shapes.begin());
    std::copy_n(circles_.paints.begin() + first, paints.size(), paints.begin());
  }

 private:
  Circles circles_;
};

}  // namespace

std::unique_ptr<LayerSource> make_kept_layer(LayerSource& source, std::size_t count, bool by_runs) {
  return std::make_unique<KeptLayer>(source, count, by_runs);
}

}  // namespace roundel
