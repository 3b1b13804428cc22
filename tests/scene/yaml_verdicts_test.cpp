// Compares libyaml's results for texts like scenes with those of yaml-cpp and the checks before it.
// yaml_verdicts.tsv was recorded with the reader of commit be65cd6: a line is a verdict, a tab and
// a text with \n, \t, \r and \\. The verdict is the place of the first error, or XXH3 of the tree
// as tree_text() writes it.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "renderer/format/yaml_tree.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

void append_tree(const YamlNode& node, std::string& text) {
  text += fmt::format("{}:{} ", node.place().line, node.place().column);
  const auto append_end = [&](const char* begin, const char* end, auto append_children) {
    text += begin;
    append_children();
    text += end;
  };
  switch (node.kind()) {
    case YamlKind::kNull:
      text += "~\n";
      break;
    case YamlKind::kPlain:
      text += fmt::format("={}\n", node.text());
      break;
    case YamlKind::kQuoted:
      text += fmt::format("\"{}\n", node.text());
      break;
    case YamlKind::kList:
      append_end("[\n", "]\n", [&] {
        node.for_each_item([&](const YamlNode& item) { append_tree(item, text); });
      });
      break;
    case YamlKind::kMap:
      append_end("{\n", "}\n", [&] {
        node.for_each_entry([&](const YamlNode& key, const YamlNode& value) {
          append_tree(key, text);
          append_tree(value, text);
        });
      });
      break;
    default:
      text += "?\n";
  }
}

std::string tree_text(YamlTree& tree) {
  std::string text = "ok\n";
  append_tree(tree.root(), text);
  return text;
}

std::string hash_of(const std::string& text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string unescaped(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    const char c = line[++i];
    text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return text;
}

/// Libyaml accepted these, which are invalid YAML 1.2 or meaningless in a scene.
bool is_stricter_by_design(const std::string& problem) {
  constexpr std::array kProblems = {
      "not valid YAML: a colon is missing after",             // {a\n b}: a key without a value
      "not valid YAML: a blank is missing after ?",           // [?a]
      "not valid YAML: U+2028 and U+2029 must stand",         // a: 1<U+2028>
      "not valid YAML: wrong indentation: expected more",     // -\n|\n text
      "not valid YAML: this text in quotes ends with empty",  // "a\n\n\n"
      "not valid YAML: this text ends with empty lines"};     // a: >+\n b\n\n
  return std::any_of(kProblems.begin(), kProblems.end(),
                     [&](const char* known) { return problem.starts_with(known); });
}

struct Counts {
  int texts = 0, accepted = 0, stricter = 0, other_line = 0, other_column = 0;
};

void compare(const std::string& verdict, const std::string& text, Counts& counts) {
  ++counts.texts;
  const bool was_refused = verdict.find(':') != std::string::npos;
  try {
    YamlTree tree(text, "s");
    ++counts.accepted;
    const std::string found = tree_text(tree);
    EXPECT_FALSE(was_refused) << "libyaml refused this at " << verdict << "; the tree: " << found;
    EXPECT_TRUE(was_refused || hash_of(found) == verdict) << found;
  } catch (const InvalidScene& error) {
    const FormatProblem& problem = error.problems().at(0);
    if (!was_refused) {
      ++counts.stricter;
      EXPECT_TRUE(is_stricter_by_design(problem.message)) << error.what();
      return;
    }
    const std::string line = fmt::format("{}:", problem.place.line);
    if (!verdict.starts_with(line))
      ++counts.other_line;
    else if (verdict != line + std::to_string(problem.place.column))
      ++counts.other_column;
  }
}

TEST(YamlVerdicts, MatchLibyamlForMutatedScenes) {
  std::ifstream file(ROUNDEL_SOURCE_DIR "/tests/scene/yaml_verdicts.tsv");
  Counts counts;
  for (std::string line; std::getline(file, line);) {
    SCOPED_TRACE(line);
    const std::size_t tab = line.find('\t');
    compare(line.substr(0, tab), unescaped(line.substr(tab + 1)), counts);
  }
  const std::string found = fmt::format(
      "{} texts, {} accepted, {} refused on purpose, {} errors in another line, {} in another "
      "column",
      counts.texts, counts.accepted, counts.stricter, counts.other_line, counts.other_column);
  RecordProperty("counts", found);
  EXPECT_GE(counts.texts, 2500) << found;
  EXPECT_GE(counts.accepted, 420) << found;
  EXPECT_LE(counts.stricter, 40) << found;
  EXPECT_LE(counts.other_line, 80) << found;
  EXPECT_LE(counts.other_column, 400) << found;
}

}  // namespace
}  // namespace roundel
