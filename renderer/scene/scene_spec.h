#pragma once
#include <array>
#include <string>
#include <vector>

#include "renderer/format/form.h"
#include "renderer/format/number_text.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The key "view".
struct ViewKeys {
  View view;
  ViewWindow window;
};

/// Valid values of scene files, and their places in a Scene.
struct SceneForms {
  SceneForms();

  ObjectForm<ImageSettings> image;
  ObjectForm<ViewKeys> view;
  Form<Ratio> rate;  ///< frames per second of an animation
  ObjectForm<Animation> animation;
  Form<GeneratorSource> generator;
  ObjectForm<RandomSource> random;
  ObjectForm<InlineCircle> circle;
  Form<std::vector<DataColumn>> columns;
  Form<std::array<Length, 2>> radius_limits;
  ObjectForm<Stroke> stroke;
  ObjectForm<Layer> layer;
  ObjectForm<Scene> scene;
};
const SceneForms& scene_forms();

const Spec& scene_spec();

/// JSON Schema (draft 7), the text of scenes/scene.schema.json.
std::string scene_json_schema();

}  // namespace roundel
