#include "tools/roundel/cli/surprises.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/generate/generate.h"
#include "renderer/pixels/srgb.h"
#include "renderer/render.h"
#include "renderer/scene/resolve_scene.h"

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

/// True where all circles together change no pixel. Without smooth edges circles that are smaller
/// than a pixel may paint all of one.
bool too_faint(const Scene& scene, ImageFormat format, const CircleSample& sample,
               std::uint64_t count) {
  const bool is_float = format != ImageFormat::kPng;
  const double half_level = is_float ? 0 : 0.5 / (scene.image.bits == 16 ? 65535 : 255);
  // A pixel changes by a circle's alpha times what it differs from what lies below; in linear light
  // dark levels are so many times as close.
  constexpr double kSteepest = 12.92;
  const bool is_linear = scene.image.blend_space == BlendSpace::kLinear;
  const float written = std::max(1.0f, brightest_written(scene));
  const double most = is_linear ? kSteepest * std::max(sample.brightest, srgb_to_linear(written))
                                : std::max(sample.brightest, written);
  const double ink =
      most * sample.ink * static_cast<double>(count) / static_cast<double>(sample.circles);
  return sample.circles > 0 && (ink == 0 || (scene.image.antialias && ink < half_level));
}

/// About a frame that hardly any circle touches, though there are some. Makes all circles, to say
/// where they are, where a sample says that it may be so.
std::string nothing_to_see(const Scene& scene, ImageFormat format, const CircleSample& sample,
                           std::int64_t frame, std::uint64_t overlaps) {
  constexpr std::size_t kOneOf = 100;  // so few are hardly any
  const std::uint64_t count = count_parts(scene);
  if (count == 0) return no_circles(scene);
  if (overlaps > 0 && too_faint(scene, format, sample, count))
    return "the circles are too faint or too small to be seen: all of them paint less than half a "
           "level of one pixel";
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

/// Rows of the scene as it stands, or those that all frames of a film share.
enum class RowsOf { kScene, kFilm };

/// About rows that "invalid: skip" leaves out.
std::vector<std::string> skipped_rows(const Scene& scene, RowsOf whose) {
  std::vector<std::string> sentences;
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr) continue;
    const bool is_film = data->film && data->film->facts;
    const DataFacts* const facts = is_film ? &*data->film->facts : data->facts.get();
    const bool is_of_frame = data->film && !is_film;
    if (whose == RowsOf::kFilm && (is_of_frame || scene.film)) continue;
    if (facts == nullptr || facts->skipped == 0) continue;
    sentences.push_back(fmt::format("{}{}: {} of {} cannot be drawn and {} skipped", data->path,
                                    is_film ? " and the other frames' files" : "",
                                    with_commas(facts->skipped), counted(facts->rows, "row"),
                                    facts->skipped == 1 ? "is" : "are"));
  }
  return sentences;
}

std::set<std::string> with_path(const Scene& scene, const std::vector<std::string>& sentences) {
  std::set<std::string> lines;
  for (const std::string& sentence : sentences) lines.insert(scene.path + ": " + sentence);
  return lines;
}

std::set<std::string> without(std::set<std::string> lines, const std::set<std::string>& known) {
  for (const std::string& line : known) lines.erase(line);
  return lines;
}

/// Warns of the first lines, and of how many more there are: numbers that were rounded, or rows
/// that are skipped.
void warn_of_first(const std::set<std::string>& lines, bool are_rounded) {
  constexpr std::size_t kListed = 5;
  std::size_t listed = 0;
  for (const std::string& line : lines)
    if (++listed <= kListed) spdlog::warn("{}", line);
  if (lines.size() <= kListed) return;
  const std::uint64_t more = lines.size() - kListed;
  if (are_rounded)
    spdlog::warn("numbers of {} are rounded, too", counted(more, "more column"));
  else
    spdlog::warn("rows of {} are skipped, too", counted(more, "more file"));
}

/// About a film of so many frames in which nothing moves.
std::string nothing_moves(const Scene& scene, std::size_t frames) {
  if (frames < 2 || FilmSource(scene).varies()) return "";
  return fmt::format("nothing in this scene depends on the frame: the {} pictures are the same",
                     frames);
}

}  // namespace

void warn_of_surprises(const Scene& scene, ImageFormat format, const CircleSample& sample,
                       std::size_t frames, bool is_film) {
  std::vector<std::string> sentences = surprises(scene, format, sample);
  sentences.push_back(nothing_moves(scene, frames));
  for (std::string& sentence : colours_used_twice(scene)) sentences.push_back(std::move(sentence));
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) spdlog::warn("{}: {}", scene.path, sentence);
  warn_of_first(with_path(scene, skipped_rows(scene, is_film ? RowsOf::kFilm : RowsOf::kScene)),
                false);
  warn_of_rounding(scene);
}

void warn_of_rounding(const Scene& scene) {
  warn_of_first(with_path(scene, rounded_numbers(scene)), true);
}

void warn_of_nothing(const Scene& scene, ImageFormat format, const CircleSample& sample,
                     std::int64_t frame, std::uint64_t overlaps) {
  const std::string sentence = nothing_to_see(scene, format, sample, frame, overlaps);
  if (!sentence.empty()) spdlog::warn("{}: {}", scene.path, sentence);
}

void FrameRemarks::look_at(std::int64_t frame, const Scene& scene, const CircleStream& circles) {
  rounded_.merge(with_path(scene, rounded_numbers(scene)));
  skipped_.merge(with_path(scene, skipped_rows(scene, RowsOf::kScene)));
  const bool is_meant = circles.count() == 0 && no_circles(scene).empty();
  if (is_meant || touch_picture(circles, scene.image)) return;
  if (unseen_.empty()) first_unseen_ = {scene.path, frame, nothing_to_see(scene, {}, {}, frame, 0)};
  unseen_.insert(frame);
}

void FrameRemarks::warn(const Scene& film) const {
  const char* const noun = film.film && film.film->rows > 0 ? "row" : "frame";
  if (!unseen_.empty()) {
    const auto& [path, frame, why] = first_unseen_;
    spdlog::warn("{}: {} {}: {}", path, noun, frame, why);
  }
  if (unseen_.size() > 1)
    spdlog::warn("{}: no circle in {}: {}", film.path, counted(unseen_.size(), noun),
                 frames_text({unseen_.begin(), unseen_.end()}));
  warn_of_first(without(skipped_, with_path(film, skipped_rows(film, RowsOf::kFilm))), false);
  warn_of_first(without(rounded_, with_path(film, rounded_numbers(film))), true);
}

}  // namespace roundel
