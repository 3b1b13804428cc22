#include "renderer/base/lines.h"

#include <algorithm>
#include <iterator>

#include "renderer/base/text.h"

namespace roundel {

Lines::Lines(std::string line) {
  if (line.empty()) return;
  if (line.back() == '\n') line.pop_back();
  lines_.push_back(std::move(line));
}

Lines& Lines::operator+=(const Lines& more) {
  std::vector<std::string> added = more.lines_;  // may be *this
  lines_.insert(lines_.end(), std::make_move_iterator(added.begin()),
                std::make_move_iterator(added.end()));
  return *this;
}

std::string printed_line(std::string_view line) {
  std::string text = printable(line);
  const auto is_seen = [](char c) { return c > ' ' && c <= '~'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  // All non-ASCII bytes count as blanks.
  const auto first = std::find_if(text.begin(), text.end(), is_seen) - text.begin();
  const auto start = static_cast<std::size_t>(first);
  if (text.compare(start, 2, "::") == 0) text.replace(start, 1, "\\x3a");
  for (std::size_t at = text.find("##"); at != std::string::npos; at = text.find("##", at + 1)) {
    const auto word_end =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at) + 2, text.end(), is_letter);
    if (word_end != text.end() && *word_end == '[') text.replace(at, 1, "\\x23");
  }
  return text;
}

}  // namespace roundel
