#include "tools/roundel/cli/problems.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/generate/generate.h"
#include "renderer/pixels/srgb.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/resolve_scene.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

constexpr float kFarAboveOne = 16;  ///< brighter than any lamp that a scene might have
constexpr double kMostOf = 0.6;     ///< of a sample, so that it is most of all circles

float brightest_of(const DisplayColor& color) {
  return std::max({color.red, color.green, color.blue});
}

struct BrightestDrawn {
  float operator()(const ConstantColor& color) const { return brightest_of(color.value); }
  float operator()(const UniformColor& color) const { return brightest_of(color.high); }
  float operator()(const GradientColor& /*color*/) const { return 1; }  // of hexadecimal colours
  float operator()(const ChoiceColor& choice) const {
    float brightest = 0;
    for (const DisplayColor& color : choice.colors)
      brightest = std::max(brightest, brightest_of(color));
    return brightest;
  }
};

/// The brightest channel that the scene file itself has.
float brightest_written(const Scene& scene) {
  float brightest = std::max(brightest_of(scene.image.background.bottom),
                             brightest_of(scene.image.background.top));
  for (const Layer& layer : scene.layers) {
    if (layer.is_hidden || layer.shader == Shader::kSnow) continue;  // flakes have their own
    if (const auto* const circles = std::get_if<InlineSource>(&layer.source)) {
      for (const InlineCircle& circle : circles->circles)
        brightest = std::max(brightest, brightest_of(circle.color));
    } else if (const auto* const random = std::get_if<RandomSource>(&layer.source)) {
      brightest = std::max(brightest, std::visit(BrightestDrawn{}, random->color));
    }
  }
  return brightest;
}

std::string bounds_text(const SceneBounds& bounds) {
  return fmt::format("x {:.4g}..{:.4g}, y {:.4g}..{:.4g}", bounds.left, bounds.right, bounds.bottom,
                     bounds.top);
}

/// About the scene as it will be drawn: an image of another aspect than the scene's, most circles
/// under a pixel, colours far above 1 in a picture of 8 bits, alpha in a format without.
std::vector<std::string> surprises(const Scene& scene, ImageFormat format,
                                   const CircleSample& sample) {
  std::vector<std::string> sentences;
  const ImageSettings& image = scene.image;
  const double aspect = static_cast<double>(image.frame_width()) / image.frame_height();
  const double aspect_in_file = static_cast<double>(scene.width_in_file) / scene.height_in_file;
  constexpr double kRounding = 0.02;  // of a small picture's whole pixels
  if (scene.width_in_file > 0 && std::abs(aspect / aspect_in_file - 1) > kRounding) {
    const char* const effect =
        scene.window.has_value()  ? (scene.window->covers ? "the view's window is cut off elsewhere"
                                                          : "there is more around the view's window")
        : aspect > aspect_in_file ? "the picture shows more at the left and right"
                                  : "the picture is cut off at the left and right";
    sentences.push_back(fmt::format("--size {}x{} is {} than the scene's {}x{}: {}",
                                    image.frame_width(), image.frame_height(),
                                    aspect > aspect_in_file ? "wider" : "narrower",
                                    scene.width_in_file, scene.height_in_file, effect));
  }
  const double share = static_cast<double>(sample.under_a_pixel) /
                       std::max<double>(1, static_cast<double>(sample.circles));
  if (!image.antialias && share >= kMostOf) {
    sentences.push_back(fmt::format(
        "about {:.0f} % of the circles are less wide than a pixel: such a circle paints "
        "one pixel, if it lies on its centre, or none",
        100 * share));
  }
  const float of_sample =
      image.blend_space == BlendSpace::kLinear ? srgb_to_linear(kFarAboveOne) : kFarAboveOne;
  if (format == ImageFormat::kPng &&
      (brightest_written(scene) > kFarAboveOne || sample.brightest > of_sample)) {
    sentences.emplace_back(
        "colours go far above 1, which is the brightest that 8 bits show: numbers are 0 to 1, "
        "not 0 to 255");
  }
  if (format == ImageFormat::kPfm && image.alpha)
    sentences.emplace_back("PFM has no alpha: the colours are premultiplied, and .exr keeps both");
  return sentences;
}

/// Of a scene without circles: why its data have none. Scenes without data want it so.
std::string no_circles(const Scene& scene) {
  bool has_data = false;
  std::uint64_t rows = 0;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr) continue;
    has_data = true;
    rows += data->facts ? data->facts->rows : data->rows;
  }
  if (!has_data) return "";
  if (rows == 0) return "the picture has no circles: its data have no rows";
  return fmt::format(
      "the picture has no circles: \"where\" and \"invalid: skip\" keep none of the {} of its data",
      counted(rows, "row"));
}

/// About a frame that hardly any circle touches, though there are some. Makes all circles, to say
/// where they are, where a sample says that it may be so.
std::string nothing_to_see(const Scene& scene, const CircleSample& sample, std::int64_t frame,
                           std::uint64_t overlaps) {
  constexpr std::size_t kOneOf = 100;  // so few are hardly any
  const std::uint64_t count = count_parts(scene);
  if (count == 0) return no_circles(scene);
  if (overlaps > 0 && kOneOf * sample.touching >= sample.circles) return "";
  const std::string view = fmt::format("{} shows {}", scene.image.crop ? "--crop" : "the view",
                                       bounds_text(picture_bounds(scene)));
  try {
    const CirclePlaces places = circle_places(scene, frame);
    if (kOneOf * places.touching >= places.circles) return "";
    const std::string bounds = bounds_text(places.bounds);
    const std::string part = places.circles < count ? "of a sample " : "";
    if (places.touching == 0)
      return fmt::format("{}no circle touches the picture: they lie in {}, {}", part, bounds, view);
    return fmt::format("{}only {} of {} circles touch the picture: they lie in {}, {}", part,
                       with_commas(places.touching), with_commas(places.circles), bounds, view);
  } catch (const Error&) {  // data that has changed since it was drawn; the picture is right
    return fmt::format("hardly any circle touches the picture; {}", view);
  }
}

/// About palettes that begin again.
std::vector<std::string> colours_used_twice(const Scene& scene) {
  std::vector<std::string> sentences;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr || !data->map) continue;
    const ColorMap& color = data->map->color;
    if (color.palette.empty() || color.categories.size() <= color.palette.size()) continue;
    sentences.push_back(fmt::format("{} has {} categories for {} colours: some have the same",
                                    data->path, color.categories.size(), color.palette.size()));
  }
  return sentences;
}

/// About rows that "invalid: skip" leaves out.
std::vector<std::string> skipped_rows(const Scene& scene) {
  std::vector<std::string> sentences;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr) continue;
    const bool is_film = data->film && data->film->facts;
    const DataFacts* const facts = is_film ? &*data->film->facts : data->facts.get();
    if (facts == nullptr || facts->skipped == 0) continue;
    sentences.push_back(fmt::format("{}{}: {} of {} cannot be drawn and {} skipped", data->path,
                                    is_film ? " and the other frames' files" : "",
                                    with_commas(facts->skipped), counted(facts->rows, "row"),
                                    facts->skipped == 1 ? "is" : "are"));
  }
  return sentences;
}

/// About a film of so many frames in which nothing moves.
std::string nothing_moves(const Scene& scene, std::size_t frames) {
  if (frames < 2 || FilmSource(scene).varies()) return "";
  return fmt::format("nothing in this scene depends on the frame: the {} pictures are the same",
                     frames);
}

}  // namespace

void print_error(const Error& error) {
  for (const std::string& line : lines_of(error.what())) {
    if (error.exit_code() == ExitCode::kInvalidScene) {
      print_err(line + "\n");
    } else {
      spdlog::error("{}", line);
    }
  }
}

void Problems::add(const Error& error) {
  print_error(error);
  codes_.push_back(error.exit_code());
}

ExitCode Problems::exit_code() const {
  if (codes_.empty()) return ExitCode::kDone;
  const bool any_invalid =
      std::find(codes_.begin(), codes_.end(), ExitCode::kInvalidScene) != codes_.end();
  return any_invalid ? ExitCode::kInvalidScene : codes_.front();
}

std::vector<Scene> load_scenes(const std::vector<std::string>& paths,
                               const SceneOverrides& overrides, Problems& problems) {
  std::vector<Scene> scenes;
  for (const std::string& path : paths) {
    problems.attempt([&] { scenes.push_back(load_scene(path, overrides)); });
  }
  return scenes;
}

std::vector<std::string> rounding_lines(const Scene& scene) {
  std::vector<std::string> lines = rounded_numbers(scene);
  for (std::string& line : lines) line.insert(0, scene.path + ": ");
  return lines;
}

void warn_of_rounding(const std::vector<std::string>& lines) {
  constexpr std::size_t kListed = 5;
  for (std::size_t i = 0; i < std::min(kListed, lines.size()); ++i) spdlog::warn("{}", lines[i]);
  if (lines.size() > kListed)
    spdlog::warn("numbers of {} are rounded, too", counted(lines.size() - kListed, "more column"));
}

void warn_of_surprises(const Scene& scene, ImageFormat format, const CircleSample& sample,
                       std::size_t frames, std::int64_t frame, std::uint64_t overlaps) {
  std::vector<std::string> sentences = surprises(scene, format, sample);
  sentences.push_back(nothing_moves(scene, frames));
  sentences.push_back(nothing_to_see(scene, sample, frame, overlaps));
  for (std::string& sentence : colours_used_twice(scene)) sentences.push_back(std::move(sentence));
  for (std::string& sentence : skipped_rows(scene)) sentences.push_back(std::move(sentence));
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) spdlog::warn("{}: {}", scene.path, sentence);
  warn_of_rounding(rounding_lines(scene));
}

}  // namespace roundel
