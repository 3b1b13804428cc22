#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace roundel {

inline constexpr char kQuestionMark = '\x01';  ///< stands for ? in a text that `for_parser` holds

/// A text that check_yaml() found to be one YAML document.
struct CheckedYaml {
  std::string for_parser;                ///< as long as the text; a place is the same in both
  std::vector<std::size_t> empty_items;  ///< ends of the hyphens of empty list items, in order
  /// Begins and ends of long lists and maps in brackets, in the order of their begins.
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
};

/// Checks the structure of a YAML document: brackets, quotes, indentation, hyphens and colons.
/// Yaml-cpp accepts much that is not YAML, differently in each version; this refuses it, with its
/// place. Refuses anchors, aliases, tags, merge keys, keys that are not single words, second
/// documents and nesting deeper than `max_depth`, too. Lines of the text end with line feeds.
CheckedYaml check_yaml(const std::string& text, const std::string& file, std::size_t max_depth);

}  // namespace roundel
