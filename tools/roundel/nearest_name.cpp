#include "tools/roundel/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace roundel {
namespace {

/// Levenshtein's distance: insertions, deletions and replacements of one letter.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view written, const std::vector<std::string>& names) {
  constexpr std::size_t kLongestName = 40;
  if (written.size() > kLongestName) return "";
  std::size_t nearest = std::max<std::size_t>(1, written.size() / 3) + 1;
  std::string_view name;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(written, candidate);
    if (distance < nearest) {
      nearest = distance;
      name = candidate;
    }
  }
  return name.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", name);
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string result;
  for (const char c : text.substr(0, kLongest)) {
    if (c < ' ' || c > '~') {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return text.size() > kLongest ? result + "..." : result;
}

std::string in_quotes(std::string_view text) {
  return '"' + printable(text) + '"';
}

}  // namespace roundel
