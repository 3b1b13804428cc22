#include <fmt/format.h>

#include <cmath>

#include "renderer/scene/fingerprint.h"
#include "renderer/scene/resolve_scene.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

Scene film_of(const std::string& text) {
  return parse_scene("version: 1\n" + text, "s.yaml");
}

double zoom_at(const std::string& keys, std::int64_t frame) {
  const Scene scene = film_of("view: {zoom: " + keys + "}\nlayers: []\nanimation: {fps: 24}\n");
  return scene_at(scene, frame).view.zoom;
}

TEST(Keys, EasesMatchTheirFormulas) {
  const auto at = [](const std::string& ease, std::int64_t frame) {
    return zoom_at("{keys: {10: 2, 30: 34}, ease: " + ease + "}", frame);
  };
  for (const std::int64_t frame : {10, 13, 20, 25, 29, 30}) {
    const double t = static_cast<double>(frame - 10) / 20;
    EXPECT_EQ(at("linear", frame), 2 + 32 * t);
    EXPECT_EQ(at("in", frame), 2 + 32 * (t * t));
    EXPECT_EQ(at("out", frame), 2 + 32 * (t * (2 - t)));
    EXPECT_EQ(at("in-out", frame), 2 + 32 * (t * t * (3 - 2 * t)));
    EXPECT_EQ(at("hold", frame), frame < 30 ? 2 : 34);
    EXPECT_NEAR(at("exponential", frame), 2 * std::pow(17, t), 1e-12);
    EXPECT_EQ(zoom_at("{keys: {10: 2, 30: 34}}", frame), 2 + 32 * t) << "linear by default";
  }
  EXPECT_EQ(at("exponential", 10), 2);
  EXPECT_EQ(at("exponential", 30), 34);
}

TEST(Keys, EaseOfAKeyIsForTheFramesBeforeIt) {
  const std::string keys =
      "{keys: {0: 1, 10: {to: 3, ease: in}, 20: {to: 4, ease: hold}, 30: {to: 9}, 40: 10}, ease: "
      "out}";
  for (const auto& [frame, zoom] : std::map<std::int64_t, double>{
           {0, 1}, {5, 1.5}, {10, 3}, {15, 3}, {20, 4}, {25, 4 + 5 * 0.75}, {30, 9}, {35, 9.75}})
    EXPECT_EQ(zoom_at(keys, frame), zoom) << frame;
}

TEST(Keys, ExponentialPathsTakeAnEase) {
  const std::string keys = "{keys: {0: 1, 10: {to: 16, ease: in-out}, 20: 1}, path: exponential}";
  EXPECT_NEAR(zoom_at(keys, 5), 4, 1e-12);
  EXPECT_NEAR(zoom_at(keys, 2), std::pow(16, 0.04 * 2.6), 1e-12);
  EXPECT_NEAR(zoom_at(keys, 15), 4, 1e-12);
  EXPECT_EQ(zoom_at("{keys: {0: 2, 20: 32}, path: exponential}", 7),
            zoom_at("{keys: {0: 2, 20: 32}, ease: exponential}", 7));
}

TEST(Keys, RepeatInBothDirections) {
  const std::string loop = "{keys: {10: 1, 14: 5}, repeat: loop}";
  const std::string ping_pong = "{keys: {10: 1, 14: 5}, repeat: ping-pong}";
  for (std::int64_t frame = -30; frame < 50; ++frame) {
    const std::int64_t since = ((frame - 10) % 8 + 8) % 8;
    EXPECT_EQ(zoom_at(loop, frame), 1 + static_cast<double>(since % 4)) << frame;
    EXPECT_EQ(zoom_at(ping_pong, frame), 1 + static_cast<double>(since > 4 ? 8 - since : since))
        << frame;
  }
}

std::array<double, 2> center_at(const std::string& keys, std::int64_t frame) {
  const Scene scene = film_of("view: {center: " + keys + "}\nlayers: []\nanimation: {fps: 24}\n");
  const View view = scene_at(scene, frame).view;
  return {view.center_x, view.center_y};
}

TEST(Keys, SplinesGoThroughTheirKeysWithoutCorners) {
  const std::string keys =
      "{keys: {0: [0, 0], 100: [3, 1], 200: [3, 4], 300: [3, 4], 400: [0, 2]}, path: spline}";
  using Point = std::array<double, 2>;
  EXPECT_EQ(center_at(keys, -9), (Point{0, 0}));
  EXPECT_EQ(center_at(keys, 100), (Point{3, 1}));
  EXPECT_EQ(center_at(keys, 250), (Point{3, 4})) << "equal neighbours";
  EXPECT_EQ(center_at(keys, 400), (Point{0, 2}));
  // The tangent's direction is the same on both sides of a key.
  const Point before = center_at(keys, 99), after = center_at(keys, 101);
  const double cross = (3 - before[0]) * (after[1] - 1) - (1 - before[1]) * (after[0] - 3);
  EXPECT_LT(std::abs(cross), 0.05 * std::hypot(3 - before[0], 1 - before[1]) *
                                 std::hypot(after[0] - 3, after[1] - 1));
  // Keys on a line at equal distances: a uniform motion along it.
  const std::string line = "{keys: {0: [0, 1], 10: [1, 1], 20: [2, 1], 30: [3, 1]}, path: spline}";
  for (const std::int64_t frame : {3, 10, 17, 28}) {
    EXPECT_NEAR(center_at(line, frame)[0], static_cast<double>(frame) / 10, 1e-12);
    EXPECT_NEAR(center_at(line, frame)[1], 1, 1e-12);
  }
  // Midpoint of the middle part of (0,0), (1,0), (1,1), (2,1): all knots are 1 apart.
  const Point middle =
      center_at("{keys: {0: [0, 0], 2: [1, 0], 4: [1, 1], 6: [2, 1]}, path: spline}", 3);
  EXPECT_NEAR(middle[0], 1, 1e-12);
  EXPECT_NEAR(middle[1], 0.5, 1e-12);
}

TEST(Keys, DurationIsRoundedToFrames) {
  const auto frames = [](const std::string& animation) {
    return film_of("layers: []\nanimation: {" + animation + "}\n").animation->frames;
  };
  EXPECT_EQ(frames("fps: 24, duration: 12s"), 288);
  EXPECT_EQ(frames("duration: 0.5s"), 30);
  EXPECT_EQ(frames("fps: 24000/1001, duration: 1001s"), 24000);
  EXPECT_EQ(frames("fps: 10, duration: 0.25s"), 3);
  EXPECT_EQ(frames("fps: 10, duration: 0.001s"), 1);
}

TEST(Keys, AcceptAnyOrderNegativeFramesAndSeconds) {
  const std::string keys = "{keys: {\"1.5s\": 5, -12: 1, 0: 3, 2s: 9}}";  // frames -12, 0, 36, 48
  for (const auto& [frame, zoom] : std::map<std::int64_t, double>{
           {-1000, 1}, {-12, 1}, {-6, 2}, {0, 3}, {18, 4}, {36, 5}, {42, 7}, {48, 9}, {9999, 9}})
    EXPECT_EQ(zoom_at(keys, frame), zoom) << frame;
  EXPECT_EQ(zoom_at("{keys: {7: 5}}", 100), 5);
}

TEST(Keys, SecondsAreExactAtFractionalRates) {
  const auto frames_of = [](const std::string& fps, const std::string& seconds) {
    const Scene scene = film_of("view: {zoom: {keys: {" + seconds + ": 1}}}\nlayers: []\n" +
                                "animation: {fps: " + fps + "}\n");
    return scene.keyed->front().keys.frames.front();
  };
  for (const int n : {1, 3, 7, 9000})
    EXPECT_EQ(frames_of("24000/1001", fmt::format("{}s", 1001 * n)), 24000 * n);
  for (int i = 1; i < 400; ++i) {
    const std::string text = fmt::format("{}.{:03}s", i * 1001 / 1000, i * 1001 % 1000);
    EXPECT_EQ(frames_of("24000/1001", text), 24 * i) << text;
    EXPECT_EQ(frames_of("'60000/1001'", text), 60 * i) << text;
  }
  // A number keeps its value to the bit.
  EXPECT_EQ(frames_of("23.976", "1.001s"), 1.001 * 23.976);
  EXPECT_EQ(frames_of("24", "1.001s"), 1.001 * 24);
}

TEST(Keys, RestIfAllFramesHaveTheSameValue) {
  const auto is_constant = [](const std::string& keys, const FrameList& frames) {
    const Scene scene = film_of("view: {zoom: " + keys + "}\nlayers: []\nanimation: {fps: 24}\n");
    const bool by_keys = scene.keyed->front().keys.is_constant_in(frames);
    bool by_values = true;
    for (const std::int64_t frame : frames)
      by_values &= scene_at(scene, frame).view.zoom == scene_at(scene, frames.front()).view.zoom;
    EXPECT_EQ(by_keys, by_values) << keys;
    const Scene at = restricted_to(scene, frames);
    EXPECT_EQ(at.keyed == nullptr, by_keys) << keys;
    for (const std::int64_t frame : frames)
      EXPECT_EQ(fingerprint_at(at, frame), fingerprint_at(scene, frame)) << keys;
    return by_keys;
  };
  const std::string hill = "{keys: {10: 1, 20: 2, 30: 1, 40: 1}}";
  EXPECT_TRUE(is_constant(hill, {-5, 0, 10}));
  EXPECT_FALSE(is_constant(hill, {10, 11}));
  EXPECT_TRUE(is_constant(hill, {10, 30, 35, 50}));
  EXPECT_FALSE(is_constant(hill, {10, 15, 30}));
  EXPECT_FALSE(is_constant(hill, {10, 15, 16, 30}));
  EXPECT_TRUE(is_constant(hill, {15, 25}));
  EXPECT_TRUE(is_constant(hill, {12}));
  EXPECT_FALSE(is_constant(hill, {5, 20, 30, 41}));
  EXPECT_TRUE(is_constant("{keys: {10: 1, 20: 2}, ease: hold}", {3, 10, 15, 19}));
  EXPECT_FALSE(is_constant("{keys: {10: 1, 20: 2}, ease: hold}", {10, 15, 19, 20}));
  EXPECT_TRUE(is_constant("{keys: {0: 3, 90: 3}, ease: exponential}", {0, 7, 45, 90}));
  EXPECT_TRUE(is_constant("{keys: {0: 1, 9: {to: 2, ease: hold}, 20: 3}}", {0, 8}));
  EXPECT_TRUE(is_constant("{keys: {0: 3, 90: 3}, repeat: loop}", {0, 45, 200}));
  EXPECT_FALSE(is_constant("{keys: {0: 3, 90: 4}, repeat: loop}", {0, 45, 100}));
}

const std::string kFilm =
    "vars: {far: {keys: {0: 0.2, 60: 0.8}, ease: in-out}}\n"
    "image: {width: 32, height: 16}\n"
    "view: {center: {keys: {0: [0.5, 0.5], 30: [0.6, 0.25]}}, zoom: {keys: {0: 1, 60: 4}}}\n"
    "layers:\n"
    "  - generator: rgb\n"
    "    opacity: {keys: {0: 0, 40: 1}}\n"
    "    offset: {keys: {0: [0, 0], 60: [1, -1]}}\n"
    "    scale: {keys: {0: 1, 60: 3}}\n"
    "    rotate: {keys: {0: 0, 60: 90}}\n"
    "  - circles:\n"
    "      - {x: 0.5, y: 0.5, radius: 0.1}\n"
    "      - {x: $far, y: {keys: {0: 0, 60: 1}}, z: {keys: {0: 0, 60: 1}},\n"
    "         radius: {keys: {0: 0.1, 60: 0.2}}, alpha: {keys: {0: 0, 60: 1}},\n"
    "         color: {keys: {0: \"#000000\", 60: [1, 0.5, 2]}}}\n"
    "animation: {fps: 30, frames: 61}\n";

TEST(Keys, FrameEqualsTheSceneWithItsValuesWrittenOut) {
  const Scene film = film_of(kFilm);
  const std::string frame_30 =
      "image: {width: 32, height: 16}\n"
      "view: {center: [0.6, 0.25], zoom: 2.5}\n"
      "layers:\n"
      "  - {generator: rgb, opacity: 0.75, offset: [0.5, -0.5], scale: 2, rotate: 45}\n"
      "  - circles:\n"
      "      - {x: 0.5, y: 0.5, radius: 0.1}\n"
      "      - {x: 0.5, y: 0.5, z: 0.5, radius: 0.15000000000000002, alpha: 0.5,\n"
      "         color: [0.5, 0.25, 1]}\n";
  EXPECT_EQ(fingerprint_at(film, 30), fingerprint(film_of(frame_30)));
  EXPECT_EQ(fingerprint(scene_at(film, 30)), fingerprint_at(film, 30));
  EXPECT_EQ(fingerprint_at(film, 60), fingerprint_at(film, 6000)) << "constant after the last key";
  EXPECT_EQ(fingerprint_at(film, 0), fingerprint_at(film, -7));
  // For every way to reach it.
  EXPECT_EQ(fingerprint_at(scene_at(scene_at(film, 60), 3), 30), fingerprint_at(film, 30));
  EXPECT_EQ(fingerprint(film), fingerprint_at(film, 0)) << "a scene is at its first frame";
}

TEST(Keys, EachChangesOnlyTheFramesThatItMoves) {
  const Scene film = film_of(kFilm);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"60: 4}", "60: 5}"},
                                                        {"60: [1, -1]", "60: [1, -2]"},
                                                        {"60: 3}", "60: 2}"},
                                                        {"60: 90", "60: 80"},
                                                        {"60: 0.8", "60: 0.7"},
                                                        {"60: [1, 0.5, 2]", "60: [1, 0.5, 1]"}}) {
    // The new value comes late: frames up to 40 stay.
    std::string text = kFilm;
    text.replace(text.find(from), from.size(), to);
    EXPECT_NE(fingerprint_at(film_of(text), 60), fingerprint_at(film, 60)) << from;
    EXPECT_EQ(fingerprint_at(film_of(text), 0), fingerprint_at(film, 0)) << from;
    EXPECT_NE(fingerprint_at(film_of(text), 1), fingerprint_at(film, 1)) << from;
  }
  std::string later = kFilm;
  later.replace(later.find("40: 1}"), 6, "40: 1, 50: 0.5}");
  for (const std::int64_t frame : {0, 20, 40})
    EXPECT_EQ(fingerprint_at(film_of(later), frame), fingerprint_at(film, frame));
  EXPECT_NE(fingerprint_at(film_of(later), 41), fingerprint_at(film, 41));
}

TEST(Keys, WindowsAndMarginsMoveTheView) {
  const Scene film = film_of(
      "view: {x: {keys: {0: [0, 2], 10: [4, 8]}}, y: [0, 1]}\nlayers: []\nimage: {width: 64, "
      "height: 64}\n");
  EXPECT_EQ(film.view.zoom, 0.5);
  EXPECT_EQ(scene_at(film, 5).view.center_x, 3.5);
  EXPECT_EQ(scene_at(film, 10).view.zoom, 0.25);
  const Scene fit = film_of(
      "view: {fit: square, margin: {keys: {0: 0, 10: 0.5}}}\nlayers: []\nimage: {width: 64, "
      "height: 64}\n");
  EXPECT_EQ(fit.view.zoom, 1);
  EXPECT_EQ(scene_at(fit, 10).view.zoom, 0.5);
  EXPECT_NE(parse_error("version: 1\nview: {x: {keys: {0: [0, 1], 9: [0, 1e-12]}}, y: {keys: {0: "
                        "[0, 1], 9: [0, 1e-12]}}}\nlayers: []\n")
                .find("needs a zoom of"),
            std::string::npos)
      << "reported before drawing";
}

TEST(Frames, HideALayerAsLayersDoes) {
  const std::string layers =
      "layers:\n  - {name: a, generator: rgb}\n  - {name: b, generator: hypnosis%s}\n";
  const auto with = [&](const std::string& more) {
    return "version: 1\n" + std::string(layers).replace(layers.find("%s"), 2, more) +
           "animation: {fps: 10, frames: 9}\n";
  };
  SceneOverrides only_a;
  only_a.layers = {"a"};
  const Scene film = parse_scene(with(", frames: [3, 0.6s]"), "s.yaml");
  const Scene hidden = parse_scene(with(""), "s.yaml", only_a);
  const Scene shown = parse_scene(with(""), "s.yaml");
  ASSERT_TRUE(has_frames(film));
  EXPECT_TRUE(film.layers[1].is_hidden) << "in frame 0";
  EXPECT_TRUE(is_simulated(film.layers[1]));
  for (std::int64_t frame = -1; frame < 9; ++frame)
    EXPECT_EQ(fingerprint_at(film, frame), fingerprint(frame >= 3 && frame <= 6 ? shown : hidden))
        << frame;
  EXPECT_FALSE(scene_at(scene_at(film, 8), 5).layers[1].is_hidden);
  EXPECT_FALSE(has_frames(restricted_to(film, {3, 4, 6})));
  EXPECT_EQ(fingerprint(restricted_to(film, {3, 4, 6})), fingerprint(shown));
  EXPECT_EQ(fingerprint(restricted_to(film, {7, 8})), fingerprint(hidden));
  EXPECT_TRUE(has_frames(restricted_to(film, {2, 3})));
}

TEST(Frames, FrameVarGivesEachFrameAScene) {
  const std::string text = "seed: $frame\nlayers: [{random: {count: 3}}]\nanimation: {start: 4}\n";
  const Scene film = film_of(text);
  ASSERT_TRUE(has_frames(film));
  EXPECT_EQ(film.seed, 4U);
  for (const std::int64_t frame : {0, 4, 17}) {
    EXPECT_EQ(scene_at(film, frame).seed, static_cast<std::uint32_t>(frame));
    SceneOverrides overrides;
    overrides.frame = frame;
    const Scene still = parse_scene("version: 1\n" + text, "s.yaml", overrides);
    EXPECT_EQ(fingerprint_at(film, frame), fingerprint(still)) << frame;
  }
  EXPECT_FALSE(has_frames(film_of("vars: {frame: 1}\n" + text)));
}

TEST(Keys, MovingLayersKeepTheWindowOfData) {
  const TemporaryFolder folder;
  folder.write("d.csv", "x,y\n0,0\n4,4\n");
  const Scene film = parse_scene(
      "version: 1\nview: {fit: data, margin: 0}\nlayers:\n"
      "  - {data: d.csv, map: {x: x, y: y, radius: 1}, offset: {keys: {0: [2, 0], 9: [50, 0]}}}\n",
      folder / "s.yaml");
  EXPECT_EQ(film.view.center_x, 4);
  EXPECT_EQ(scene_at(film, 9).view, film.view);
  EXPECT_EQ(scene_at(film, 9).layers[0].move.offset[0], 50);
}

}  // namespace
}  // namespace roundel
