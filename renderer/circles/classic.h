#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "renderer/circles/layer_source.h"

namespace roundel {

/// The circles of a classic scene, each of this alpha. All arithmetic is binary32, without
/// contraction, in the order written. Throws Error(kInvalidScene) for an unknown name.
std::unique_ptr<LayerSource> make_classic_layer(std::string_view name, std::uint32_t seed,
                                                float alpha);

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
