#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roundel {

/// Lines of text for people. An added text is one line; a final line feed is dropped, as are empty
/// texts. Line feeds inside belong to the line, so that a name in it cannot begin another.
class Lines {
 public:
  Lines() = default;
  Lines(std::string line);                                             // NOLINT: a line is Lines
  Lines(const char* line) : Lines(std::string(line)) {}                // NOLINT: as above
  Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}  // NOLINT: as above

  Lines& operator+=(const Lines& more);
  friend Lines operator+(Lines lines, const Lines& more) { return std::move(lines += more); }

  bool empty() const { return lines_.empty(); }
  const std::vector<std::string>& all() const { return lines_; }
  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }

 private:
  std::vector<std::string> lines_;
};

/// The line for terminals and logs: printable(), with commands of CIs escaped: `\x3a` for the first
/// colon of a line that begins with "::" after blanks, `\x23` for the first # of "##[" and
/// "##vso[".
std::string printed_line(std::string_view line);

}  // namespace roundel
