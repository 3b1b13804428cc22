#include "renderer/circles/layer_circles.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/circles/circle_parts.h"
#include "renderer/circles/classic.h"
#include "renderer/scene/double_centers.h"

namespace roundel {
namespace {

/// Calls work(first, n) on all threads.
template <typename Work>
void for_each_piece(std::size_t count, const Work& work) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kTaskCircles),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      checkpoint();
                      work(range.begin(), range.size());
                    });
}

}  // namespace

std::unique_ptr<LayerSource> make_layer_source(const Scene& scene, std::uint32_t index,
                                               CircleUse use) {
  struct Make {
    const Scene& scene;
    std::uint32_t index;
    CircleUse use;
    const Layer& layer;
    std::unique_ptr<LayerSource> operator()(const GeneratorSource& s) const {
      const bool has_depths = use != CircleUse::kDraw || layer.shader == Shader::kSnow;
      return make_classic_layer(s.name, {s.seed.value_or(scene.seed), layer.alpha, has_depths});
    }
    std::unique_ptr<LayerSource> operator()(const RandomSource& s) const {
      return make_random_layer(s, s.seed.value_or(scene.seed), index, layer.alpha);
    }
    std::unique_ptr<LayerSource> operator()(const InlineSource& s) const {
      return make_inline_layer(s, layer.alpha);
    }
    std::unique_ptr<LayerSource> operator()(const DataSource& s) const {
      return make_data_layer(s, layer, scene, use);
    }
  };
  static const InlineSource kNoCircles;
  const Layer& layer = scene.layers[index];
  if (layer.is_hidden) return make_inline_layer(kNoCircles, 0);
  return std::visit(Make{scene, index, use, layer}, layer.source);
}

void resize_discard(Circles& circles, std::uint64_t count) {
  try {
    circles.shapes.resize_discard(count);
    circles.paints.resize_discard(count);
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("not enough memory for {} circles ({:.1f} GB)", count,
                            static_cast<double>(count * (sizeof(Shape) + sizeof(Paint))) * 1e-9));
  }
}

LayerCircles::LayerCircles(const Scene& scene, std::size_t index, CircleUse use,
                           std::shared_ptr<LayerSource> source, std::shared_ptr<const Circles> kept)
    : scene_(scene),
      layer_(scene.layers[index]),
      source_(std::move(source)),
      kept_(std::move(kept)),
      finish_(scene, layer_, use != CircleUse::kList),
      has_double_centers_(roundel::has_double_centers(scene, layer_)),
      is_listed_on_screen_(layer_.is_on_screen && use == CircleUse::kList),
      has_parts_(use == CircleUse::kDraw || use == CircleUse::kExplain),
      parts_(has_parts_ ? parts_of(layer_) : 1) {
  if (layer_.is_on_screen)
    move_ = CircleMove::on_screen(scene.image);
  else if (!traits().is_moved)
    move_ = CircleMove(scene, layer_.move, use != CircleUse::kList);
}

void LayerCircles::keep() {
  auto made = std::make_shared<Circles>();
  resize_discard(*made, count());
  source_->prepare(0);
  const auto fill = [&](std::size_t first, std::size_t n) {
    source_->fill(first, made->shapes.span().subspan(first, n),
                  made->paints.span().subspan(first, n));
  };
  if (traits().is_parallel)
    fill(0, count());
  else
    for_each_piece(count(), fill);
  kept_ = std::move(made);
}

void LayerCircles::fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints,
                        bool moves) const {
  const std::size_t first_circle = first / parts_;
  const std::size_t count = (first + shapes.size() + parts_ - 1) / parts_ - first_circle;
  const std::span<Shape> circles = shapes.last(count);
  const std::span<Paint> circles_paints = paints.last(paints.empty() ? 0 : count);
  if (kept_) {
    std::copy_n(kept_->shapes.begin() + first_circle, count, circles.begin());
    std::copy_n(kept_->paints.begin() + first_circle, circles_paints.size(),
                circles_paints.begin());
  } else {
    source_->fill(first_circle, circles, circles_paints);
  }
  const auto finish = [&](std::size_t begin, std::size_t n) {
    const std::span<Shape> piece = circles.subspan(begin, n);
    if (!paints.empty()) finish_(piece, circles_paints.subspan(begin, n));
    if (moves) move_circles(first_circle + begin, piece);
  };
  if (is_parallel())
    for_each_piece(count, finish);
  else
    finish(0, count);
  if (layer_.stroke && has_parts_) CircleParts(scene_, layer_).spread(first, shapes, paints);
}

void LayerCircles::fill_in_parallel(std::size_t first, std::span<Shape> shapes,
                                    std::span<Paint> paints, bool moves) const {
  if (is_parallel()) return fill(first, shapes, paints, moves);
  for_each_piece(shapes.size(), [&](std::size_t begin, std::size_t n) {
    fill(first + begin, shapes.subspan(begin, n),
         paints.subspan(paints.empty() ? 0 : begin, paints.empty() ? 0 : n), moves);
  });
}

/// Out of the source's space.
void LayerCircles::move_circles(std::size_t first, std::span<Shape> shapes) const {
  move_centers(first, shapes);
  if (!is_listed_on_screen_) return;
  for (Shape& shape : shapes) {
    const SceneShape listed =
        to_scene_space(shape, scene_.view, scene_.image.frame_width(), scene_.image.frame_height());
    shape = {static_cast<float>(listed.x), static_cast<float>(listed.y), shape.z,
             static_cast<float>(listed.radius)};
  }
}

void LayerCircles::move_centers(std::size_t first, std::span<Shape> shapes) const {
  if (!has_double_centers_) return roundel::move_circles(move_, shapes);
  constexpr std::size_t kAtOnce = 256;
  std::array<ScenePoint, kAtOnce> centers;  // NOLINT: set before they are read
  for (std::size_t begin = 0, size = 0; begin < shapes.size(); begin += size) {
    size = std::min(kAtOnce, shapes.size() - begin);
    source_->write_centers(first + begin, std::span(centers).first(size));
    for (std::size_t i = 0; i < size; ++i)
      shapes[begin + i] = move_.at(centers[i].x, centers[i].y, shapes[begin + i]);
  }
}

}  // namespace roundel
