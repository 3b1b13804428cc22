#pragma once
#include <cstdint>
#include <vector>

#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene.h"

/// Motion blur: a frame is the mean of pictures of the scene at times from the frame's own on.
namespace roundel {

inline bool is_blurred(const Scene& scene) {
  return (scene.keyed || has_moving_rows(scene)) && scene.animation && scene.animation->samples > 1;
}

/// Times of the pictures whose mean is the frame of scene_at(), in frames: n + shutter·(k +
/// ½)/samples. Only the first if values with keys are the same at all of them; empty without blur.
std::vector<double> sample_times(const Scene& scene);

/// The scene of scene_at() with its values of keys at another time, and without blur. Data and
/// simulations stay at the frame.
Scene sample_at(const Scene& scene, double time, SceneUse use);

}  // namespace roundel
