#include "tools/roundel/commands/explain_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/explain/explain_difference.h"
#include "renderer/generate/view.h"
#include "renderer/image/files.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kCausesListed = 20;

/// One of the two scenes, drawn.
struct DrawnScene {
  const Scene& scene;
  std::int64_t frame;
  LayerPlaces places;
  Circles circles;
  Framebuffer framebuffer;

  DrawnScene(const Scene& drawn, const SceneOptions& options)
      : scene(drawn), frame(options.frame.value_or(drawn.default_frame())), places(drawn) {
    CircleSource source(scene);
    generate_in_frame_space(source, frame, circles, CircleSource::Depths::kAll);
    StageStats stats;
    make_cpu_rasterizer({})->draw(circles, scene.image, framebuffer, stats);
  }
  DrawnFrame drawn_frame() const { return {circles, scene.image, places, framebuffer}; }
};

struct CauseReport {
  const DrawnScene& a;
  const DrawnScene& b;
  const DifferenceExplanation& explanation;
  std::size_t limit;
};

std::string change_text(const char* name, const std::string& a, const std::string& b) {
  return a == b ? "" : fmt::format(", {} {} -> {}", name, a, b);
}

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

/// Six digits, and as many more as the view is closer to the place than that is to the origin.
std::string coordinate_text(double value, double zoom) {
  const double closer = std::log10(std::max(1.0, std::abs(value) * zoom));
  return fmt::format("{:.{}g}", value, std::min(17, 6 + static_cast<int>(closer)));
}

std::string color_text(const Paint& paint) {
  const auto [red, green, blue] = paint_color(paint);
  return fmt::format("({:.4g} {:.4g} {:.4g})", red, green, blue);
}

const char* shader_text(const Paint& paint) {
  return is_snow(paint) ? "snow" : "solid";
}

/// A circle as in the scene file: scene space. Colours are in the blend space.
struct SceneCircle {
  SceneShape shape;
  double zoom;
  double inner_radius = 0;  // of a stroke
  Paint paint;
  float alpha;  // at the centre

  SceneCircle(const DrawnScene& drawn, std::uint32_t number)
      : shape(to_scene_space(drawn.circles.shapes[number], drawn.scene.view,
                             drawn.scene.image.width, drawn.scene.image.height)),
        zoom(drawn.scene.view.zoom),
        paint(drawn.circles.paints[number]),
        alpha(is_snow(paint) ? -paint.alpha : paint.alpha) {
    if (drawn.places.find(number).part != CirclePart::kStroke) return;
    inner_radius = shape.z / zoom;
    shape.z = 0;
  }

  std::string x() const { return coordinate_text(shape.x, zoom); }
  std::string y() const { return coordinate_text(shape.y, zoom); }
  std::string text() const {
    const BlendMode mode = blend_mode(paint);
    return fmt::format("x {}, y {}, radius {:.6g}{}, {} {}, alpha {:.6g}{}", x(), y(), shape.radius,
                       inner_radius > 0 ? fmt::format(" from {:.6g}", inner_radius) : "",
                       shader_text(paint),
                       is_snow(paint) ? fmt::format("z {:.6g}", shape.z) : color_text(paint), alpha,
                       mode == BlendMode::kOver ? "" : fmt::format(", blend {}", name_of(mode)));
  }
};

std::string changes_text(const SceneCircle& a, const SceneCircle& b) {
  std::string text =
      change_text("x", a.x(), b.x()) + change_text("y", a.y(), b.y()) +
      change_text("z", number_text(a.shape.z), number_text(b.shape.z)) +
      change_text("radius", number_text(a.shape.radius), number_text(b.shape.radius));
  text += change_text("inner radius", number_text(a.inner_radius), number_text(b.inner_radius));
  if (is_snow(a.paint) != is_snow(b.paint)) {
    text += fmt::format(", shader {} -> {}", shader_text(a.paint), shader_text(b.paint));
  }
  if (color_text(a.paint) != color_text(b.paint)) {
    text += fmt::format(", colour {} -> {}", color_text(a.paint), color_text(b.paint));
  }
  text += change_text("blend", name_of(blend_mode(a.paint)), name_of(blend_mode(b.paint)));
  text += change_text("alpha", number_text(a.alpha), number_text(b.alpha));
  return text.empty() ? "in the last digits" : text.substr(2);
}

std::string what_changed(const CauseReport& report, const CircleChange& change) {
  switch (change.kind) {
    case CircleChange::Kind::kRemoved:
      return SceneCircle(report.a, change.in_a).text();
    case CircleChange::Kind::kChanged:
      return changes_text(SceneCircle(report.a, change.in_a), SceneCircle(report.b, change.in_b));
    default:
      return SceneCircle(report.b, change.in_b).text();
  }
}

/// "layers[0] circles, 17": the layer and the number in it.
std::string place_text(const DrawnScene& drawn, std::uint32_t circle) {
  if (circle == kNoCircle) return "-";
  const LayerPlace place = drawn.places.find(circle);
  const std::string part = drawn.places.part_text(place);
  return fmt::format("{}, {}{}", drawn.places.text(place.layer), place.index,
                     part.empty() ? "" : " " + part);
}

std::string share_text(double share) {
  return fmt::format("{:>8.3g} %", 100 * share);
}

std::string cause_rows(const CauseReport& report) {
  const DifferenceExplanation& explanation = report.explanation;
  const std::size_t listed = std::min(report.limit, explanation.circles.size());
  std::string text = fmt::format("{:>10}  {:>9}  {:<9}  {:<32}  {:<32}  {}\n", "share", "pixels",
                                 "change", "layer, circle in A", "layer, circle in B", "what");
  for (std::size_t i = 0; i < listed; ++i) {
    const ResponsibleCircle& circle = explanation.circles[i];
    text +=
        fmt::format("{}  {:>9}  {:<9}  {:<32}  {:<32}  {}\n", share_text(circle.share),
                    with_commas(circle.pixels), name_of(circle.change.kind),
                    place_text(report.a, circle.change.in_a),
                    place_text(report.b, circle.change.in_b), what_changed(report, circle.change));
  }
  if (explanation.circles.size() > listed) {
    double rest = 0;
    for (std::size_t i = listed; i < explanation.circles.size(); ++i)
      rest += explanation.circles[i].share;
    text += fmt::format("{}  {:>9}  {} more\n", share_text(rest), "",
                        counted(explanation.circles.size() - listed, "circle"));
  }
  if (explanation.background_share > 0) {
    text +=
        fmt::format("{}  {:>9}  the background\n", share_text(explanation.background_share), "");
  }
  return text;
}

std::string cause_table(const CauseReport& report) {
  const DifferenceExplanation& explanation = report.explanation;
  const ImageSettings& image = report.a.scene.image;
  std::string text = fmt::format("A: {}, frame {}\nB: {}, frame {}\n", report.a.scene.path,
                                 report.a.frame, report.b.scene.path, report.b.frame);
  if (explanation.pixels == 0) {
    return text + fmt::format("no pixel differs; different circles: {}\n",
                              with_commas(explanation.changes));
  }
  const PixelRect& box = explanation.box;
  text += fmt::format("{} of {}x{} pixels differ{} in {}; different circles: {}\n",
                      with_commas(explanation.pixels), image.width, image.height,
                      explanation.in_bytes ? "" : " (in float only, not in 8 bits)",
                      counted(explanation.clusters, "cluster"), with_commas(explanation.changes));
  text += fmt::format(
      "largest cluster: {} pixels in {}x{} from {},{} on (y from the top), by {:.4g} on average, "
      "most at {},{}: {:.4g}\n",
      with_commas(explanation.cluster_pixels), box.x1 - box.x0 + 1, box.y1 - box.y0 + 1, box.x0,
      image.height - 1 - box.y1, explanation.mean, explanation.x,
      image.height - 1 - explanation.row, explanation.largest);
  if (explanation.examined < explanation.cluster_pixels) {
    text += fmt::format("{} evenly spread ones of them were examined\n",
                        with_commas(explanation.examined));
  }
  return text + cause_rows(report);
}

OrderedJson place_json(const DrawnScene& drawn, std::uint32_t circle) {
  if (circle == kNoCircle) return nullptr;
  const LayerPlace place = drawn.places.find(circle);
  OrderedJson json = {{"circle", drawn.places.number_of(place)},
                      {"layer", place.layer},
                      {"source", drawn.places.source(place.layer)},
                      {"index", place.index}};
  if (*drawn.places.part_text(place) != '\0') json["part"] = drawn.places.part_text(place);
  return json;
}

OrderedJson cause_json(const CauseReport& report) {
  const DifferenceExplanation& explanation = report.explanation;
  const int height = report.a.scene.image.height;
  OrderedJson json = {{"a", {{"scene", report.a.scene.path}, {"frame", report.a.frame}}},
                      {"b", {{"scene", report.b.scene.path}, {"frame", report.b.frame}}},
                      {"width", report.a.scene.image.width},
                      {"height", height},
                      {"pixels", explanation.pixels},
                      {"in_bytes", explanation.in_bytes},
                      {"clusters", explanation.clusters},
                      {"changes", explanation.changes}};
  if (explanation.pixels == 0) return json;
  const PixelRect& box = explanation.box;
  json["cluster"] = {{"pixels", explanation.cluster_pixels},
                     {"examined", explanation.examined},
                     {"x", box.x0},
                     {"y", height - 1 - box.y1},
                     {"width", box.x1 - box.x0 + 1},
                     {"height", box.y1 - box.y0 + 1},
                     {"mean", explanation.mean},
                     {"largest", explanation.largest},
                     {"largest_at", {{"x", explanation.x}, {"y", height - 1 - explanation.row}}}};
  OrderedJson circles = OrderedJson::array();
  for (std::size_t i = 0; i < std::min(report.limit, explanation.circles.size()); ++i) {
    const ResponsibleCircle& circle = explanation.circles[i];
    circles.push_back({{"share", circle.share},
                       {"pixels", circle.pixels},
                       {"change", name_of(circle.change.kind)},
                       {"a", place_json(report.a, circle.change.in_a)},
                       {"b", place_json(report.b, circle.change.in_b)},
                       {"what", what_changed(report, circle.change)}});
  }
  json["circles"] = std::move(circles);
  json["responsible"] = explanation.circles.size();
  json["background_share"] = explanation.background_share;
  return json;
}

/// Before anything is drawn.
void check_comparable(const Scene& a, const Scene& b) {
  const auto shape = [](const ImageSettings& image) {
    return fmt::format("{}x{} {}", image.width, image.height, image.alpha ? "RGBA" : "RGB");
  };
  const std::string of_a = shape(a.image), of_b = shape(b.image);
  if (of_a != of_b) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("{} and {}: expected pictures of one size and one kind of channels, got "
                    "{} and {}",
                    a.path, b.path, of_a, of_b));
  }
  // Both frames as float pixels, marks and sets of pixels, and some words for each circle.
  constexpr std::uint64_t kBytesPerPixelCompared = 16 + 9, kBytesPerCircleMatched = 40;
  const auto pixels =
      static_cast<std::uint64_t>(a.image.width) * static_cast<std::uint64_t>(a.image.height);
  const std::uint64_t of_both = memory_needed(a.image, ImageFormat::kPng, count_parts(a), 0, 0) +
                                memory_needed(b.image, ImageFormat::kPng, count_parts(b), 0, 0);
  check_memory(b, of_both + pixels * 2 * kBytesPerPixelCompared +
                      (count_parts(a) + count_parts(b)) * kBytesPerCircleMatched);
}

}  // namespace

void add_explain(CommandLine& line, ExplainDifferenceOptions& options) {
  line.add_switch("explain", options.is_wanted,
                  "take A and B for scenes (YAML), render both, and say which circles are "
                  "responsible for the largest cluster of differing pixels");
  line.add_value("limit", "N", whole(options.limit, 0, 1'000'000),
                 "list at most N circles, 0 to 1000000 (default: 20)");
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  line.add_check([&options](CommandLine::Problems& problems) {
    const SceneOverrides& overrides = options.scene.overrides;
    const bool has_others = options.limit || overrides.width || overrides.seed ||
                            options.scene.frame || !overrides.vars.empty();
    if (has_others && !options.is_wanted) {
      problems.emplace_back(
          "--limit, --size, --set, --seed and --frame: expected with --explain only");
    }
  });
}

int run_explain_difference(const std::string& scene_a, const std::string& scene_b,
                           const ExplainDifferenceOptions& options,
                           const std::optional<std::string>& json, Verbosity verbosity) {
  Problems problems;
  const std::vector<Scene> scenes =
      load_scenes({scene_a, scene_b}, options.scene.overrides, problems);
  if (json && *json != "-") {
    std::vector<std::string> inputs = files_read(scenes);
    inputs.insert(inputs.end(), {scene_a, scene_b});
    check_replaces_no_input(*json, inputs, ExitCode::kUsage);
    remove_old_result(*json);
  }
  if (!problems.empty()) return 2;
  check_comparable(scenes[0], scenes[1]);
  const DrawnScene a(scenes[0], options.scene), b(scenes[1], options.scene);
  const DifferenceExplanation explanation = explain_difference(a.drawn_frame(), b.drawn_frame(), 0);
  const CauseReport report{a, b, explanation, options.limit.value_or(kCausesListed)};
  if (json) write_text(*json, json_text(cause_json(report)));
  if (verbosity != Verbosity::kQuiet && json != "-") print_out(cause_table(report));
  return explanation.pixels == 0 ? 0 : 1;
}

}  // namespace roundel
