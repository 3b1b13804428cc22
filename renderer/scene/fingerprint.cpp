#include "renderer/scene/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string_view>

#include "renderer/data/table.h"
#include "renderer/scene/double_centers.h"
#include "renderer/scene/frame_samples.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

// Raise it when the same scene gives other pixels.
constexpr std::uint32_t kFrameContractVersion = 1;

// Hashes a sequence of values. Values of varying size follow their length, and choices a tag:
// different scenes give different sequences.
class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }

  void add(std::uint64_t value) { XXH3_128bits_update(state_.get(), &value, sizeof(value)); }
  // −0 and 0 paint the same.
  void add(double value) { add(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value)); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    XXH3_128bits_update(state_.get(), text.data(), text.size());
  }
  void add(const DisplayColor& color) {
    for (const float channel : {color.red, color.green, color.blue}) add(double{channel});
  }

  template <typename... Values>
  void add_all(const Values&... values) {
    (add(values), ...);
  }

  std::string digest() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

void add_parts(Hasher& hasher, const ConstantLaw& law) {
  hasher.add(law.value);
}
void add_parts(Hasher& hasher, const UniformLaw& law) {
  hasher.add_all(law.low, law.high);
}
void add_parts(Hasher& hasher, const GaussianLaw& law) {
  hasher.add_all(law.mean, law.sigma);
}
void add_parts(Hasher& hasher, const UniformPosition& box) {
  hasher.add_all(box.low[0], box.low[1], box.high[0], box.high[1]);
}
void add_parts(Hasher& hasher, const GaussianPosition& cloud) {
  hasher.add_all(cloud.mean[0], cloud.mean[1], cloud.sigma);
}
void add_parts(Hasher& hasher, const DiscPosition& disc) {
  hasher.add_all(disc.center[0], disc.center[1], disc.radius);
}
void add_parts(Hasher& hasher, const RingPosition& ring) {
  hasher.add_all(ring.center[0], ring.center[1], ring.radius, ring.width);
}
void add_parts(Hasher& hasher, const PolylinePosition& line) {
  hasher.add(std::uint64_t{line.points.size()});
  for (const auto& [x, y] : line.points) hasher.add_all(x, y);
  hasher.add_all(line.width, line.sigma);
}
void add_parts(Hasher& hasher, const GridPosition& grid) {
  hasher.add_all(grid.columns, grid.rows, grid.jitter, grid.low[0], grid.low[1], grid.high[0],
                 grid.high[1]);
}
void add_gradient(Hasher& hasher, const Gradient& gradient) {
  hasher.add_all(std::uint64_t{gradient.colors.size()}, std::uint64_t{gradient.places.size()});
  for (const auto& stop : gradient.colors)
    for (const double channel : stop) hasher.add(channel);
  for (const double place : gradient.places) hasher.add(place);
}
void add_parts(Hasher& hasher, const ChoiceColor& choice) {
  hasher.add(std::uint64_t{choice.colors.size()});
  for (std::size_t i = 0; i < choice.colors.size(); ++i)
    hasher.add_all(choice.colors[i], choice.weights[i]);
}
void add_parts(Hasher& hasher, const GradientColor& color) {
  add_gradient(hasher, color.gradient);
}
void add_parts(Hasher& hasher, const ConstantColor& color) {
  hasher.add(color.value);
}
void add_parts(Hasher& hasher, const UniformColor& color) {
  hasher.add_all(color.low, color.high);
}

template <typename Law>
void add_law(Hasher& hasher, const Law& law) {
  hasher.add(std::uint64_t{law.index()});
  std::visit([&hasher](const auto& kind) { add_parts(hasher, kind); }, law);
}

void add_seed(Hasher& hasher, const std::optional<std::uint32_t>& seed) {
  hasher.add_all(std::uint64_t{seed.has_value()}, std::uint64_t{seed.value_or(0)});
}

void add_source(Hasher& hasher, const GeneratorSource& source) {
  hasher.add(source.name);
  add_seed(hasher, source.seed);
}

void add_source(Hasher& hasher, const RandomSource& source) {
  hasher.add(source.count);
  add_seed(hasher, source.seed);
  add_law(hasher, source.position);
  add_law(hasher, source.radius);
  add_law(hasher, source.color);
  hasher.add(std::uint64_t{source.alpha.has_value()});
  add_law(hasher, source.alpha.value_or(ConstantLaw{0}));
  add_law(hasher, source.depth);
}

void add_source(Hasher& hasher, const InlineSource& source) {
  hasher.add(std::uint64_t{source.circles.size()});
  for (const InlineCircle& circle : source.circles) {
    hasher.add_all(circle.x, circle.y, circle.z, circle.radius, circle.color);
    hasher.add(circle.alpha.value_or(-1));  // alphas are never negative
  }
}

void add_number(Hasher& hasher, const NumberMap& number) {
  hasher.add_all(std::uint64_t{number.slot.has_value()}, std::uint64_t{number.slot.value_or(0)},
                 number.constant);
}
void add_length(Hasher& hasher, const Length& length) {
  hasher.add_all(std::uint64_t{length.in_pixels}, length.value);
}

/// Ends found in the data are numbers of the scene.
void add_scale(Hasher& hasher, const Scale& scale) {
  hasher.add_all(static_cast<std::uint64_t>(scale.kind), scale.threshold,
                 std::uint64_t{scale.ends.size()});
  for (const double end : scale.ends) hasher.add(end);
}

void add_size(Hasher& hasher, const SizeMap& size) {
  add_number(hasher, {size.slot, 0});
  add_length(hasher, size.constant);
  hasher.add(std::uint64_t{size.scale.has_value()});
  if (size.one != 1) hasher.add_all(std::string_view("by"), size.one);
  if (!size.scale) return;
  add_scale(hasher, *size.scale);
  add_length(hasher, size.low);
  add_length(hasher, size.high);
  hasher.add(std::uint64_t{size.missing.has_value()});
  add_length(hasher, size.missing.value_or(Length{}));
}

void add_color(Hasher& hasher, const ColorMap& color) {
  hasher.add(static_cast<std::uint64_t>(color.kind));
  hasher.add(color.constant);
  for (const NumberMap& channel : color.channels) add_number(hasher, channel);
  hasher.add(std::uint64_t{color.slot});
  if (color.kind == ColorMap::Kind::kScale) {
    add_scale(hasher, color.scale);
    add_gradient(hasher, color.gradient);
  }
  hasher.add(std::uint64_t{color.categories.size()});
  for (const Category& category : color.categories)
    hasher.add_all(category.text, category.number, category.color);
  hasher.add(std::uint64_t{color.missing.has_value()});
  hasher.add(color.missing.value_or(DisplayColor{}));
}

void add_condition(Hasher& hasher, const Condition& condition) {
  hasher.add(std::uint64_t{condition.slot});
  for (const std::optional<double>& bound : {condition.min, condition.max})
    hasher.add_all(std::uint64_t{bound.has_value()}, bound.value_or(0));
  hasher.add(std::uint64_t{condition.has_in});
  for (const auto* const numbers : {&condition.in_numbers, &condition.not_numbers}) {
    hasher.add(std::uint64_t{numbers->size()});
    for (const double number : *numbers) hasher.add(number);
  }
  for (const auto* const texts : {&condition.in_texts, &condition.not_texts}) {
    hasher.add(std::uint64_t{texts->size()});
    for (const std::string& text : *texts) hasher.add(std::string_view(text));
  }
}

/// The times stand for the frame: frames with equal ones are equal.
void add_motion(Hasher& hasher, const RowMotion& motion) {
  hasher.add(std::string_view("keys"));
  for (const MovingNumber& number : motion.numbers) {
    hasher.add_all(static_cast<std::uint64_t>(number.times.path),
                   static_cast<std::uint64_t>(number.times.repeat),
                   std::uint64_t{number.keys.size()});
    for (std::size_t k = 0; k < number.keys.size(); ++k) {
      hasher.add_all(number.times.frames[k], static_cast<std::uint64_t>(number.times.eases[k]));
      add_number(hasher, number.keys[k]);
      hasher.add(number.ones[k]);
    }
  }
  add_number(hasher, motion.start);
  if (motion.start.slot) hasher.add_all(motion.fps.numerator, motion.fps.denominator);
  for (const double time : motion.times_at(motion.frame)) hasher.add(time);
}

void add_map(Hasher& hasher, const DataMap& map) {
  hasher.add(std::string_view("map"));
  hasher.add(std::uint64_t{map.columns.size()});
  for (const std::size_t column : map.columns) hasher.add(std::uint64_t{column});
  add_number(hasher, map.x);
  add_number(hasher, map.y);
  add_number(hasher, map.z);
  add_size(hasher, map.radius);
  hasher.add(std::uint64_t{map.alpha.has_value()});
  if (map.alpha) add_size(hasher, *map.alpha);
  add_color(hasher, map.color);
  hasher.add(std::uint64_t{map.where.size()});
  for (const Condition& condition : map.where) add_condition(hasher, condition);
  hasher.add(std::uint64_t{map.order.has_value()});
  if (map.order)
    hasher.add_all(std::uint64_t{map.order->slot}, std::uint64_t{map.order->descending});
  hasher.add_all(std::uint64_t{map.skips_invalid}, std::uint64_t{map.radius_limits.has_value()});
  if (map.radius_limits)
    for (const Length& limit : *map.radius_limits) add_length(hasher, limit);
  if (map.motion) add_motion(hasher, *map.motion);
}

void add_source(Hasher& hasher, const DataSource& source) {
  hasher.add(std::uint64_t{source.columns.size()});
  for (const DataColumn column : source.columns)
    hasher.add(std::string_view(kDataColumnNames[static_cast<std::size_t>(column)]));
  hasher.add_all(source.rows, source.table && source.table->is_in_memory()
                                  ? source.table->content_hash()
                                  : source.content_hash);
  if (!source.dataset.empty())
    hasher.add_all(std::string_view("dataset"), std::string_view(source.dataset));
  if (source.color) {
    hasher.add(std::string_view("one colour"));
    hasher.add(*source.color);
  }
  if (!source.map.is_plain) add_map(hasher, source.map);
}

/// Defaults add nothing.
void add_placement(Hasher& hasher, const Layer& layer) {
  if (layer.blend != BlendMode::kOver)
    hasher.add_all(std::string_view("blend"), static_cast<std::uint64_t>(layer.blend));
  if (layer.stroke) {
    const Stroke& stroke = *layer.stroke;
    hasher.add(std::string_view(layer.fill ? "stroke" : "stroke alone"));
    add_length(hasher, stroke.width);
    hasher.add_all(std::uint64_t{stroke.color.has_value()}, stroke.color.value_or(DisplayColor{}));
    hasher.add(stroke.alpha.value_or(-1));  // alphas are never negative
  }
  if (layer.is_on_screen) hasher.add(std::string_view("screen"));
  if (layer.opacity != 1) hasher.add_all(std::string_view("opacity"), layer.opacity);
  if (layer.move.is_identity()) return;
  const LayerMove& move = layer.move;
  hasher.add_all(std::string_view("move"), move.offset[0], move.offset[1], move.pivot[0],
                 move.pivot[1], move.scale, move.rotate);
}

bool has_double_data(const Scene& scene) {
  return std::any_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
    const auto* data = std::get_if<DataSource>(&layer.source);
    return !layer.is_hidden && data != nullptr && data->map.is_plain && !data->fits_float;
  });
}

}  // namespace

std::string fingerprint(const Scene& scene) {
  const std::vector<double> times = sample_times(scene);
  if (times.size() == 1)
    return fingerprint(sample_at(scene, times.front(), SceneUse::kFingerprint));
  Hasher hasher;
  if (!times.empty()) {
    hasher.add(std::string_view("mean"));
    for (const double time : times)
      hasher.add(std::string_view(fingerprint(sample_at(scene, time, SceneUse::kFingerprint))));
    return hasher.digest();
  }
  hasher.add(std::uint64_t{kFrameContractVersion});
  hasher.add(static_cast<std::uint64_t>(scene.image.frame_width()));
  hasher.add(static_cast<std::uint64_t>(scene.image.frame_height()));
  hasher.add(std::uint64_t{scene.image.alpha});
  const Background background = scene.image.alpha ? Background{} : scene.image.background;
  hasher.add_all(background.bottom, background.top);
  hasher.add(static_cast<std::uint64_t>(scene.image.blend_space));
  hasher.add(std::uint64_t{scene.seed});
  hasher.add_all(scene.view.center_x, scene.view.center_y, scene.view.zoom);
  hasher.add(std::uint64_t{scene.layers.size()});
  for (const Layer& layer : scene.layers) {
    if (layer.is_hidden) {
      hasher.add(std::string_view("hidden"));
      continue;
    }
    hasher.add(static_cast<std::uint64_t>(layer.shader));
    hasher.add(double{layer.alpha});
    hasher.add(std::uint64_t{layer.source.index()});
    std::visit([&](const auto& source) { add_source(hasher, source); }, layer.source);
    add_placement(hasher, layer);
  }
  if (scene.image.bits != 8) hasher.add(std::string_view("16 bits"));
  if (scene.image.dither) hasher.add(std::string_view("dither"));
  // Distinguishes these frames from older ones, drawn from rounded positions.
  if (has_double_data(scene) &&
      !is_identity(scene.view, scene.image.frame_width(), scene.image.frame_height()))
    hasher.add(std::string_view("data's positions in binary64"));
  if (std::any_of(scene.layers.begin(), scene.layers.end(),
                  [&](const Layer& layer) { return has_double_centers(scene, layer); }))
    hasher.add(std::string_view("positions in binary64"));
  if (scene.image.antialias) hasher.add(std::string_view("antialias"));
  if (scene.image.crop)
    hasher.add_all(std::string_view("crop"), static_cast<std::uint64_t>(scene.image.first_column()),
                   static_cast<std::uint64_t>(scene.image.first_row()),
                   static_cast<std::uint64_t>(scene.image.width),
                   static_cast<std::uint64_t>(scene.image.height));
  if (scene.image.px != 1) hasher.add_all(std::string_view("px"), scene.image.px);
  if (scene.view.flip_y) hasher.add(std::string_view("y points down"));
  if (scene.view.rotate != 0) hasher.add_all(std::string_view("turned"), scene.view.rotate);
  if (scene.animation && scene.animation->is_real && scene.animation->fps != Animation{}.fps &&
      std::any_of(scene.layers.begin(), scene.layers.end(),
                  [](const Layer& layer) { return !layer.is_hidden && is_simulated(layer); }))
    hasher.add_all(std::string_view("real time"), scene.animation->fps);
  return hasher.digest();
}

std::string fingerprint_at(const Scene& scene, std::int64_t frame) {
  if (!has_frames(scene)) return fingerprint(scene);
  return fingerprint(scene_at(scene, frame, SceneUse::kFingerprint));
}

}  // namespace roundel
