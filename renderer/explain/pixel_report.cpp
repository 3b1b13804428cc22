#include "renderer/explain/pixel_report.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "renderer/circles/view.h"
#include "renderer/explain/circle_numbering.h"
#include "renderer/raster/shaders.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

Json color_json(const BlendColor& color) {
  return {color.red, color.green, color.blue};
}

/// One number, or one per channel if they differ.
Json transmittance_json(const Scene& scene, const BlendColor& by_channel) {
  return scene.image.styles.filters ? color_json(by_channel) : Json(by_channel.red);
}

Json step_json(const PixelStep& step, const PixelReport& report, const CircleNumbering& places) {
  const LayerCircle place = places.find(step.circle);
  const ImageSettings& image = report.scene.image;
  const SceneShape shape = to_scene_space(report.circles.shapes[step.circle], report.scene.view,
                                          image.frame_width(), image.frame_height());
  const Paint& paint = report.circles.paints[step.circle];
  const bool is_stroke = place.part == CirclePart::kStroke;
  Json json = {{"circle", places.number_of(place)},
               {"layer", place.layer},
               {"name", places.name(place.layer)},
               {"source", places.source(place.layer)},
               {"index", place.index}};
  if (const auto row = report.rows.find(step.circle); row != report.rows.end())
    json["row"] = row->second;
  if (const auto line = report.lines.find(step.circle); line != report.lines.end())
    json["line"] = line->second;
  json.update(
      Json{{"shader", shader_name(paint)},
           {"x", shape.x},
           {"y", shape.y},
           {"z", is_stroke ? 0 : shape.z},
           {"radius", shape.radius},
           {"color", color_json(step.color)},
           {"alpha", step.alpha},
           {"transmittance_before", transmittance_json(report.scene, step.transmittance_before)},
           {"transmittance_after", transmittance_json(report.scene, step.transmittance_after)},
           {"contribution", color_json(step.contribution)},
           {"running", color_json(step.running)}});
  if (image.antialias) json["share"] = step.share;
  if (*places.part_text(place) != '\0') json["part"] = places.part_text(place);
  if (is_stroke) json["inner_radius"] = shape.z / report.scene.view.zoom;
  if (has_modes(report.scene)) json["blend"] = name_of(step.mode);
  return json;
}

}  // namespace

bool has_modes(const Scene& scene) {
  const CircleStyles& styles = scene.image.styles;
  return styles.adds || styles.filters;
}

std::map<std::uint64_t, std::uint64_t> rows_of(const Scene& scene, CircleSource& source,
                                               const PixelExplanation& explanation) {
  const CircleNumbering places(scene);
  std::vector<std::vector<std::uint64_t>> circles(scene.layers.size()), in_layer(circles.size());
  for (const PixelStep& step : explanation.steps) {
    const LayerCircle place = places.find(step.circle);
    circles[place.layer].push_back(step.circle);
    in_layer[place.layer].push_back(place.index);
  }
  std::map<std::uint64_t, std::uint64_t> rows;
  for (std::size_t layer = 0; layer < circles.size(); ++layer) {
    if (circles[layer].empty()) continue;
    const std::vector<std::uint64_t> found = source.rows_of(layer, in_layer[layer]);
    for (std::size_t i = 0; i < found.size(); ++i) rows.emplace(circles[layer][i], found[i]);
  }
  return rows;
}

std::map<std::uint64_t, std::uint32_t> lines_of(const Scene& scene, const SceneText& text,
                                                const PixelExplanation& explanation) {
  const CircleNumbering places(scene);
  std::map<std::uint64_t, std::uint32_t> lines;
  for (const PixelStep& step : explanation.steps) {
    const LayerCircle place = places.find(step.circle);
    if (const auto line = text.circle_line(place.layer, place.index))
      lines.emplace(step.circle, *line);
  }
  return lines;
}

Json scene_json(const Scene& scene, std::int64_t frame) {
  return {{"version", 1},       {"scene", scene.path},        {"frame", frame},
          {"seed", scene.seed}, {"width", scene.image.width}, {"height", scene.image.height}};
}

Json pixel_json(const PixelReport& report) {
  const PixelExplanation& explanation = report.explanation;
  const ImageSettings& image = report.scene.image;
  const CircleNumbering places(report.scene);
  Json circles = Json::array();
  for (const PixelStep& step : explanation.steps)
    circles.push_back(step_json(step, report, places));
  Json json = scene_json(report.scene, report.frame);
  json["x"] = report.x;
  json["y"] = report.y;
  json["blend_space"] = image.blend_space == BlendSpace::kLinear ? "linear" : "display";
  json["circles"] = std::move(circles);
  json["composited"] = explanation.composited;
  json["stopped"] = explanation.has_stopped;
  json["unseen"] = explanation.unseen;
  json["transmittance"] = transmittance_json(report.scene, explanation.transmittance);
  if (!image.alpha) {
    json["background"] = {{"color", color_json(explanation.background)},
                          {"contribution", color_json(explanation.background_contribution)}};
  }
  const Pixel& value = explanation.value;
  json["value"] = {value.red, value.green, value.blue};
  const auto& samples = explanation.samples;
  Json& of_picture = json[image.bits == 16 ? "words" : "bytes"];
  of_picture = {samples[0], samples[1], samples[2]};
  if (image.alpha) {
    json["value"].push_back(value.alpha);
    of_picture.push_back(samples[3]);
  }
  return json;
}

}  // namespace roundel
