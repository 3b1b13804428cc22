#include "renderer/scene/frame_samples.h"

#include <algorithm>

namespace roundel {

std::vector<double> sample_times(const Scene& scene) {
  if (!is_blurred(scene)) return {};
  const Animation& animation = *scene.animation;
  const auto samples = static_cast<double>(animation.samples);
  const auto frame = static_cast<double>(shown_frame(scene, scene.frame));
  std::vector<double> times;
  for (std::int64_t k = 0; k < animation.samples; ++k)
    times.push_back(frame + animation.shutter * (static_cast<double>(k) + 0.5) / samples);
  const auto is_constant = [&](const auto& value_at) {
    return std::all_of(times.begin(), times.end(),
                       [&](double time) { return value_at(time) == value_at(times.front()); });
  };
  const std::vector<KeyedValue>& keyed = keyed_values(scene);
  if (std::all_of(keyed.begin(), keyed.end(),
                  [&](const KeyedValue& one) {
                    return is_constant([&](double time) { return one.keys.at(time); });
                  }) &&
      std::all_of(scene.layers.begin(), scene.layers.end(), [&](const Layer& layer) {
        if (!has_moving_rows(layer)) return true;
        const RowMotion& motion = *std::get<DataSource>(layer.source).map.motion;
        return is_constant([&](double time) { return motion.times_at(time); });
      }))
    times.resize(1);
  return times;
}

Scene sample_at(const Scene& scene, double time, SceneUse use) {
  Scene at = scene;
  at.animation->samples = 1;
  apply_keys(at, time);
  complete_moved(at, scene, use);
  return at;
}

}  // namespace roundel
