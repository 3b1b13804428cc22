#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "renderer/generate/layer_source.h"

namespace roundel {

/// One of the classic scenes of the Stanford CS149 / CMU 15-418 circle renderer. All arithmetic of
/// their circles is binary32, without contraction, in the order written.
struct ClassicScene {
  const char* name;
  std::uint64_t count;  ///< circles
  Shader shader;        ///< where a layer names none
  /// Arguments: seed; alpha of every circle.
  std::unique_ptr<LayerSource> (*make)(std::uint32_t, float);
};

/// All fourteen.
std::span<const ClassicScene> classic_scenes();

/// Null for an unknown name.
const ClassicScene* find_classic(std::string_view name);
/// Throws Error(kInvalidScene) for an unknown name.
const ClassicScene& classic_scene(std::string_view name);

std::unique_ptr<LayerSource> make_rgb(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_rgby(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_rand10k(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_rand100k(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_rand_1m(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_micro_2m(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_biglittle(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_littlebig(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_pattern(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_bouncingballs(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_hypnosis(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_fireworks(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_snow(std::uint32_t seed, float alpha);
std::unique_ptr<LayerSource> make_snowsingle(std::uint32_t seed, float alpha);

}  // namespace roundel
