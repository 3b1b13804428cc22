#include "renderer/scene/fingerprint.h"

#include <array>
#include <map>

#include "renderer/data/npy.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

std::string fingerprint_of(const std::string& text) {
  return fingerprint(parse_scene(text, "s.yaml"));
}

const std::string kScene =
    "version: 1\n"
    "image: {width: 64, height: 32, background: {bottom: 0.25, top: 0.5}, blend: display}\n"
    "seed: 3\n"
    "view: {center: [0.5, 0.25], zoom: 2}\n"
    "layers:\n"
    "  - generator: {name: rand10k, seed: 4}\n"
    "    shader: {solid: {alpha: 0.75}}\n"
    "  - random: {count: 100, seed: 5, position: {uniform: [[0, 0], [1, 2]]}, radius: {uniform: "
    "[0.01, 0.02]},\n"
    "             color: {uniform: [0.125, 0.375]}, alpha: {uniform: [0.1, 0.3]}, depth: 0.625}\n"
    "  - random: {count: 200, position: {gaussian: {mean: [0.3, 0.4], sigma: 0.15}}, color: "
    "\"#102030\",\n"
    "             radius: {gaussian: {mean: 0.05, sigma: 0.005}}}\n"
    "  - circles: [{x: 0.11, y: 0.12, z: 0.13, radius: 0.14, color: [0.21, 0.22, 0.23], alpha: "
    "0.9}]\n"
    "animation: {fps: 60, frames: 10, start: 7}\n"
    "output: a.png\n";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kScene;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the scene: " + from);
  return text.replace(at, from.size(), to);
}

TEST(Fingerprint, Is32HexDigitsAndDependsOnTheSceneOnly) {
  EXPECT_EQ(fingerprint_of("{version: 1, layers: [{generator: rgb}]}"),
            "a6beaea0c9134a3a4bdf51d7cfc1aa6b");
}

TEST(Fingerprint, EverythingThatDeterminesPixelsChangesIt) {
  std::map<std::string, std::string> seen{{fingerprint_of(kScene), "the scene itself"}};
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"width: 64", "width: 65"},
      {"height: 32", "height: 33"},
      {"bottom: 0.25", "bottom: 0.26"},
      {"top: 0.5", "top: 0.51"},
      {"top: 0.5", "top: [0.5, 0.5, 0.51]"},
      {"background: {bottom: 0.25, top: 0.5}", "alpha: true"},
      {"display", "linear"},
      {"display", "display, antialias: true"},
      {"seed: 3", "seed: 2"},
      {"[0.5, 0.25]", "[0.51, 0.25]"},
      {"[0.5, 0.25]", "[0.5, 0.26]"},
      {"zoom: 2", "zoom: 2.0000000001"},
      {"rand10k", "rand100k"},
      {"rand10k, seed: 4", "rand10k, seed: 6"},
      {"rand10k, seed: 4", "rand10k"},
      {"alpha: 0.75", "alpha: 0.76"},
      {"{solid: {alpha: 0.75}}", "snow"},
      {"{solid: {alpha: 0.75}}", "soft"},
      {"count: 100", "count: 101"},
      {"count: 100, seed: 5", "count: 100, seed: 7"},
      {"count: 100, seed: 5", "count: 100"},
      {"[[0, 0], [1, 2]]", "[[0.1, 0], [1, 2]]"},
      {"[[0, 0], [1, 2]]", "[[0, 0.1], [1, 2]]"},
      {"[[0, 0], [1, 2]]", "[[0, 0], [1.1, 2]]"},
      {"[[0, 0], [1, 2]]", "[[0, 0], [1, 2.1]]"},
      {"[0.01, 0.02]", "[0.011, 0.02]"},
      {"[0.01, 0.02]", "[0.01, 0.021]"},
      {"{uniform: [0.01, 0.02]}", "{gaussian: {mean: 0.01, sigma: 0.02}}"},
      {"{uniform: [0.01, 0.02]}", "0.01"},
      {"[0.125, 0.375]", "[0.126, 0.375]"},
      {"[0.125, 0.375]", "[0.125, 0.376]"},
      {"{uniform: [0.125, 0.375]}", "0.125"},
      {"[0.1, 0.3]", "[0.11, 0.3]"},
      {", alpha: {uniform: [0.1, 0.3]}", ""},
      {"depth: 0.625", "depth: 0.626"},
      {"mean: [0.3, 0.4]", "mean: [0.31, 0.4]"},
      {"mean: [0.3, 0.4]", "mean: [0.3, 0.41]"},
      {"sigma: 0.15", "sigma: 0.16"},
      {"#102030", "#102031"},
      {"mean: 0.05", "mean: 0.051"},
      {"sigma: 0.005", "sigma: 0.0051"},
      {"x: 0.11", "x: 0.111"},
      {"y: 0.12", "y: 0.121"},
      {"z: 0.13", "z: 0.131"},
      {"radius: 0.14", "radius: 0.141"},
      {"[0.21, 0.22, 0.23]", "[0.22, 0.22, 0.23]"},
      {"[0.21, 0.22, 0.23]", "[0.21, 0.23, 0.23]"},
      {"[0.21, 0.22, 0.23]", "[0.21, 0.22, 0.24]"},
      {", alpha: 0.9}", ", alpha: 0.91}"},
      {", alpha: 0.9}", "}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n  - circles: []"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    opacity: 0.9"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 1}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 2}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 1px}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 1, color: 0}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 1, color: 1}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 1, alpha: 0}"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    stroke: {width: 1}\n    fill: false"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    blend: add"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    blend: multiply"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    blend: screen"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    offset: [0.1, 0]"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    offset: [0, 0.1]"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    scale: 2"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    rotate: 2"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    rotate: 2\n    pivot: [1, 0]"},
      {"alpha: 0.9}]", "alpha: 0.9}]\n    rotate: 2\n    pivot: [0, 1]"},
      {"alpha: 0.9}]", "alpha: 0.9}, {x: 0, y: 0, radius: 1}]"},
  };
  for (const auto& [from, to] : changes) {
    const auto [other, inserted] = seen.emplace(fingerprint_of(replaced(from, to)),
                                                std::string(from).append(" -> ").append(to));
    EXPECT_TRUE(inserted) << from << " -> " << to << " gives the same as " << other->second;
  }
}

TEST(Fingerprint, EveryNumberOfALawChangesIt) {
  const std::vector<std::string> laws = {
      "{count: 12}",
      "{count: 12, position: {disc: {center: [1, 2], radius: 3}}}",
      "{count: 12, position: {disc: {center: [1, 3], radius: 3}}}",
      "{count: 12, position: {disc: {center: [1, 2], radius: 4}}}",
      "{count: 12, position: {ring: {center: [1, 2], radius: 3}}}",
      "{count: 12, position: {ring: {center: [1, 2], radius: 3, width: 1}}}",
      "{count: 12, position: {polyline: {points: [[0, 0], [1, 1]]}}}",
      "{count: 12, position: {polyline: {points: [[0, 0], [1, 1], [2, 2]]}}}",
      "{count: 12, position: {polyline: {points: [[0, 0], [1, 1]], width: 1}}}",
      "{count: 12, position: {polyline: {points: [[0, 0], [1, 1]], sigma: 1}}}",
      "{position: {grid: {columns: 3, rows: 4}}}",
      "{position: {grid: {columns: 4, rows: 3}}}",
      "{position: {grid: {columns: 3, rows: 4, jitter: 1}}}",
      "{position: {grid: {columns: 3, rows: 4, box: [[0, 0], [1, 2]]}}}",
      "{count: 12, color: {choice: [0.5, 1]}}",
      "{count: 12, color: {choice: [0.5, 1], weights: [1, 2]}}",
      "{count: 12, color: {choice: [1, 0.5]}}",
      "{count: 12, color: {gradient: viridis}}",
      "{count: 12, color: {gradient: gray}}",
      "{count: 12, color: {gradient: [[0, \"#000000\"], [0.5, \"#ffffff\"]]}}",
      "{count: 12, color: {gradient: [[0, \"#000000\"], [0.6, \"#ffffff\"]]}}"};
  std::map<std::string, std::string> seen;
  for (const std::string& law : laws) {
    const auto [other, inserted] =
        seen.emplace(fingerprint_of("version: 1\nlayers:\n  - random: " + law + "\n"), law);
    EXPECT_TRUE(inserted) << law << " gives the same as " << other->second;
  }
  EXPECT_EQ(fingerprint_of("version: 1\nlayers: [{random: {count: 1, color: {choice: [0, 1]}}}]"),
            fingerprint_of("version: 1\nlayers: [{random: {count: 1, color: {choice: [0, 1], "
                           "weights: [1, 1]}}}]"));
}

TEST(Fingerprint, HiddenLayersChangeItButNotTheirContent) {
  const auto of = [](const std::string& hidden, std::vector<std::string> shown) {
    SceneOverrides overrides;
    overrides.layers = std::move(shown);
    return fingerprint(parse_scene(
        "version: 1\nlayers:\n  - {name: a, " + hidden + "}\n  - {name: b, generator: rgb}\n",
        "s.yaml", overrides));
  };
  const std::string whole =
      fingerprint_of("version: 1\nlayers: [{generator: rgby}, {generator: rgb}]");
  EXPECT_EQ(of("generator: rgby", {"a", "b"}), whole) << "names change nothing";
  EXPECT_NE(of("generator: rgby", {"b"}), whole);
  EXPECT_EQ(of("generator: rgby", {"b"}), of("random: {count: 5}", {"b"}));
  EXPECT_NE(of("generator: rgby", {"b"}),
            fingerprint_of("{version: 1, layers: [{generator: rgb}]}"))
      << "random layers draw by their places";
}

TEST(Fingerprint, TheOrderOfLayersChangesIt) {
  EXPECT_NE(fingerprint_of("{version: 1, layers: [{generator: rgb}, {generator: rgby}]}"),
            fingerprint_of("{version: 1, layers: [{generator: rgby}, {generator: rgb}]}"));
}

TEST(Fingerprint, KeysWithoutEffectOnPixelsKeepIt) {
  const std::string expected = fingerprint_of(kScene);
  EXPECT_EQ(fingerprint(parse_scene(kScene, "another/path.yaml")), expected);
  EXPECT_EQ(fingerprint_of(replaced("display", "display, antialias: false")), expected);
  EXPECT_EQ(
      fingerprint_of(replaced("alpha: 0.9}]", "alpha: 0.9}]\n    blend: over\n    fill: true")),
      expected);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"output: a.png", "output: b.png"},
           {"alpha: 0.9}]", "alpha: 0.9}]\n    name: hand"},
           {"alpha: 0.9}]", "alpha: 0.9}]\n    pivot: [3, 4]"},
           {"output: a.png\n", ""},
           {"fps: 60", "fps: 24"},
           {"frames: 10", "frames: 20"},
           {"start: 7", "start: 8"},
           {"zoom: 2", "zoom: 2.0"},
           {"zoom: 2", "zoom: 20e-1"},
           {"seed: 3", "seed: 3   # a comment"},
           {"top: 0.5", "top: [0.5, 0.5, 0.5]"}})
    EXPECT_EQ(fingerprint_of(replaced(from, to)), expected) << from << " -> " << to;
}

/// Stored when all positions were rounded before the view.
TEST(Fingerprint, OnlyDoublesUnderAViewChangeIt) {
  const TemporaryFolder folder;
  const auto write = [&folder](const std::string& name, const std::string& type, const auto& data) {
    std::string file = "{'descr': '<" + type + "', 'fortran_order': False, 'shape': (2, 3), }";
    file.resize(117, ' ');
    file = std::string("\x93NUMPY\x01\0\x76\0", 10) + file + "\n";
    folder.write(name, file.append(reinterpret_cast<const char*>(data.data()),
                                   data.size() * sizeof(data[0])));
  };
  write("f4.npy", "f4", std::array<float, 6>{.25f, .5f, .0625f, .5f, .25f, .125f});
  write("f8.npy", "f8", std::array<double, 6>{.25, .5, .0625, .5, .25, .125});
  struct Case {
    const char *data, *image, *view, *before;
    bool is_as_before;
  };
  const char *const square = "{width: 64, height: 64}", *const wide = "{width: 96, height: 64}";
  const Case cases[] = {
      {"f4.npy", square, "{}", "3564b5e7321a6f14cf7cd862b5bd1e7e", true},
      {"f4.npy", square, "{zoom: 2}", "d733e68248db629d6f466c68d0901f9c", true},
      {"f4.npy", wide, "{}", "0ce1fd8fe736673f5577a80e45594f1c", true},
      {"f8.npy", square, "{}", "90561fb4c76864ee032e337c97ba4f44", true},
      {"f8.npy", square, "{zoom: 2}", "9c1e12f83a8cea019114b5573e82a7a1", false},
      {"f8.npy", wide, "{}", "f45e243504db633e3b1b5c0a6e8dd461", false},
  };
  for (const Case& c : cases) {
    folder.write("s.yaml", std::string("version: 1\nimage: ") + c.image + "\nview: " + c.view +
                               "\nlayers: [{data: " + c.data + ", columns: [x, y, radius]}]\n");
    EXPECT_EQ(fingerprint(load_scene(folder / "s.yaml")) == c.before, c.is_as_before)
        << c.data << ", image " << c.image << ", view " << c.view;
  }
}

TEST(Fingerprint, DataCountsByContentNotByPath) {
  const TemporaryFolder folder;
  const std::vector<float> values = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
  std::vector<float> others = values;
  others[5] = 0.7f;
  folder.write("a.npy", npy_file(values, 2, 3));
  folder.write("b.npy", npy_file(values, 2, 3));
  folder.write("c.npy", npy_file(others, 2, 3));
  const auto with = [&](const std::string& file, const std::string& columns) {
    return fingerprint(
        parse_scene("{version: 1, layers: [{data: " + file + ", columns: " + columns + "}]}",
                    folder / "s.yaml"));
  };
  const std::string expected = with("a.npy", "[x, y, radius]");
  EXPECT_EQ(with("b.npy", "[x, y, radius]"), expected);
  EXPECT_NE(with("c.npy", "[x, y, radius]"), expected);
  EXPECT_NE(with("a.npy", "[y, x, radius]"), expected);
}

}  // namespace
}  // namespace roundel
