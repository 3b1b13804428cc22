// Lists of too many or too few items are reported, and their items are not read, however wrong they
// are.
#include <gtest/gtest.h>

#include "renderer/format/validate.h"
#include "renderer/scene/scene_spec.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

std::string layers_beyond_the_limit(const std::string& last) {
  std::string text = "version: 1\nlayers:\n";
  for (std::uint64_t i = 0; i < kMaxLayers; ++i) text += "  - generator: rgb\n";
  return text + "  - " + last + "\n";
}

TEST(Limits, AcceptsThousandLayersAndRejectsOneMore) {
  std::string text = layers_beyond_the_limit("generator: rgb");
  text.erase(text.rfind("  - "));
  EXPECT_EQ(parse_scene(text, "s.yaml").layers.size(), kMaxLayers);
  EXPECT_EQ(parse_error(layers_beyond_the_limit("generator: rgb")),
            "s.yaml:3:3: layers: expected at most 1000 items, got a list of 1001");
}

TEST(Limits, IgnoresTheContentOfTooManyLayers) {
  for (const char* last : {
           "{random: {count: 1, color: []}}",
           "{random: {count: 1, position: {uniform: []}}}",
           "{random: {count: 1, radius: {uniform: 5}}}",
           "{random: {count: 1, radius: {uniform: []}}}",
           "{random: {count: 1, alpha: {gaussian: {}}}}",
           "{random: 5}",
           "{circles: [{x: 1, y: 1, radius: 1, color: []}]}",
           "{circles: [{x: a, y: b, radius: c}]}",
           "{circles: [7, [], {}]}",
           "{circles: {}}",
           "{generator: {}}",
           "{generator: foo}",
           "{generator: [rgb]}",
           "{data: {}}",
           "{data: {}, columns: {}}",
           "{data: no.npy, columns: [x, y, foo]}",
           "{data: no.npy, columns: x}",
           "{generator: rgb, shader: {}}",
           "{generator: rgb, shader: {solid: 3}}",
           "{generator: rgb, generator: {}}",
           "7",
           "[]",
       }) {
    SCOPED_TRACE(last);
    EXPECT_EQ(parse_error(layers_beyond_the_limit(last)),
              "s.yaml:3:3: layers: expected at most 1000 items, got a list of 1001");
  }
}

TEST(Limits, IgnoresTheContentOfTooManyLayersInALongText) {
  const std::string comment = "# " + std::string(3'000'000, 'x') + "\n";
  EXPECT_EQ(
      parse_error(comment + layers_beyond_the_limit("{random: {count: 1, radius: {uniform: 5}}}")),
      "s.yaml:4:3: layers: expected at most 1000 items, got a list of 1001");
}

// All other lists of the format with a limit, one item beyond it and one short of it.
TEST(Limits, IgnoresTheContentOfListsOfAWrongLength) {
  const std::string random = "layers[0].random.";
  const auto check = [](const std::string& scene, const std::string& error) {
    SCOPED_TRACE(scene);
    const std::string got = parse_error("version: 1\n" + scene);
    EXPECT_EQ(got.substr(got.find(": ") + 2), error);
  };
  // The lists get items that a reader would stumble over, and further lists.
  for (const auto& items :
       {std::pair<std::string, int>{"[]", 0}, {"[{}]", 1}, {"[[], [], {}, a]", 4}}) {
    const std::string list = items.first, n = std::to_string(items.second);
    const std::string rgb = "expected [red, green, blue], got a list of " + n;
    const std::string pair = "expected [low, high], got a list of " + n;
    const std::string point = "expected a point [x, y], got a list of " + n;
    check("layers: []\nimage: {background: " + list + "}", "image.background: " + rgb);
    check("layers: []\nimage: {background: {bottom: " + list + ", top: 1}}",
          "image.background.bottom: " + rgb);
    check("layers: []\nview: {center: " + list + "}", "view.center: " + point);
    check("layers: [{circles: [{x: 0, y: 0, radius: 1, color: " + list + "}]}]",
          "layers[0].circles[0].color: " + rgb);
    const auto in_random = [&](const std::string& key, const std::string& value,
                               const std::string& error) {
      check("layers: [{random: {count: 1, " + key + ": " + value + "}}]",
            random + key + (value == list ? ": " : "") + error);
    };
    in_random("color", list, rgb);
    in_random("color", "{uniform: " + list + "}",
              ".uniform: expected two colours [COLOUR, COLOUR], got a list of " + n);
    in_random("color", "{uniform: [0, " + list + "]}", ".uniform[1]: " + rgb);
    for (const char* law : {"radius", "alpha", "depth"})
      in_random(law, "{uniform: " + list + "}", ".uniform: " + pair);
    in_random("position", "{uniform: " + list + "}",
              ".uniform: expected [[x0, y0], [x1, y1]], got a list of " + n);
    in_random("position", "{uniform: [[0, 0], " + list + "]}", ".uniform[1]: " + point);
    in_random("position", "{gaussian: {mean: " + list + ", sigma: 1}}", ".gaussian.mean: " + point);
  }
  check("layers: [{data: no.npy, columns: []}]",
        "layers[0].data: no.npy: no such file\n"
        "s.yaml:2:34: layers[0].columns: expected a list of column names, got a list of 0");
}

// A guarantee for the reader: values that were not read, or failed, throw.
TEST(Limits, FailedValuesAreUnreadable) {
  YamlTree tree(
      "{version: 1, seed: -1, image: {width: 8, height: x}, layers: [{generator: rgb}, 5], "
      "foo: 3, view: 7, output: a, output: b}",
      "s.yaml");
  EXPECT_THROW(ValidNode{tree.root()}, std::logic_error);
  EXPECT_THROW(PartlyValidNode{tree.root()}, std::logic_error);

  FormatErrors errors("s.yaml");
  const PartlyValidNode root = validate(tree.root(), scene_spec(), errors).value();
  EXPECT_TRUE(root.find("version"));
  EXPECT_TRUE(root.has("seed"));
  for (const char* key : {"seed", "image", "layers", "foo", "view"}) EXPECT_FALSE(root.find(key));
  for (const char* key : {"seed", "foo", "view"}) EXPECT_FALSE(root.find_part(key));
  EXPECT_EQ(root.find("output")->text(), "a");
  EXPECT_EQ(root.find_part("image")->find("width")->text(), "8");
  EXPECT_FALSE(root.find_part("image")->find("height"));
  std::vector<std::size_t> items;
  root.find_part("layers")->for_each_part(
      [&](std::size_t index, PartlyValidNode) { items.push_back(index); });
  EXPECT_EQ(items, std::vector<std::size_t>{0});
  EXPECT_THROW(ValidNode{tree.root().find("image").value()}, std::logic_error);
  EXPECT_THROW(ValidNode{tree.root().find("foo").value()}, std::logic_error);
  EXPECT_THROW(tree.root().text(), std::logic_error);  // a map has none

  YamlTree list("[{version: 1}]", "s.yaml");
  EXPECT_FALSE(validate(list.root(), scene_spec(), errors));
}

}  // namespace
}  // namespace roundel
