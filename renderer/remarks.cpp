#include "renderer/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/generate/generate.h"
#include "renderer/pixels/srgb.h"
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

/// With so many digits that the ends are told apart, far from 0 too.
std::string range_text(double low, double high) {
  const double most = std::max(std::abs(low), std::abs(high));
  int digits = 4;
  for (double steps = 100 * (high - low); 0 < steps && steps < most && digits < 17; steps *= 10)
    ++digits;
  return fmt::format("{:.{}g}..{:.{}g}", low, digits, high, digits);
}

std::string bounds_text(const SceneBounds& bounds) {
  return fmt::format("x {}, y {}", range_text(bounds.left, bounds.right),
                     range_text(bounds.bottom, bounds.top));
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

/// Why the data of a scene without circles have none. Empty where there are no data: then it is
/// meant.
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

}  // namespace

std::vector<std::string> remarks_on_look(const Scene& scene, ImageFormat format,
                                         const CircleSample& sample) {
  std::vector<std::string> sentences;
  const ImageSettings& image = scene.image;
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
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (layer.is_hidden || data == nullptr || !data->map) continue;
    const DataMap& map = *data->map;
    const auto check_domain = [&](const char* what, const Scale& scale) {
      if (!scale.domain || scale.ends.size() != 2 || scale.ends[0] != scale.ends[1]) return;
      sentences.push_back(fmt::format(
          "{}: both ends of the domain of {} are {}: all rows have the middle of the range",
          data->path, what, scale.ends[0]));
    };
    if (map.radius.scale) check_domain("radius", *map.radius.scale);
    if (map.alpha && map.alpha->scale) check_domain("alpha", *map.alpha->scale);
    const ColorMap& color = map.color;
    if (color.kind == ColorMap::Kind::kScale) check_domain("color", color.scale);
    if (layer.shader == Shader::kSnow && (map.alpha || color.kind != ColorMap::Kind::kConstant))
      sentences.push_back(data->path + ": the shader snow reads no color and no alpha of the map");
    if (color.palette.empty() || color.categories.size() <= color.palette.size()) continue;
    sentences.push_back(fmt::format("{} has {} categories for {} colours: some have the same",
                                    data->path, color.categories.size(), color.palette.size()));
  }
  return sentences;
}

bool shows_nothing(const Scene& scene, const CircleStream& circles) {
  const bool is_meant = circles.count() == 0 && no_circles(scene).empty();
  return !is_meant && !touch_picture(circles, scene.image);
}

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

CircleSample sample_film(const Scene& scene, std::size_t frames) {
  constexpr std::size_t kManyFrames = 10;  // beside which one frame's circles take no time
  CircleSample sample;
  const bool is_cheap = makes_circles_on_the_way(scene) || frames >= kManyFrames;
  if (is_cheap && !CircleSource(scene).is_simulated()) sample = sample_circles(scene, 0);
  sample.ink = std::numeric_limits<double>::infinity();
  return sample;
}

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

}  // namespace roundel
