#include "renderer/scene/load_scene.h"

#include <set>

#include "renderer/base/write_file.h"
#include "renderer/circles/generate.h"
#include "renderer/data/npy.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/fingerprint.h"
#include "tests/data/table_values.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

const std::string kHead = "version: 1\n";

Scene parse(const std::string& text, const SceneOverrides& overrides = {}) {
  return parse_scene(text, "s.yaml", overrides);
}
DisplayColor background_of(const std::string& color) {
  const Scene scene = parse(kHead + "image: {background: " + color + "}\nlayers: []\n");
  EXPECT_EQ(scene.image.background.bottom, scene.image.background.top);
  return scene.image.background.top;
}

TEST(LoadScene, ReadsSurrogatePairsInJson) {
  const std::string name = R"({"version": 1, "layers": [{"circles": [], "name": ")";
  EXPECT_EQ(parse(name + R"(\\ud83d \uD83D\uDE00"}]})").layers[0].name, "\\ud83d \U0001F600");
  EXPECT_NE(parse_error(name + R"(\ud83d"}]})").find("half a character"), std::string::npos);
  const std::string place = parse_error(name + R"(\"\ud83d\ude00 \ud83d\ude00", "opacity": 2}]})");
  EXPECT_TRUE(place.starts_with("s.yaml:1:93: ")) << place;  // places in the file
}

TEST(LoadScene, NegativeZeroBecomesZero) {
  const Scene scene =
      parse(kHead + "layers: [{circles: [{x: 0, y: 0, radius: 1, alpha: -0.0}], opacity: -0}]\n");
  EXPECT_FALSE(std::signbit(scene.layers[0].opacity));
  EXPECT_FALSE(std::signbit(*std::get<InlineSource>(scene.layers[0].source).circles[0].alpha));
}

TEST(LoadScene, EverySceneInTheFolderLoads) {
  std::set<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(kSceneFolder)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().string());
    const Scene scene = load_scene(entry.path().string());
    EXPECT_FALSE(scene.layers.empty());
    EXPECT_GT(count_circles(scene), 0u);
    stems.insert(entry.path().stem().string());
  }
  for (const std::string& name : classic_names()) EXPECT_TRUE(stems.contains(name)) << name;
  EXPECT_GE(stems.size(), classic_names().size() + 3);
}

TEST(LoadScene, ClassicScenesHaveTheirGeneratorAndBackground) {
  for (const std::string& name : classic_names()) {
    SCOPED_TRACE(name);
    const Scene scene = load_scene((kSceneFolder / (name + ".yaml")).string());
    ASSERT_EQ(scene.layers.size(), 1u);
    EXPECT_EQ(std::get<GeneratorSource>(scene.layers[0].source).name, name);
    EXPECT_EQ(scene.image.width, 1024);
    EXPECT_EQ(scene.image.height, 1024);
    EXPECT_EQ(scene.seed, 1u);
    const bool snow = name.starts_with("snow");
    EXPECT_EQ(scene.layers[0].shader, snow ? Shader::kSnow : Shader::kSolid);
    EXPECT_EQ(scene.layers[0].alpha, 0.5f);
    const Background expected = snow ? Background{{0.85f, 0.85f, 0.85f}, {0.4f, 0.4f, 0.4f}}
                                     : Background{{1, 1, 1}, {1, 1, 1}};
    EXPECT_EQ(scene.image.background, expected);
    const bool animated =
        name == "snow" || name == "bouncingballs" || name == "hypnosis" || name == "fireworks";
    EXPECT_EQ(scene.animation.has_value(), animated);
    EXPECT_EQ(scene.default_frame(), name == "snow" ? 300 : 0);
  }
}

TEST(LoadScene, SmallestSceneHasTheDocumentedDefaults) {
  const Scene scene = parse("{version: 1, layers: []}");
  EXPECT_EQ(scene.path, "s.yaml");
  EXPECT_EQ(scene.image.width, 1024);
  EXPECT_EQ(scene.image.height, 1024);
  EXPECT_EQ(scene.image.background, (Background{{1, 1, 1}, {1, 1, 1}}));
  EXPECT_FALSE(scene.image.alpha);
  EXPECT_EQ(scene.image.blend_space, BlendSpace::kDisplay);
  EXPECT_EQ(scene.seed, 1u);
  EXPECT_EQ(scene.view.center_x, 0.5);
  EXPECT_EQ(scene.view.center_y, 0.5);
  EXPECT_EQ(scene.view.zoom, 1);
  EXPECT_FALSE(scene.animation);
  EXPECT_FALSE(scene.output);
}

// The schema's "default" entries are written by hand: written out in a scene, they must change
// nothing.
TEST(LoadScene, ExplicitDefaultsOfTheSchemaChangeNothing) {
  const Scene implied = parse(kHead +
                              "layers:\n"
                              "  - random: {count: 3}\n"
                              "  - circles: [{x: 0.5, y: 0.5, radius: 0.1}]\n"
                              "  - generator: rgb\n"
                              "animation: {}\n");
  const Scene spelt = parse(
      kHead +
      "image: {width: 1024, height: 1024, background: \"#ffffff\", alpha: false, blend: display}\n"
      "seed: 1\n"
      "view: {center: [0.5, 0.5], zoom: 1}\n"
      "layers:\n"
      "  - random: {count: 3, position: {uniform: [[0, 0], [1, 1]]}, radius: 0.01,\n"
      "             color: \"#000000\", depth: 0}\n"
      "    shader: {solid: {alpha: 0.5}}\n"
      "  - circles: [{x: 0.5, y: 0.5, radius: 0.1, z: 0, color: \"#000000\"}]\n"
      "    shader: solid\n"
      "  - generator: {name: rgb}\n"
      "    shader: {solid: {}}\n"
      "animation: {fps: 60, frames: 1, start: 0, time: steps}\n");
  EXPECT_EQ(fingerprint(implied), fingerprint(spelt));
  EXPECT_EQ(implied.animation->fps, spelt.animation->fps);
  EXPECT_EQ(implied.animation->frames, spelt.animation->frames);
  EXPECT_EQ(implied.animation->start, spelt.animation->start);
}

TEST(LoadScene, RatesAreNumbersOrFractions) {
  const auto fps_of = [](const std::string& fps) {
    return parse(kHead + "layers: []\nanimation: {fps: " + fps + "}\n").animation->fps;
  };
  EXPECT_EQ(fps_of("24000/1001"), 24000.0 / 1001);
  EXPECT_EQ(fps_of("\"30000/1001\""), 30000.0 / 1001);
  EXPECT_EQ(fps_of("25/1"), 25);
  EXPECT_EQ(fps_of("1/9999999"), 1.0 / 9999999);
  EXPECT_EQ(fps_of("23.976"), 23.976);
  EXPECT_EQ(fps_of("29.97"), 29.97);
}

TEST(LoadScene, ColoursAreHexOrThreeNumbersOrOneGrey) {
  EXPECT_EQ(background_of("\"#ff8000\""), (DisplayColor{1, 128.0f / 255.0f, 0}));
  EXPECT_EQ(background_of("'#0aFFb3'"), (DisplayColor{10.0f / 255.0f, 1, 179.0f / 255.0f}));
  EXPECT_EQ(background_of("[0.25, 1, 3.5]"), (DisplayColor{0.25f, 1, 3.5f}));
  EXPECT_EQ(background_of("0.85"), (DisplayColor{0.85f, 0.85f, 0.85f}));
}

TEST(LoadScene, ReadsEveryKeyOfTheScene) {
  const Scene scene = parse(kHead +
                            "image: {width: 640, height: 480, background: {bottom: 0.25, top: [0, "
                            "0.5, 1]}, blend: linear}\n"
                            "seed: 4294967295\n"
                            "view: {center: [0.25, -2], zoom: 3.5}\n"
                            "layers: []\n"
                            "animation: {fps: 23.976, frames: 240, start: 300}\n"
                            "output: out/frame_####.png\n");
  EXPECT_EQ(scene.image.width, 640);
  EXPECT_EQ(scene.image.height, 480);
  EXPECT_EQ(scene.image.background, (Background{{0.25f, 0.25f, 0.25f}, {0, 0.5f, 1}}));
  EXPECT_EQ(scene.image.blend_space, BlendSpace::kLinear);
  EXPECT_EQ(scene.seed, 4294967295u);
  EXPECT_EQ(scene.view.center_x, 0.25);
  EXPECT_EQ(scene.view.center_y, -2);
  EXPECT_EQ(scene.view.zoom, 3.5);
  ASSERT_TRUE(scene.animation);
  EXPECT_EQ(scene.animation->fps, 23.976);
  EXPECT_EQ(scene.animation->frames, 240);
  EXPECT_EQ(scene.default_frame(), 300);
  EXPECT_EQ(scene.output, "out/frame_####.png");
  EXPECT_TRUE(parse(kHead + "image: {alpha: true}\nlayers: []\n").image.alpha);
}

TEST(LoadScene, ReadsEveryKeyOfARandomLayer) {
  const Scene scene = parse(
      kHead +
      "layers:\n"
      "  - random: {count: 20000, seed: 9, position: {gaussian: {mean: [0.5, 0.25], sigma: 0.1}},\n"
      "             radius: {uniform: [0.002, 0.01]}, color: {uniform: [\"#000000\", [1, 2, 3]]},\n"
      "             alpha: {gaussian: {mean: 0.5, sigma: 0.25}}, depth: 0.75}\n"
      "    shader: snow\n"
      "  - random: {count: 1, position: {uniform: [[-1, 0], [2, 3]]}, alpha: 0.125}\n"
      "    shader: {solid: {alpha: 0.25}}\n");
  const auto& source = std::get<RandomSource>(scene.layers.at(0).source);
  EXPECT_EQ(scene.layers[0].shader, Shader::kSnow);
  EXPECT_EQ(source.count, 20000u);
  EXPECT_EQ(source.seed, 9u);
  const auto& cloud = std::get<GaussianPosition>(source.position);
  EXPECT_EQ(cloud.mean, (std::array<double, 2>{0.5, 0.25}));
  EXPECT_EQ(cloud.sigma, 0.1);
  EXPECT_EQ(std::get<UniformLaw>(source.radius).low, 0.002);
  EXPECT_EQ(std::get<UniformLaw>(source.radius).high, 0.01);
  EXPECT_EQ(std::get<UniformColor>(source.color).low, (DisplayColor{0, 0, 0}));
  EXPECT_EQ(std::get<UniformColor>(source.color).high, (DisplayColor{1, 2, 3}));
  EXPECT_EQ(std::get<GaussianLaw>(source.alpha.value()).mean, 0.5);
  EXPECT_EQ(std::get<GaussianLaw>(source.alpha.value()).sigma, 0.25);
  EXPECT_EQ(std::get<ConstantLaw>(source.depth).value, 0.75);

  const auto& second = std::get<RandomSource>(scene.layers.at(1).source);
  const auto& box = std::get<UniformPosition>(second.position);
  EXPECT_EQ(box.low, (std::array<double, 2>{-1, 0}));
  EXPECT_EQ(box.high, (std::array<double, 2>{2, 3}));
  EXPECT_EQ(std::get<ConstantLaw>(second.alpha.value()).value, 0.125);
  EXPECT_FALSE(second.seed);
  EXPECT_EQ(scene.layers[1].alpha, 0.25f);
}

TEST(LoadScene, ReadsEveryKeyOfACircle) {
  const Scene scene =
      parse(kHead +
            "layers:\n"
            "  - circles:\n"
            "      - {x: -0.5, y: 1e2, z: 0.25, radius: 1e-7, color: \"#ff0000\", alpha: 0}\n"
            "      - x: 1\n"
            "        y: 2\n"
            "        radius: 3\n");
  const auto& circles = std::get<InlineSource>(scene.layers.at(0).source).circles;
  ASSERT_EQ(circles.size(), 2u);
  EXPECT_EQ(circles[0].x, -0.5);
  EXPECT_EQ(circles[0].y, 100);
  EXPECT_EQ(circles[0].z, 0.25);
  EXPECT_EQ(circles[0].radius, 1e-7);
  EXPECT_EQ(circles[0].color, (DisplayColor{1, 0, 0}));
  EXPECT_EQ(circles[0].alpha, 0.0);
  EXPECT_EQ(circles[1].radius, 3);
  EXPECT_EQ(circles[1].color, (DisplayColor{0, 0, 0}));
  EXPECT_FALSE(circles[1].alpha);
}

TEST(LoadScene, ClassicSnowHasTheSnowShaderByDefault) {
  const Scene scene = parse(kHead +
                            "layers:\n"
                            "  - generator: snow\n"
                            "  - {generator: {name: snowsingle, seed: 7}, shader: solid}\n"
                            "  - {generator: rgb, shader: snow}\n");
  EXPECT_EQ(scene.layers[0].shader, Shader::kSnow);
  EXPECT_EQ(scene.layers[1].shader, Shader::kSolid);
  EXPECT_EQ(std::get<GeneratorSource>(scene.layers[1].source).seed, 7u);
  EXPECT_EQ(scene.layers[2].shader, Shader::kSnow);
}

TEST(LoadScene, FindsDataBesideTheSceneAndHashesIt) {
  const TemporaryFolder folder;
  const std::vector<float> values(12, 0.5f);
  folder.write("a.npy", npy_file(values, 3, 4));
  const std::string path = folder.write("s.yaml", kHead +
                                                      "layers:\n"
                                                      "  - data: a.npy\n"
                                                      "    columns: [x, y, _, radius]\n"
                                                      "  - data: ./a.npy\n"
                                                      "    columns: [x, y, z, radius]\n"
                                                      "    shader: snow\n");
  const Scene scene = load_scene(path);
  const auto& first = std::get<DataSource>(scene.layers.at(0).source);
  const auto& second = std::get<DataSource>(scene.layers.at(1).source);
  EXPECT_EQ(first.path, folder / "a.npy");
  EXPECT_EQ(first.rows, 3u);
  EXPECT_EQ(first.columns, (std::vector{DataColumn::kX, DataColumn::kY, DataColumn::kIgnored,
                                        DataColumn::kRadius}));
  EXPECT_NE(first.content_hash, 0u);
  EXPECT_EQ(first.content_hash, second.content_hash);

  folder.write("t.yaml", kHead + "layers:\n  - {data: a.npy, columns: [x, y, radius]}\n");
  EXPECT_EQ(message_of([&] { load_scene(folder / "t.yaml"); }),
            (folder / "t.yaml") +
                ":3:28: layers[0].columns: expected 4 names, one for each column of " +
                (folder / "a.npy") + ", got 3");
}

TEST(LoadScene, KeepsTheHashedDataAfterReplacement) {
  const TemporaryFolder folder;
  folder.write("a.npy", npy_file(std::vector<float>{.25f, .5f, .5f}, 1, 3));
  const std::string path =
      folder.write("s.yaml", kHead + "layers:\n  - {data: a.npy, columns: [x, y, radius]}\n");
  const Scene scene = load_scene(path);
  const Scene copy = scene;
  write_text_atomically(folder / "a.npy",  // another file
                        npy_file(std::vector<float>{.75f, .5f, .5f}, 1, 3));
  const Scene later = load_scene(path);
  const auto first_x = [](const Scene& loaded) {
    return values_of(*std::get<DataSource>(loaded.layers.at(0).source).table).at(0);
  };
  EXPECT_EQ(first_x(scene), .25);
  EXPECT_EQ(first_x(copy), .25);
  EXPECT_EQ(first_x(later), .75);
  EXPECT_NE(fingerprint(scene), fingerprint(later));
}

TEST(LoadScene, ViewAcceptsFarPositions) {
  const std::string layers = "layers: []\n";
  EXPECT_EQ(parse(kHead + "view: {center: [5400000, -1e15]}\n" + layers).view.center_y, -1e15);
  EXPECT_EQ(parse_error(kHead + "view: {center: [0, 2e15]}\n" + layers),
            "s.yaml:2:20: view.center[1]: expected a number <= 1000000000000000, got 2e15");
}

TEST(LoadScene, SizeAndSeedOfTheCommandLineOverride) {
  SceneOverrides overrides;
  overrides.width = 31;
  overrides.height = 17;
  overrides.seed = 5;
  const Scene scene =
      parse(kHead + "image: {width: 640, height: 480}\nseed: 2\nlayers: []\n", overrides);
  EXPECT_EQ(scene.image.width, 31);
  EXPECT_EQ(scene.image.height, 17);
  EXPECT_EQ(scene.seed, 5u);

  overrides.width = 0;
  EXPECT_EQ(message_of([&] { parse("{version: 1, layers: []}", overrides); }, ExitCode::kUsage),
            "--size: expected 1 to 65536 pixels a side, got 0x17");
  overrides.width = 65537;
  EXPECT_EQ(message_of([&] { parse("{version: 1, layers: []}", overrides); }, ExitCode::kUsage),
            "--size: expected 1 to 65536 pixels a side, got 65537x17");
}

TEST(LoadScene, ReadsEveryStyleOfYaml) {
  const std::string expected =
      fingerprint(parse("{version: 1, seed: 3, layers: [{generator: rgb}]}"));
  for (const std::string text :
       {"\xEF\xBB\xBFversion: 1\nseed: 3\nlayers:\n- generator: rgb\n",
        "version: 1\r\nseed: 3\r\nlayers:\r\n  - generator: rgb\r\n",
        "%YAML 1.2\n---\nversion: 1\nseed: 3\nlayers:\n  - generator: \"rgb\"\n...\n# bye\n",
        "{\"version\": 1, \"seed\": 3, \"layers\": [{\"generator\": \"rgb\"}]}",
        "layers: [{generator: 'rgb'}] # last comes first\nseed: +3\nversion: 1",
        "? version\n: 1\n? seed\n: 3\n? layers\n: - generator:\n      name: rgb\n"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(fingerprint(parse(text)), expected);
  }
}

}  // namespace
}  // namespace roundel
