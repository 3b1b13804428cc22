#include "renderer/data/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "renderer/base/error.h"
#include "renderer/data/table.h"

namespace roundel {

std::string_view TextLines::peek(const TextGrammar& grammar) {
  for (;;) {
    const char* const line_end = static_cast<const char*>(
        std::memchr(begin(), '\n', static_cast<std::size_t>(end() - begin() + 1)));
    if (line_end == end() && !is_whole()) {
      read_on();
      continue;
    }
    const char* const first = grammar.skip_blanks(begin());
    if (*first != '\n' && !grammar.begins_comment(first, end())) return {begin(), line_end};
    if (line_end == end()) return {};
    move_to(line_end, 1);
  }
}

std::vector<std::string> TextLines::row(const TextGrammar& grammar) {
  std::vector<std::string> fields;
  std::string buffer;
  while (!peek(grammar).empty()) {
    fields.clear();
    const char* const row_end =
        grammar.for_each_field(begin(), [&](std::size_t column, const char* field) {
          if (column == kMaxTableColumns) fail(fmt::format("more than {} columns", column));
          const char* const field_end = grammar.field_end(field, end());
          const std::string_view start = std::string_view(field, field_end);
          fields.emplace_back(grammar.text_of(start.substr(0, kMaxNumberBytes + 1), buffer));
          return field_end;
        });
    if (row_end == end() && !is_whole()) {
      read_on();
      continue;
    }
    move_to(row_end, static_cast<std::uint64_t>(std::count(begin(), row_end, '\n')) + 1);
    break;
  }
  return fields;
}

void TextLines::move_to(const char* line_end, std::uint64_t lines) {
  at_ += static_cast<std::size_t>(std::min(line_end + 1, end()) - begin());
  line_ += lines;
}

void TextLines::read_on() {
  constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 16;
  text_.erase(0, at_);
  text_.pop_back();
  offset_ += at_;
  at_ = 0;
  const std::size_t size = text_.size();
  if (size > kMaxTableRowBytes)
    fail(fmt::format("a row is too long (at most {} bytes)", kMaxTableRowBytes));
  text_.resize(size +
               std::min(std::max<std::uint64_t>(kMinBytes, size), file_.size() - offset_ - size));
  file_.read_at(offset_ + size, std::as_writable_bytes(std::span(text_).subspan(size)));
  text_ += '\n';
}

void TextLines::fail(const std::string& problem) const {
  throw Error(ExitCode::kInvalidScene,
              fmt::format("{}: line {}: {}", file_.path(), line_, problem));
}

}  // namespace roundel
