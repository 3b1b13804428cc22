#include "renderer/scene/scene_film.h"

#include <map>

#include "tests/scene/testing.h"

namespace roundel {
namespace {

struct Loads {
  std::map<std::int64_t, int> counts;
  Scene operator()(std::int64_t frame) {
    ++counts[frame];
    return parse_scene("version: 1\nimage: {width: 8, height: 8}\nseed: " + std::to_string(frame) +
                           "\nlayers: [{circles: [{x: 0, y: 0, radius: 1}]}]\n",
                       "s.yaml");
  }
};

TEST(SceneFilm, LoadsACachedSceneOnce) {
  Loads loads;
  const SceneFilm film([&](std::int64_t frame) { return loads(frame); }, 1 << 20);
  film.keep(7, film.load(7, SceneUse::kDraw));
  EXPECT_EQ(film.load(7, SceneUse::kFingerprint).seed, 7u);
  EXPECT_EQ(film.load(7, SceneUse::kFingerprint).seed, 7u);
  EXPECT_EQ(film.load(7, SceneUse::kDraw).seed, 7u);
  EXPECT_EQ(loads.counts[7], 1);
  EXPECT_EQ(film.load(7, SceneUse::kDraw).seed, 7u);  // it was released
  EXPECT_EQ(loads.counts[7], 2);
}

TEST(SceneFilm, LimitsTheCachedScenes) {
  Loads loads;
  const std::uint64_t of_one = sizeof(Scene) + sizeof(Layer) + sizeof(InlineCircle);
  const SceneFilm film([&](std::int64_t frame) { return loads(frame); }, 2 * of_one);
  for (std::int64_t frame = 0; frame < 4; ++frame)
    film.keep(frame, film.load(frame, SceneUse::kDraw));
  for (std::int64_t frame = 0; frame < 4; ++frame) film.load(frame, SceneUse::kDraw);
  EXPECT_EQ(loads.counts, (std::map<std::int64_t, int>{{0, 1}, {1, 1}, {2, 2}, {3, 2}}));
}

}  // namespace
}  // namespace roundel
