#include "renderer/scene/flow_lines.h"

#include <algorithm>
#include <cstddef>

namespace roundel {
namespace {

constexpr int kMaxDepth = 16;  ///< of brackets in brackets; deeper ones are the parser's

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word_character(char c) {
  return is_alphanumeric(c) || std::string_view("_.+-/$").find(c) != std::string_view::npos;
}

/// True for what means the same within brackets and without, and is no null.
bool is_plain_word(std::string_view word) {
  if (word.empty() || word == "null" || word == "Null" || word == "NULL") return false;
  const bool has_sign = word.front() == '-' || word.front() == '+';
  if (has_sign) word.remove_prefix(1);
  return !word.empty() &&
         (is_alphanumeric(word.front()) || word.front() == '.' || word.front() == '$');
}

/// Reads one list or map. Every function returns false at what is not for it.
class FlowReader {
 public:
  /// `events`: null to find out only.
  FlowReader(std::string_view text, const YAML::Mark& mark, YAML::EventHandler* events)
      : text_(text), mark_(mark), events_(events) {}

  bool collection() {
    if (++depth_ > kMaxDepth) return false;
    const bool is_map = next() == '{';
    const char end = is_map ? '}' : ']';
    if (events_ != nullptr) {
      const auto start =
          is_map ? &YAML::EventHandler::OnMapStart : &YAML::EventHandler::OnSequenceStart;
      (events_->*start)(mark_here(), "?", 0, YAML::EmitterStyle::Flow);
    }
    ++at_;
    skip_spaces();
    while (next() != end) {
      if ((is_map && !key()) || !value()) return false;
      skip_spaces();
      if (next() == end) break;
      if (next() != ',') return false;
      ++at_;
      skip_spaces();
      if (next() == end) return false;  // after a comma: whatever the parser makes of that
    }
    ++at_;
    --depth_;
    if (events_ != nullptr) is_map ? events_->OnMapEnd() : events_->OnSequenceEnd();
    return true;
  }
  std::size_t bytes_read() const { return at_; }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (next() == ' ') ++at_;
  }
  YAML::Mark mark_here() const {
    YAML::Mark mark = mark_;
    mark.column += static_cast<int>(at_);
    return mark;
  }
  void tell(const YAML::Mark& mark, const char* tag, std::string_view text) {
    if (events_ != nullptr) events_->OnScalar(mark, tag, 0, std::string(text));
  }

  bool word() {
    const YAML::Mark mark = mark_here();
    const std::size_t begin = at_;
    while (is_word_character(next())) ++at_;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (!is_plain_word(found)) return false;
    tell(mark, "?", found);
    return true;
  }
  bool quoted_text() {
    const YAML::Mark mark = mark_here();
    const char quote = next();
    const std::size_t begin = at_ + 1;
    at_ = begin;
    while (next() != quote) {
      if (next() < ' ' || next() > '~' || next() == '\\') return false;
      ++at_;
    }
    tell(mark, "!", text_.substr(begin, at_ - begin));
    ++at_;
    return true;
  }
  bool key() {
    if (!word() || next() != ':') return false;
    ++at_;
    if (next() != ' ') return false;
    skip_spaces();
    return true;
  }
  bool value() {
    if (next() == '{' || next() == '[') return collection();
    return next() == '"' || next() == '\'' ? quoted_text() : word();
  }

  std::string_view text_;
  YAML::Mark mark_;
  YAML::EventHandler* events_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// Where a value in brackets may begin in a line: behind spaces, dashes and a key.
std::size_t value_place(std::string_view line) {
  std::size_t at = 0;
  const auto skip_spaces = [&] { at = std::min(line.find_first_not_of(' ', at), line.size()); };
  skip_spaces();
  while (line.substr(at).starts_with("- ")) {
    ++at;
    skip_spaces();
  }
  const std::size_t key = at;
  while (at < line.size() && (is_alphanumeric(line[at]) || line[at] == '_' || line[at] == '-'))
    ++at;
  if (at == key) return at;
  if (!is_alphanumeric(line[key]) || !line.substr(at).starts_with(": ")) return line.size();
  ++at;
  skip_spaces();
  return at;
}

bool is_blank_or_comment(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of(' ');
  return at == std::string_view::npos || (at > 0 && rest[at] == '#');
}

}  // namespace

FlowLines find_flow_lines(std::string_view text) {
  FlowLines flows;
  flows.text.reserve(text.size());
  for (int number = 0; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::size_t place = value_place(line);
    if (place < line.size() && (line[place] == '{' || line[place] == '[')) {
      FlowLine flow;
      flow.mark.line = number;
      flow.mark.column = static_cast<int>(place);
      FlowReader reader(line.substr(place), flow.mark, nullptr);
      if (reader.collection() && is_blank_or_comment(line.substr(place + reader.bytes_read()))) {
        flow.text = line.substr(place, reader.bytes_read());
        flows.lines.push_back(flow);
        // A comment is kept, for what it may do to the parser.
        flows.text.append(line.substr(0, place)).append(kFlowWord);
        flows.text.append(line.substr(place + reader.bytes_read())) += '\n';
        continue;
      }
    }
    flows.text.append(line) += '\n';
  }
  return flows;
}

void read_flow_line(const FlowLine& line, YAML::EventHandler& events) {
  FlowReader(line.text, line.mark, &events).collection();
}

}  // namespace roundel
