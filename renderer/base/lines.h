#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roundel {

/// Lines of text for people. A text that is added is one line, with or without the line feed at its
/// end, or nothing if it is empty. Line feeds within it belong to the line, so that no name in it
/// can begin another one.
class Lines {
 public:
  Lines() = default;
  Lines(std::string line);                                             // NOLINT: a line is Lines
  Lines(const char* line) : Lines(std::string(line)) {}                // NOLINT: the same
  Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}  // NOLINT: the same

  Lines& operator+=(const Lines& more);
  friend Lines operator+(Lines lines, const Lines& more) { return std::move(lines += more); }

  bool empty() const { return lines_.empty(); }
  const std::vector<std::string>& all() const { return lines_; }
  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }

 private:
  std::vector<std::string> lines_;
};

/// The line as terminals and logs get it: printable(), and with `\x3a` and `\x23` in place of the
/// characters by which a CI would take it for a command: the first colon where it begins with "::",
/// blanks aside, and the first # of "##[" and "##vso[", wherever they stand.
std::string printed_line(std::string_view line);

}  // namespace roundel
