#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace roundel {

inline constexpr char kQuestionMark = '\x01';  ///< replaces ? in `for_parser`

/// One YAML document that passed check_yaml().
struct CheckedYaml {
  std::string for_parser;                ///< the text; replacements keep the offsets
  std::vector<std::size_t> empty_items;  ///< ends of hyphens of empty list items, ascending
  /// Begin and end of long lists and maps in brackets, by begin.
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
};

/// Checks brackets, quotes, indentation, hyphens and colons: yaml-cpp accepts much invalid YAML,
/// differently in each version. Also refuses anchors, aliases, tags, merge keys, keys of several
/// words, second documents and nesting deeper than `max_depth`. Lines of the text end with line
/// feeds.
CheckedYaml check_yaml(const std::string& text, const std::string& file, std::size_t max_depth);

}  // namespace roundel
