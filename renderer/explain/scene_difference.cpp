#include "renderer/explain/scene_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>
#include <variant>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/circles/view.h"
#include "renderer/frame_memory.h"
#include "renderer/image/files.h"
#include "renderer/raster/shaders.h"
#include "renderer/render.h"
#include "renderer/scene/frame_samples.h"

namespace roundel {

struct DrawnScene {
  const Scene& scene;
  const SceneText& text;
  std::int64_t frame;
  CircleNumbering places;
  Circles circles;
  Framebuffer framebuffer;

  DrawnScene(const SceneFile& file, std::int64_t frame_to_draw)
      : scene(file.scene), text(file.text), frame(frame_to_draw), places(scene) {
    CircleSource(scene, CircleUse::kExplain).generate(frame, circles);
    StageStats stats;
    make_cpu_rasterizer({})->draw(circles, scene.image, framebuffer, stats);
  }
  DrawnFrame drawn_frame() const { return {circles, scene.image, places, framebuffer}; }
};

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

std::string change_text(const char* name, const std::string& a, const std::string& b) {
  return a == b ? "" : fmt::format(", {} {} -> {}", name, a, b);
}

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

/// Six digits, and more as the view zooms in away from the origin.
std::string coordinate_text(double value, double zoom) {
  const double closer = std::log10(std::max(1.0, std::abs(value) * zoom));
  return fmt::format("{:.{}g}", value, std::min(17, 6 + static_cast<int>(closer)));
}

std::string color_text(const Paint& paint) {
  const auto [red, green, blue] = paint_color(paint);
  return fmt::format("({:.4g} {:.4g} {:.4g})", red, green, blue);
}

/// In scene space, as in the scene file. Colours are in the blend space.
struct SceneCircle {
  SceneShape shape;
  double zoom;
  double inner_radius = 0;  // for a stroke
  Paint paint;
  float alpha;  // at the centre

  SceneCircle(const DrawnScene& drawn, std::uint32_t number)
      : shape(to_scene_space(drawn.circles.shapes[number], drawn.scene.view,
                             drawn.scene.image.width, drawn.scene.image.height)),
        zoom(drawn.scene.view.zoom),
        paint(drawn.circles.paints[number]),
        alpha(std::fabs(paint.alpha)) {
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
                       shader_name(paint),
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
  text += change_text("shader", shader_name(a.paint), shader_name(b.paint));
  if (color_text(a.paint) != color_text(b.paint)) {
    text += fmt::format(", colour {} -> {}", color_text(a.paint), color_text(b.paint));
  }
  text += change_text("blend", name_of(blend_mode(a.paint)), name_of(blend_mode(b.paint)));
  text += change_text("alpha", number_text(a.alpha), number_text(b.alpha));
  return text.empty() ? "in the last digits" : text.substr(2);
}

std::string change_details(const DrawnScene& a, const DrawnScene& b, const CircleChange& change) {
  switch (change.kind) {
    case CircleChange::Kind::kRemoved:
      return SceneCircle(a, change.in_a).text();
    case CircleChange::Kind::kChanged:
      return changes_text(SceneCircle(a, change.in_a), SceneCircle(b, change.in_b));
    default:
      return SceneCircle(b, change.in_b).text();
  }
}

/// "layers[0] circles, 17 (grid.yaml:22)": the layer and the number in it.
std::string place_text(const DrawnScene& drawn, std::uint32_t circle) {
  if (circle == kNoCircle) return "-";
  const LayerCircle place = drawn.places.find(circle);
  const std::string part = drawn.places.part_text(place);
  const auto line = drawn.text.circle_line(place.layer, place.index);
  return fmt::format(
      "{}, {}{}{}", drawn.places.text(place.layer), place.index, part.empty() ? "" : " " + part,
      line ? fmt::format(" ({}:{})", fs::path(drawn.scene.path).filename().string(), *line) : "");
}

std::string share_text(double share) {
  return fmt::format("{:>8.3g} %", 100 * share);
}

Lines cause_rows(const DrawnScene& a, const DrawnScene& b, const ClusterExplanation& cluster,
                 std::size_t limit) {
  const std::size_t listed = std::min(limit, cluster.circles.size());
  std::vector<std::array<std::string, 2>> places = {{"layer, circle in A", "layer, circle in B"}};
  for (std::size_t i = 0; i < listed; ++i)
    places.push_back({place_text(a, cluster.circles[i].change.in_a),
                      place_text(b, cluster.circles[i].change.in_b)});
  std::array<std::size_t, 2> widths = {32, 32};
  for (const auto& row : places)
    for (std::size_t side = 0; side < 2; ++side)
      widths[side] = std::max(widths[side], row[side].size());
  const auto row = [&](const std::string& share, const std::string& pixels, const char* change,
                       std::size_t place, const std::string& what) {
    return fmt::format("{:>10}  {:>9}  {:<9}  {:<{}}  {:<{}}  {}\n", share, pixels, change,
                       places[place][0], widths[0], places[place][1], widths[1], what);
  };
  Lines text = row("share", "pixels", "change", 0, "what");
  for (std::size_t i = 0; i < listed; ++i) {
    const ResponsibleCircle& circle = cluster.circles[i];
    text += row(share_text(circle.share), with_commas(circle.pixels), name_of(circle.change.kind),
                i + 1, change_details(a, b, circle.change));
  }
  if (cluster.circles.size() > listed) {
    double rest = 0;
    for (std::size_t i = listed; i < cluster.circles.size(); ++i) rest += cluster.circles[i].share;
    text += fmt::format("{}  {:>9}  {} more\n", share_text(rest), "",
                        counted(cluster.circles.size() - listed, "circle"));
  }
  if (cluster.background_share > 0)
    text += fmt::format("{}  {:>9}  the background\n", share_text(cluster.background_share), "");
  return text;
}

/// `head`: start of the first line.
Lines cluster_text(const std::string& head, const ClusterExplanation& cluster, int height) {
  const PixelRect& box = cluster.box;
  Lines text = fmt::format(
      "{}{} pixels in {}x{} from {},{} on (y from the top), by {:.4g} on average, most at {},{}: "
      "{:.4g}\n",
      head, with_commas(cluster.pixels), box.x1 - box.x0 + 1, box.y1 - box.y0 + 1, box.x0,
      height - 1 - box.y1, cluster.mean, cluster.x, height - 1 - cluster.row, cluster.largest);
  if (cluster.examined < cluster.pixels)
    text += fmt::format("examined {} of them, evenly spread\n", with_commas(cluster.examined));
  return text;
}

OrderedJson place_json(const DrawnScene& drawn, std::uint32_t circle) {
  if (circle == kNoCircle) return nullptr;
  const LayerCircle place = drawn.places.find(circle);
  OrderedJson json = {{"circle", drawn.places.number_of(place)},
                      {"layer", place.layer},
                      {"source", drawn.places.source(place.layer)},
                      {"index", place.index}};
  if (*drawn.places.part_text(place) != '\0') json["part"] = drawn.places.part_text(place);
  if (const auto line = drawn.text.circle_line(place.layer, place.index)) json["line"] = *line;
  return json;
}

OrderedJson cluster_json(const DrawnScene& a, const DrawnScene& b,
                         const ClusterExplanation& cluster, std::size_t limit) {
  const int height = a.scene.image.height;
  const PixelRect& box = cluster.box;
  OrderedJson json = {{"pixels", cluster.pixels},
                      {"examined", cluster.examined},
                      {"x", box.x0},
                      {"y", height - 1 - box.y1},
                      {"width", box.x1 - box.x0 + 1},
                      {"height", box.y1 - box.y0 + 1},
                      {"mean", cluster.mean},
                      {"largest", cluster.largest},
                      {"largest_at", {{"x", cluster.x}, {"y", height - 1 - cluster.row}}}};
  OrderedJson circles = OrderedJson::array();
  for (std::size_t i = 0; i < std::min(limit, cluster.circles.size()); ++i) {
    const ResponsibleCircle& circle = cluster.circles[i];
    circles.push_back({{"share", circle.share},
                       {"pixels", circle.pixels},
                       {"change", name_of(circle.change.kind)},
                       {"a", place_json(a, circle.change.in_a)},
                       {"b", place_json(b, circle.change.in_b)},
                       {"what", change_details(a, b, circle.change)}});
  }
  json["circles"] = std::move(circles);
  json["responsible"] = cluster.circles.size();
  json["background_share"] = cluster.background_share;
  return json;
}

std::string shape_text(const ImageSettings& image) {
  return fmt::format("{}x{} {}", image.width, image.height, image.alpha ? "RGBA" : "RGB");
}

/// Throws Error if drawing and comparing both needs too much memory.
void check_memory_for(const Scene& a, const Scene& b) {
  // Float pixels of both, marks and sets of pixels, and some words per circle.
  constexpr std::uint64_t kBytesPerPixelCompared = 16 + 9, kBytesPerCircleMatched = 40;
  const std::uint64_t pixels = pixel_count(a.image.width, a.image.height);
  const std::uint64_t of_both = memory_needed(a.image, ImageFormat::kPng, count_parts(a), 0, 0) +
                                memory_needed(b.image, ImageFormat::kPng, count_parts(b), 0, 0);
  check_memory(b, of_both + pixels * 2 * kBytesPerPixelCompared +
                      (count_parts(a) + count_parts(b)) * kBytesPerCircleMatched);
}

/// Adds data files with the same name but other bytes.
void add_changed_data(const SceneFile& a, const SceneFile& b, std::vector<std::string>& changes) {
  for (std::size_t i = 0; i < std::min(a.text.data().size(), b.text.data().size()); ++i) {
    if (a.text.data()[i] != b.text.data()[i] || a.text.data()[i].empty()) continue;
    const auto* const of_a = std::get_if<DataSource>(&a.scene.layers.at(i).source);
    const auto* const of_b = std::get_if<DataSource>(&b.scene.layers.at(i).source);
    if (of_a == nullptr || of_b == nullptr || of_a->content_hash == of_b->content_hash) continue;
    changes.push_back(fmt::format("layers[{}].data {} has other bytes, rows {} -> {}", i,
                                  a.text.data()[i], with_commas(of_a->rows),
                                  with_commas(of_b->rows)));
  }
}

/// Number of samples and shutter; 1 and 0 without blur.
std::pair<std::int64_t, double> blur_of(const Scene& scene) {
  if (!is_blurred(scene)) return {1, 0};
  return {scene.animation->samples, scene.animation->shutter};
}

}  // namespace

SceneFile::SceneFile(const std::string& content, const std::string& path,
                     const SceneOverrides& overrides)
    : scene(parse_scene(content, path, overrides)), text(content, path, overrides) {}

SceneDifference::SceneDifference(const SceneFile& a, const SceneFile& b,
                                 const SceneOverrides& overrides, std::size_t clusters)
    : a_(a), changes_(changed_values(a.text, b.text, overrides)) {
  add_changed_data(a, b, changes_.values);
  const std::string of_a = shape_text(a.scene.image), of_b = shape_text(b.scene.image);
  if (of_a != of_b) {
    other_shape_ = of_a + " and " + of_b;
    return;
  }
  is_blurred_ = is_blurred(a.scene) || is_blurred(b.scene);
  blur_differs_ = blur_of(a.scene) != blur_of(b.scene);
  check_memory_for(a.scene, b.scene);
  const auto frame = [&overrides](const Scene& scene) {
    return overrides.frame.value_or(scene.default_frame());
  };
  drawn_a_ = std::make_unique<const DrawnScene>(a, frame(a.scene));
  drawn_b_ = std::make_unique<const DrawnScene>(b, frame(b.scene));
  explanation_ = explain_difference(drawn_a_->drawn_frame(), drawn_b_->drawn_frame(), 0, clusters);
}

SceneDifference::~SceneDifference() = default;

bool SceneDifference::differs() const {
  return !other_shape_.empty() || blur_differs_ || explanation_.pixels > 0;
}

Lines SceneDifference::text(std::size_t limit) const {
  constexpr std::size_t kMaxValues = 20;
  Lines text;
  for (std::size_t i = 0; i < std::min(kMaxValues, changes_.values.size()); ++i)
    text += "scene: " + changes_.values[i];
  if (changes_.values.size() > kMaxValues)
    text += fmt::format("scene: {} more values\n", changes_.values.size() - kMaxValues);
  if (!other_shape_.empty()) return text + ("no pixels to compare: " + other_shape_);
  if (blur_differs_) text += "motion blur differs";
  const std::string at_own_time =
      is_blurred_ ? " at the frame's own time, without motion blur" : "";
  if (explanation_.pixels == 0)
    return text + fmt::format("no pixel differs{}; different circles: {}\n", at_own_time,
                              with_commas(explanation_.changes));
  const ImageSettings& image = a_.scene.image;
  text += fmt::format(
      "{} of {}x{} pixels differ{}{} in {}; different circles: {}\n",
      with_commas(explanation_.pixels), image.width, image.height, at_own_time,
      explanation_.in_samples ? "" : fmt::format(" (in float only, not in {} bits)", image.bits),
      counted(explanation_.clusters, "cluster"), with_commas(explanation_.changes));
  for (std::size_t i = 0; i < explanation_.explained.size(); ++i) {
    const ClusterExplanation& cluster = explanation_.explained[i];
    const std::string head =
        fmt::format("cluster {} of {}: ", i + 1, with_commas(explanation_.clusters));
    text += cluster_text(head, cluster, image.height) +
            cause_rows(*drawn_a_, *drawn_b_, cluster, limit);
  }
  return text;
}

OrderedJson SceneDifference::json(std::size_t limit) const {
  OrderedJson json = {{"version", 1}, {"scene", changes_.values}};
  if (!other_shape_.empty()) return json["shape"] = other_shape_, json;
  json.update({{"width", a_.scene.image.width},
               {"height", a_.scene.image.height},
               {"pixels", explanation_.pixels},
               {"in_bytes", explanation_.in_samples},
               {"blur_differs", blur_differs_},
               {"clusters", explanation_.clusters},
               {"changes", explanation_.changes},
               {"explained", OrderedJson::array()}});
  for (const ClusterExplanation& cluster : explanation_.explained)
    json["explained"].push_back(cluster_json(*drawn_a_, *drawn_b_, cluster, limit));
  return json;
}

}  // namespace roundel
