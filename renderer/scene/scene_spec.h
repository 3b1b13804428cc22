#pragma once
#include <array>
#include <string>
#include <vector>

#include "renderer/format/form.h"
#include "renderer/format/number_text.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Values of the key "view".
struct ViewKeys {
  View view;
  ViewWindow window;
};

/// The format of scene files: what it allows, and where the values go.
struct SceneForms {
  SceneForms();

  ObjectForm<ImageSettings> image;
  ObjectForm<ViewKeys> view;
  Form<Ratio> rate;  ///< of an animation
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

/// Returns the description of scene files.
const Spec& scene_spec();

/// Returns its JSON Schema (draft 7); scenes/scene.schema.json is this text.
std::string scene_json_schema();

}  // namespace roundel
