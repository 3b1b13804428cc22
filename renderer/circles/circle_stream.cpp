#include "renderer/circles/circle_stream.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace roundel {

CircleStream::CircleStream(CircleRecipe recipe)
    : count_(recipe.film->count()),
      recipe_(std::make_shared<const CircleRecipe>(std::move(recipe))) {
  fill_ = [recipe = recipe_.get()](std::size_t first, std::span<Shape> shapes,
                                   std::span<Paint> paints) {
    recipe->make_run(first, shapes, paints);
  };
}

void CircleStream::fetch(std::size_t first, std::span<Shape> shapes,
                         std::span<Paint> paints) const {
  if (memory_ == nullptr) {
    fill_(first, shapes, paints);
    return count_made(shapes.size());
  }
  std::copy_n(memory_->shapes.begin() + first, shapes.size(), shapes.begin());
  std::copy_n(memory_->paints.begin() + first, paints.size(), paints.begin());
}

void CircleStream::fetch_in_parallel(std::size_t first, std::span<Shape> shapes,
                                     std::span<Paint> paints) const {
  if (traits_.is_parallel) return fetch(first, shapes, paints);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, shapes.size(), kTaskCircles),
                    [&](const tbb::blocked_range<std::size_t>& run) {
                      fetch(first + run.begin(), shapes.subspan(run.begin(), run.size()),
                            paints.subspan(run.begin(), run.size()));
                    });
}

void CircleStream::fetch_in_parallel(std::size_t first, std::size_t n, Circles& made) const {
  if (made.count() < n) {
    made.paints_generation = 0;
    made.shapes.resize_discard(n);
    made.paints.resize_discard(n);
  }
  fetch_in_parallel(first, made.shapes.span().first(n), made.paints.span().first(n));
}

const Circles& CircleStream::all(Circles& made) const {
  if (memory_ != nullptr) return *memory_;
  made.shapes.resize_discard(count_);
  made.paints.resize_discard(count_);
  fetch_in_parallel(0, count_, made);
  return made;
}

}  // namespace roundel
