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
  const bool is_constant =
      std::all_of(scene.keyed->begin(), scene.keyed->end(), [&](const KeyedValue& keyed) {
        const Keys::Value first = keyed.keys.at(times.front());
        return std::all_of(times.begin(), times.end(),
                           [&](double time) { return keyed.keys.at(time) == first; });
      });
  if (is_constant) times.resize(1);
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
