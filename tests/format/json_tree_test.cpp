#include "renderer/format/json_tree.h"

#include "renderer/format/format_errors.h"
#include "tests/testing.h"

namespace roundel {
namespace {

std::string json_error(const std::string& text) {
  return message_of([&] { json_tree(text, "r.json", "results"); });
}

TEST(JsonTree, HasKindsTextsAndPlaces) {
  YamlTree tree = json_tree(
      "{\"é\\\"\": [1, -2.5e3, true, null],\n \"b\" :{\"c\":\"\\ud83d\\ude00\"} , \"d\": null}",
      "r.json", "results");
  const YamlNode list = tree.root().find("é\"").value();
  EXPECT_EQ(list.place(), (Place{1, 9}));
  std::string items;
  list.for_each_item([&](const YamlNode& item) {
    items += std::to_string(item.place().column) + ":";
    items += item.is_scalar() ? std::string(item.text()) + " " : "null ";
  });
  EXPECT_EQ(items, "10:1 13:-2.5e3 21:true 27:null ");
  const YamlNode text = tree.root().find("b").value().find("c").value();
  EXPECT_EQ(text.kind(), YamlKind::kQuoted);
  EXPECT_EQ(text.text(), "\U0001F600");
  EXPECT_EQ(text.place(), (Place{2, 12}));
  EXPECT_EQ(tree.root().find("d").value().place(), (Place{2, 30}));  // place of its key
}

TEST(JsonTree, AByteOrderMarkIsSkipped) {
  YamlTree tree = json_tree("\xEF\xBB\xBF\n [7]", "r.json", "results");
  EXPECT_EQ(tree.root().place(), (Place{2, 2}));
}

TEST(JsonTree, RejectsInvalidJsonWithItsPlace) {
  EXPECT_EQ(json_error(""), "r.json:1:1: not valid JSON");
  EXPECT_EQ(json_error("{\"é\": 1,\n}"), "r.json:2:1: not valid JSON");
  EXPECT_EQ(json_error("[1] 2"), "r.json:1:5: not valid JSON");
  EXPECT_EQ(json_error("[\"\xff\"]"), "r.json:1:3: not valid JSON");
  EXPECT_EQ(json_error("{\"a\": [1, 1e400]}"),
            "r.json:1:11: expected a number, got 1e400 (beyond the range of binary64 numbers)");
  EXPECT_EQ(json_error(std::string(1'000'000, '[')),
            "r.json:1:65: nested too deeply (at most 64 levels)");
  EXPECT_EQ(json_error(std::string(YamlTree::kMaxFileBytes + 1, ' ')),
            "r.json:1:1: expected results of at most 16.0 MiB");
}

}  // namespace
}  // namespace roundel
