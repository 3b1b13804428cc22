#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/input_file.h"
#include "renderer/data/text_grammar.h"

namespace roundel {

/// Reads the header of a text file. Throws Error(kInvalidScene) "PATH: line 1: …" for lines longer
/// than kMaxTableRowBytes.
class TextLines {
 public:
  /// `offset`: start of line number `line`.
  TextLines(const InputFile& file, std::uint64_t offset, std::uint64_t line)
      : file_(file), offset_(offset), line_(line) {}

  /// Position of the next line:
  std::uint64_t offset() const { return offset_ + at_; }
  std::uint64_t line() const { return line_; }

  /// Moves to the line of the next row; nothing at the file's end.
  std::string_view peek(const TextGrammar& grammar);
  /// Moves past the next row. Returns its fields, long ones cut; empty at the file's end.
  std::vector<std::string> row(const TextGrammar& grammar);
  void skip(std::string_view line) { move_to(line.data() + line.size(), 1); }

 private:
  const char* begin() const { return text_.data() + at_; }
  /// The final line feed.
  const char* end() const { return text_.data() + text_.size() - 1; }
  bool is_whole() const { return offset_ + text_.size() - 1 == file_.size(); }
  void move_to(const char* line_end, std::uint64_t lines);
  /// Doubles text_.
  void read_on();
  [[noreturn]] void fail(const std::string& problem) const;

  const InputFile& file_;
  std::uint64_t offset_, line_;  ///< `offset_`: of text_; `line_`: next line
  std::string text_ = "\n";      ///< a piece of the file and a line feed
  std::size_t at_ = 0;           ///< start of the next line
};

}  // namespace roundel
