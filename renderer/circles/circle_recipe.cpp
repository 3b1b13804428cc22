#include "renderer/circles/circle_recipe.h"

#include <algorithm>

namespace roundel {

void CircleRecipe::make_run(std::size_t first, std::span<Shape> shapes,
                            std::span<Paint> paints) const {
  const std::size_t end = first + shapes.size();
  std::copy_n(film->circles.paints.begin() + first, paints.size(), paints.begin());
  for (std::size_t k = 0; k < film->layers.size(); ++k) {
    const FilmCircles::Layer& layer = film->layers[k];
    const Shape* const start = film->circles.shapes.data() + layer.first;
    const std::size_t layer_end = std::min(end, layer.first + layer.count);
    for (std::size_t i = std::max(first, layer.first); i < layer_end; ++i) {
      Shape shape = film->circles.shapes[i];
      Velocity velocity = film->velocities.empty() ? Velocity() : film->velocities[i];
      step_circle(layer.motion, start, i - layer.first, 0, static_cast<std::uint32_t>(steps), shape,
                  velocity);
      shapes[i - first] = moves[k](shape);
    }
  }
}

std::span<const Shape> SampledCircles::at(const CircleRecipe& recipe,
                                          std::span<const std::size_t> indices) {
  const FilmCircles& film = *recipe.film;
  if (film.number != film_number_ || recipe.steps < steps_) restart(film, indices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto next = std::upper_bound(
        film.layers.begin(), film.layers.end(), indices[i],
        [](std::size_t index, const FilmCircles::Layer& layer) { return index < layer.first; });
    const auto layer = next - 1;
    step_circle(layer->motion, film.circles.shapes.data() + layer->first, indices[i] - layer->first,
                static_cast<std::uint32_t>(steps_), static_cast<std::uint32_t>(recipe.steps),
                shapes_[i], velocities_[i]);
    moved_[i] = recipe.moves[static_cast<std::size_t>(layer - film.layers.begin())](shapes_[i]);
  }
  steps_ = recipe.steps;
  return moved_;
}

void SampledCircles::restart(const FilmCircles& film, std::span<const std::size_t> indices) {
  film_number_ = film.number;
  steps_ = 0;
  shapes_.clear();
  velocities_.clear();
  for (const std::size_t index : indices) {
    shapes_.push_back(film.circles.shapes[index]);
    velocities_.push_back(film.velocities.empty() ? Velocity() : film.velocities[index]);
  }
  moved_.resize(indices.size());
}

}  // namespace roundel
