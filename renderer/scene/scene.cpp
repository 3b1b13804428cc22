#include "renderer/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/scene_film.h"

namespace roundel {

std::uint64_t count_circles(const Layer& layer) {
  struct Count {
    std::uint64_t operator()(const GeneratorSource& s) const { return classic_scene(s.name).count; }
    std::uint64_t operator()(const RandomSource& s) const { return s.count; }
    std::uint64_t operator()(const InlineSource& s) const { return s.circles.size(); }
    std::uint64_t operator()(const DataSource& s) const { return s.facts ? s.facts->kept : s.rows; }
  };
  return layer.is_hidden ? 0 : std::visit(Count{}, layer.source);
}

std::uint64_t count_circles(const Scene& scene) {
  std::uint64_t count = 0;
  for (const Layer& layer : scene.layers) count += count_circles(layer);
  return count;
}

std::uint64_t count_parts(const Scene& scene) {
  std::uint64_t count = 0;
  for (const Layer& layer : scene.layers) count += count_parts(layer);
  return count;
}

CircleStyles styles_of(const Scene& scene) {
  CircleStyles styles;
  for (const Layer& layer : scene.layers) {
    if (layer.is_hidden) continue;
    styles.rings |= layer.stroke.has_value();
    styles.adds |= layer.blend == BlendMode::kAdd;
    styles.filters |= layer.blend == BlendMode::kMultiply || layer.blend == BlendMode::kScreen;
  }
  return styles;
}

bool is_data_film(const Scene& scene) {
  return std::any_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    return data != nullptr && data->film;
  });
}

bool is_simulated(const Layer& layer) {
  const auto* const generator = std::get_if<GeneratorSource>(&layer.source);
  return (!layer.is_hidden || layer.frames) && generator != nullptr &&
         classic_scene(generator->name).is_simulated;
}

std::int64_t shown_frame(const Scene& scene, std::int64_t frame) {
  return scene.film ? scene.film->scene_frame.value_or(frame) : frame;
}

std::int64_t steps_at(const Scene& scene, std::int64_t number) {
  const std::int64_t frame = shown_frame(scene, number);
  if (frame <= 0) return 0;
  if (!scene.animation || !scene.animation->is_real) return frame;
  constexpr double kStepsPerSecond = 60, kRounding = 0x1p-20;
  const double steps =
      std::floor(kStepsPerSecond * static_cast<double>(frame) / scene.animation->fps + kRounding);
  if (steps > static_cast<double>(kMaxFrame))
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: animation: frame {} at {} fps is after {:.0f} steps of 1/60 s, at "
                            "most {}",
                            scene.path, frame, scene.animation->fps, steps, kMaxFrame));
  return static_cast<std::int64_t>(steps);
}

const std::vector<KeyedValue>& keyed_values(const Scene& scene) {
  static const std::vector<KeyedValue> kNone;
  return scene.keyed ? *scene.keyed : kNone;
}

bool has_frames(const Scene& scene) {
  return scene.keyed || scene.film || is_data_film(scene) ||
         std::any_of(scene.layers.begin(), scene.layers.end(),
                     [](const Layer& layer) { return layer.frames.has_value(); });
}

std::string DataFilm::path(std::int64_t frame) const {
  const std::filesystem::path file = name.path(std::max<std::int64_t>(frame, 0));
  return (std::filesystem::path(folder) / file).string();
}

DataMap map_of_columns(const std::vector<DataColumn>& columns, const DisplayColor& color) {
  DataMap map;
  map.is_plain = true;
  map.color.constant = color;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const DataColumn column = columns[c];
    if (column == DataColumn::kIgnored) continue;
    const Slot slot = slot_of(map, c);
    if (column == DataColumn::kX) map.x.slot = slot;
    if (column == DataColumn::kY) map.y.slot = slot;
    if (column == DataColumn::kZ) map.z.slot = slot;
    if (column == DataColumn::kRadius) map.radius.slot = slot;
    if (column == DataColumn::kAlpha) map.alpha = SizeMap{slot, {}, {}, {}, {}, {}};
    if (column < DataColumn::kRed || column > DataColumn::kBlue) continue;
    map.color.kind = ColorMap::Kind::kChannels;
    map.color
        .channels[static_cast<std::size_t>(column) - static_cast<std::size_t>(DataColumn::kRed)]
        .slot = slot;
  }
  return map;
}

}  // namespace roundel
