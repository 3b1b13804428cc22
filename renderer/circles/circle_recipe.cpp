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
                                          std::span<const std::size_t> places) {
  const FilmCircles& film = *recipe.film;
  if (film.number != number_ || recipe.steps < steps_) restart(film, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto next = std::upper_bound(
        film.layers.begin(), film.layers.end(), places[i],
        [](std::size_t place, const FilmCircles::Layer& layer) { return place < layer.first; });
    const auto layer = next - 1;
    step_circle(layer->motion, film.circles.shapes.data() + layer->first, places[i] - layer->first,
                static_cast<std::uint32_t>(steps_), static_cast<std::uint32_t>(recipe.steps),
                shapes_[i], velocities_[i]);
    moved_[i] = recipe.moves[static_cast<std::size_t>(layer - film.layers.begin())](shapes_[i]);
  }
  steps_ = recipe.steps;
  return moved_;
}

void SampledCircles::restart(const FilmCircles& film, std::span<const std::size_t> places) {
  number_ = film.number;
  steps_ = 0;
  shapes_.clear();
  velocities_.clear();
  for (const std::size_t place : places) {
    shapes_.push_back(film.circles.shapes[place]);
    velocities_.push_back(film.velocities.empty() ? Velocity() : film.velocities[place]);
  }
  moved_.resize(places.size());
}

}  // namespace roundel
