#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "renderer/circles/layer_source.h"

namespace roundel {

struct ClassicOptions {
  std::uint32_t seed;
  float alpha;      ///< the same for all circles
  bool has_depths;  ///< false: depths that need sorting are unspecified
};

/// Binary32, without contraction, in the order written. Throws Error(kInvalidScene) for an unknown
/// name.
std::unique_ptr<LayerSource> make_classic_layer(std::string_view name,
                                                const ClassicOptions& options);

std::unique_ptr<LayerSource> make_rgb(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_rgby(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_rand10k(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_rand100k(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_rand_1m(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_micro_2m(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_biglittle(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_littlebig(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_pattern(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_bouncingballs(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_hypnosis(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_fireworks(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_snow(const ClassicOptions& options);
std::unique_ptr<LayerSource> make_snowsingle(const ClassicOptions& options);

}  // namespace roundel
