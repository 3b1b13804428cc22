#include "tools/roundel/commands/explain_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/raster/shaders.h"
#include "renderer/raster/view.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string color_columns(const Color& color) {
  return fmt::format("{:>10.6f}{:>10.6f}{:>10.6f}", color.red, color.green, color.blue);
}

std::string step_row(const PixelStep& step, const LayerPlaces& places) {
  const LayerPlace place = places.find(step.circle);
  return fmt::format("{:>10}  {:<26}{:>10}{:>10.6f}{:>12.6g}{:>12.6g}  {}  {}\n", step.circle,
                     layer_text(places, place.layer), place.index, step.alpha,
                     step.transmittance_before, step.transmittance_after,
                     color_columns(step.contribution), color_columns(step.running));
}

std::string end_of_walk(const PixelExplanation& explanation) {
  if (explanation.has_stopped) {
    return fmt::format(
        "stopped after {}: transmittance {:.6g} is at most 2^-20; {} below {} not seen\n",
        counted(explanation.composited, "circle"), explanation.transmittance,
        counted(explanation.unseen, "circle"), explanation.unseen == 1 ? "is" : "are");
  }
  return fmt::format("not stopped: {} in all, transmittance {:.6g} is left\n",
                     counted(explanation.composited, "circle"), explanation.transmittance);
}

OrderedJson color_json(const Color& color) {
  return {color.red, color.green, color.blue};
}

OrderedJson step_json(const PixelStep& step, const PixelReport& report, const LayerPlaces& places) {
  const LayerPlace place = places.find(step.circle);
  const ImageSettings& image = report.scene.image;
  const SceneShape shape = to_scene_space(report.circles.shapes[step.circle], report.scene.view,
                                          image.width, image.height);
  return {{"circle", step.circle},
          {"layer", place.layer},
          {"source", places.source(place.layer)},
          {"index", place.index},
          {"shader", is_snow(report.circles.paints[step.circle]) ? "snow" : "solid"},
          {"x", shape.x},
          {"y", shape.y},
          {"z", shape.z},
          {"radius", shape.radius},
          {"color", color_json(step.color)},
          {"alpha", step.alpha},
          {"transmittance_before", step.transmittance_before},
          {"transmittance_after", step.transmittance_after},
          {"contribution", color_json(step.contribution)},
          {"running", color_json(step.running)}};
}

/// What all reports begin with.
OrderedJson scene_json(const Scene& scene, std::int64_t frame) {
  return {{"scene", scene.path},
          {"frame", frame},
          {"seed", scene.seed},
          {"width", scene.image.width},
          {"height", scene.image.height}};
}

}  // namespace

std::string json_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string layer_text(const LayerPlaces& places, std::size_t layer) {
  return fmt::format("layers[{}] {}", layer, places.source(layer));
}

std::string pixel_table(const PixelReport& report) {
  const PixelExplanation& explanation = report.explanation;
  const ImageSettings& image = report.scene.image;
  const LayerPlaces places(report.scene);
  std::string text =
      fmt::format("{}, frame {}, pixel {},{} of {}x{} (y from the top): covered by {} of {}\n",
                  report.scene.path, report.frame, report.x, report.y, image.width, image.height,
                  with_commas(explanation.composited + explanation.unseen),
                  counted(report.circles.count(), "circle"));
  if (!explanation.steps.empty()) {
    text += fmt::format("{:>10}  {:<26}{:>10}{:>10}{:>12}{:>12}  {:>30}  {:>30}\n", "circle",
                        "layer", "in layer", "alpha", "T before", "T after",
                        "contribution: red, green, blue", "colour so far: red, green, blue");
  }
  for (const PixelStep& step : explanation.steps) text += step_row(step, places);
  if (explanation.steps.size() < explanation.composited) {
    text += fmt::format("... and {} more (--limit)\n",
                        counted(explanation.composited - explanation.steps.size(), "circle"));
  }
  text += end_of_walk(explanation);
  if (!image.alpha) {
    text += fmt::format("{:<12}{}  of{}\n", "background",
                        color_columns(explanation.background_contribution),
                        color_columns(explanation.background));
  }
  const Pixel& value = explanation.value;
  text +=
      fmt::format("{:<12}{}{}{}\n", "value", color_columns({value.red, value.green, value.blue}),
                  image.alpha ? fmt::format("  alpha {:.6f}, premultiplied", value.alpha) : "",
                  image.blend_space == BlendSpace::kLinear ? "  (linear light)" : "");
  const auto& bytes = explanation.bytes;
  text += fmt::format("{:<12}{:>10}{:>10}{:>10}{}\n", "8 bits", bytes[0], bytes[1], bytes[2],
                      image.alpha ? fmt::format("  alpha {}, straight", bytes[3]) : "");
  return text;
}

std::string pixel_json(const PixelReport& report) {
  const PixelExplanation& explanation = report.explanation;
  const ImageSettings& image = report.scene.image;
  const LayerPlaces places(report.scene);
  OrderedJson circles = OrderedJson::array();
  for (const PixelStep& step : explanation.steps)
    circles.push_back(step_json(step, report, places));
  OrderedJson json = scene_json(report.scene, report.frame);
  json["x"] = report.x;
  json["y"] = report.y;
  json["blend_space"] = image.blend_space == BlendSpace::kLinear ? "linear" : "display";
  json["circles"] = std::move(circles);
  json["composited"] = explanation.composited;
  json["stopped"] = explanation.has_stopped;
  json["unseen"] = explanation.unseen;
  json["transmittance"] = explanation.transmittance;
  if (!image.alpha) {
    json["background"] = {{"color", color_json(explanation.background)},
                          {"contribution", color_json(explanation.background_contribution)}};
  }
  const Pixel& value = explanation.value;
  json["value"] = {value.red, value.green, value.blue};
  json["bytes"] = {explanation.bytes[0], explanation.bytes[1], explanation.bytes[2]};
  if (image.alpha) {
    json["value"].push_back(value.alpha);
    json["bytes"].push_back(explanation.bytes[3]);
  }
  return json_line(json);
}

const char* name_of(HeatMapKind kind) {
  return kind == HeatMapKind::kLayers ? "layers" : kind == HeatMapKind::kStop ? "stop" : "overlaps";
}

std::string heat_map_line(const HeatMapReport& report) {
  const HeatMapSummary& summary = report.summary;
  const ImageSettings& image = report.scene.image;
  const double pixels = static_cast<double>(image.width) * image.height;
  return fmt::format(
      "{}  {}x{}  {}: {} to {}, the largest at {},{}; mean {:.1f}{}\n", report.output, image.width,
      image.height, name_of(report.kind), report.in_colours ? "0 (black)" : "0",
      report.in_colours ? fmt::format("{} (brightest)", with_commas(summary.largest))
                        : with_commas(summary.largest),
      summary.x, image.height - 1 - summary.row, static_cast<double>(summary.sum) / pixels,
      report.in_colours ? "; magma, linear" : "");
}

std::string heat_map_json(const HeatMapReport& report) {
  const HeatMapSummary& summary = report.summary;
  const ImageSettings& image = report.scene.image;
  OrderedJson json = scene_json(report.scene, report.frame);
  json["heatmap"] = name_of(report.kind);
  json["output"] = report.output;
  json["largest"] = summary.largest;
  json["largest_at"] = {{"x", summary.x}, {"y", image.height - 1 - summary.row}};
  json["sum"] = summary.sum;
  json["mean"] =
      static_cast<double>(summary.sum) / (static_cast<double>(image.width) * image.height);
  return json_line(json);
}

}  // namespace roundel
