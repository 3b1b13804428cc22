#include "renderer/circles/classic.h"

#include <algorithm>
#include <array>

#include "renderer/scene/classic_scenes.h"

namespace roundel {
namespace {

struct Maker {
  const char* name;
  std::unique_ptr<LayerSource> (*make)(const ClassicOptions&);
};
constexpr std::array<Maker, kClassicScenes.size()> kMakers = {{
    {"rgb", make_rgb},
    {"rgby", make_rgby},
    {"rand10k", make_rand10k},
    {"rand100k", make_rand100k},
    {"rand1M", make_rand_1m},
    {"micro2M", make_micro_2m},
    {"biglittle", make_biglittle},
    {"littlebig", make_littlebig},
    {"pattern", make_pattern},
    {"snow", make_snow},
    {"snowsingle", make_snowsingle},
    {"bouncingballs", make_bouncingballs},
    {"hypnosis", make_hypnosis},
    {"fireworks", make_fireworks},
}};
static_assert(std::equal(kMakers.begin(), kMakers.end(), kClassicScenes.begin(),
                         [](const Maker& maker, const ClassicScene& scene) {
                           return maker.name == std::string_view(scene.name);
                         }));

}  // namespace

std::unique_ptr<LayerSource> make_classic_layer(std::string_view name,
                                                const ClassicOptions& options) {
  const ClassicScene& scene = classic_scene(name);
  return kMakers[static_cast<std::size_t>(&scene - kClassicScenes.data())].make(options);
}

}  // namespace roundel
