#include "renderer/scene/yaml_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "renderer/base/error.h"
#include "renderer/scene/flow_lines.h"

namespace roundel {
namespace {

std::string text_of(YamlNode node) {
  std::string text = fmt::format("{}:{} {} ", node.place().line, node.place().column,
                                 static_cast<int>(node.kind()));
  if (node.is_scalar()) text += node.text();
  node.for_each_item([&](YamlNode item) { text += "[" + text_of(item) + "]"; });
  node.for_each_entry([&](YamlNode key, YamlNode value) {
    text += "{" + text_of(key) + " = " + text_of(value) + "}";
  });
  return text;
}

/// The tree, or what is wrong with the text.
std::string reading(const std::string& text, YamlTree::Lines lines) {
  try {
    YamlTree tree(text, "a.yaml", "scene", lines);
    return text_of(tree.root());
  } catch (const Error& error) {
    return error.what();
  }
}

void expect_same(const std::string& text) {
  EXPECT_EQ(reading(text, YamlTree::Lines::kReadHere), reading(text, YamlTree::Lines::kParsed))
      << text;
}

std::vector<std::string> scenes() {
  std::vector<std::string> texts;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ROUNDEL_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

TEST(FlowLines, CirclesAreAmongThem) {
  const FlowLines flows = find_flow_lines(
      "version: 1\n"
      "image: {width: 96, height: 96}  # small\n"
      "layers:\n"
      "  - circles:\n"
      "      - {x: 0.5, y: -1e-3, color: \"#ff0000\", alpha: $a}\n"
      "      - {x: 0.5, center: [1, {a: b}], text: 'c, d'}\n"
      "  - random: {count: 10}");
  ASSERT_EQ(flows.lines.size(), 4U);
  EXPECT_EQ(flows.lines[1].text, "{x: 0.5, y: -1e-3, color: \"#ff0000\", alpha: $a}");
  EXPECT_EQ(flows.lines[1].mark.line, 4);
  EXPECT_EQ(flows.lines[1].mark.column, 8);
  EXPECT_EQ(flows.text,
            "version: 1\nimage: 0  # small\nlayers:\n  - circles:\n      - 0\n      - 0\n"
            "  - random: 0\n");
}

TEST(FlowLines, WhatNeedsTheParserIsLeftToIt) {
  for (const char* const text :
       {"a: {b: #ff0000}", "a: {b: 1",     "a: {b: 1} c", "a: {b: \"\\n\"}",  "a: {b: 1,}",
        "a: {b}",          "a: {b: }",     "a: [b: 1]",   "a: {b: ~}",        "a: [null]",
        "a: {b: c d}",     "a: {b: &c 1}", "a: {b:1}",    "a: {\xC3\xA9: 1}", "a: {b: '\xC3\xA9'}",
        "? {a: 1}",        "a: !t {b: 1}", "a: ['b''c']", "a: [1]#",          "a: {b: 1}: c",
        "a: [- 1]",        "a: [-]"})
    EXPECT_TRUE(find_flow_lines(text).lines.empty()) << text;
}

TEST(YamlTree, LinesInBracketsGiveTheParsersTree) {
  for (const std::string& text : scenes()) {
    EXPECT_FALSE(find_flow_lines(text).lines.empty());
    expect_same(text);
  }
  for (const char* const text : {
           "a: {b: 0}\nc: 0\n",
           "- {a: 1}\n- - [b]\n",
           "a: |\n  b: {c: 1}\nd: {e: 1}\n",
           "a: \"x\n  b: {c: 1}\n  y\"\nd: {e: 1}\n",
           "a: x\n  b: {c: 1}\n",
           "a: {b: 1}\n  c\n",
           "a: {b: 1}\n  : c\n",
           "[\n{a: 1}\n]\n",
           "{\na: {b: 1}\n}\n",
           "{\n- {b: 1}\n}\n",
           "a: !t\n  {b: 1}\n",
           "a: &t\n  {b: 1}\n",
           "{a: 1}\n: b\n",
           "- {a: 1}\n  : b\n",
           "a: {<<: 1}\nb: {c: 1}\n<<: {d: 1}\n",
           "a: {b: 1}\r\nc: {d: 1}\r\n",
           "a:\n- {b: 1}\n---\nc: {d: 1}\n",
           "a: {b: 1}\n...\n",
           "a: {b: 1}\n... x\n",
           "\t- {a: 1}\n",
           "a: {b: 1} # {c: #}\n",
           "a: 1\na: {b: 1}\na: [1]\n",
           "a: [1, {b: [[2], \"3\"]}, '']\n",
           "a: {}\nb: []\n-: {}\n",
           "a:\n  - \n  - {b: 1}\nc:\n",
       })
    expect_same(text);
}

// What is left of sound texts when characters are changed, taken out or doubled.
TEST(YamlTree, LinesInBracketsGiveTheParsersTreeAndMessagesForBrokenTexts) {
  constexpr std::string_view kCharacters = " \n:,-[]{}#\"'0a|>?&*!~\\\t\r.";
  std::mt19937 random(7);
  const auto below = [&random](std::size_t count) { return random() % count; };
  for (const std::string& whole : scenes()) {
    const std::string sound = whole.substr(0, 1500);
    for (int i = 0; i < 60; ++i) {
      std::string text = sound;
      for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
        const std::size_t at = below(text.size());
        const char c = kCharacters[below(kCharacters.size())];
        switch (below(4)) {
          case 0:
            text[at] = c;
            break;
          case 1:
            text.erase(at, 1 + below(4));
            break;
          case 2:
            text.insert(at, 1, c);
            break;
          default:
            text.insert(at, text.substr(below(text.size()), below(40)));
        }
      }
      expect_same(text);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace roundel
