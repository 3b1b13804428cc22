#include "renderer/scene/moving_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "renderer/base/text.h"
#include "renderer/scene/scene_film.h"

namespace roundel {
namespace {

/// Values with keys of a layer, the view or the image.
struct KeyedNames {
  std::vector<std::string> of_part, of_circles;
  std::set<std::size_t> circles;

  void add(const KeyedValue& value) {
    std::vector<std::string>& names = value.is_of_circle() ? of_circles : of_part;
    if (std::find(names.begin(), names.end(), value.label()) == names.end())
      names.push_back(value.label());
    if (value.is_of_circle()) circles.insert(value.circle);
  }
};

}  // namespace

std::vector<std::string> moving_parts(const Scene& scene) {
  KeyedNames of_view, of_image;
  std::vector<KeyedNames> of_layers(scene.layers.size());
  for (const KeyedValue& value : keyed_values(scene))
    (value.is_of_view()    ? of_view
     : value.is_of_image() ? of_image
                           : of_layers[value.layer])
        .add(value);
  std::vector<std::string> parts;
  if (scene.film && scene.film->is_by_var) parts.emplace_back("values of $frame");
  if (!of_view.of_part.empty())
    parts.push_back("view: " + join_names(of_view.of_part, "and", false));
  if (!of_image.of_part.empty())
    parts.push_back("image: " + join_names(of_image.of_part, "and", false));
  for (std::size_t i = 0; i < scene.layers.size(); ++i) {
    const Layer& layer = scene.layers[i];
    if (layer.is_hidden && !layer.frames) continue;
    std::vector<std::string> parts_of_layer = of_layers[i].of_part;
    if (layer.frames)
      parts_of_layer.push_back(
          fmt::format("shown in frames {} to {}", (*layer.frames)[0], (*layer.frames)[1]));
    if (is_simulated(layer)) parts_of_layer.emplace_back("simulated");
    if (const auto* const data = std::get_if<DataSource>(&layer.source); data && data->film)
      parts_of_layer.emplace_back("a file a frame");
    if (!of_layers[i].circles.empty())
      parts_of_layer.push_back(fmt::format("{} of {}", fmt::join(of_layers[i].of_circles, ", "),
                                           counted(of_layers[i].circles.size(), "circle")));
    if (parts_of_layer.empty()) continue;
    parts.push_back(fmt::format("layers[{}]{}: {}", i,
                                layer.name.empty() ? "" : " " + roundel::quoted(layer.name),
                                fmt::join(parts_of_layer, ", ")));
  }
  return parts;
}

}  // namespace roundel
