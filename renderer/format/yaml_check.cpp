#include "renderer/format/yaml_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/format/place_counter.h"

namespace roundel {
namespace {

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool is_null_word(std::string_view plain) {
  return plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

constexpr const char* kSecondDocument = "expected one YAML document, found the start of a second";
constexpr const char* kNotOneWord = "expected a key that is a single word";

/// Checks the text in one pass by YAML 1.1 as libyaml implements it.
class YamlChecker {
 public:
  YamlChecker(const std::string& text, const std::string& file, std::size_t max_depth)
      : text_(text), file_(file), max_depth_(max_depth) {
    checked_.for_parser = text;
    levels_.reserve(max_depth + 2);  // references to levels stay valid
    line_separator_ = find_line_separator(0);
    levels_.push_back({In::kDocument, Want::kValue, 0, -1, {}, false});
  }

  CheckedYaml check() {
    while (check_token()) {
    }
    std::sort(checked_.pieces.begin(), checked_.pieces.end());
    return std::move(checked_);
  }

 private:
  enum class In : std::uint8_t {
    kDocument,
    kBlockList,
    kFlatList,  ///< a block list with hyphens in the column of the map around it
    kBlockMap,
    kFlowList,  ///< in brackets
    kFlowMap    ///< in braces
  };
  /// Next expected element.
  enum class Want : std::uint8_t { kEntry, kKey, kColon, kValue, kEnd };
  /// A scalar, list or map; on a single line possibly a key.
  struct Node {
    std::size_t begin, end, line_start;
    bool is_word = false;  // a scalar, but not null
  };
  struct Level {
    In in;
    Want want;
    std::size_t begin;
    int column;                    // position of keys or hyphens in the line; -1: document
    Node key{};                    // last entry, key or value
    bool is_explicit_key = false;  // it follows a question mark
  };

  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::size_t find_line_separator(std::size_t begin) const {
    do {
      begin = text_.find("\xE2\x80", begin);
    } while (begin != std::string::npos && !is_one_of(at(begin++ + 2), "\xA8\xA9"));
    return begin == std::string::npos ? begin : begin - 1;
  }
  char now() const { return at(pos_); }
  bool is_end() const { return pos_ >= text_.size(); }
  bool is_blank_at(std::size_t i) const {
    return i >= text_.size() || is_one_of(text_[i], " \t\n");
  }
  int column() const { return static_cast<int>(pos_ - line_start_); }
  bool in_flow() const { return flow_depth_ > 0; }
  int indent() const { return levels_[levels_.size() - 1 - flow_depth_].column; }
  bool is_marker() const {
    const std::string_view start = std::string_view(text_).substr(std::min(pos_, text_.size()), 3);
    return column() == 0 && (start == "---" || start == "...") && is_blank_at(pos_ + 3);
  }
  void end_line() { line_start_ = ++pos_; }

  [[noreturn]] void fail(std::size_t offset, const std::string& problem) const {
    fail_at(file_, place_in(text_, offset), problem);
  }
  template <typename... Args>
  [[noreturn]] void refuse(std::size_t offset, fmt::format_string<Args...> problem,
                           Args&&... args) const {
    Place place = place_in(text_, offset);
    if (offset >= text_.size() && place.column > 1)
      place = {place.line + 1, 1};  // the previous line is incomplete
    fail_at(file_, place, "not valid YAML: " + fmt::format(problem, std::forward<Args>(args)...));
  }
  std::string place_text(std::size_t offset) const {
    const Place place = place_in(text_, offset);
    return fmt::format("{}:{}", place.line, place.column);
  }
  std::string found_text() const {
    if (is_end()) return "the end of the file";
    return is_marker()
               ? text_.substr(pos_, 3)
               : roundel::quoted(text_.substr(pos_, text_.find_first_of(" \n", pos_ + 1) - pos_));
  }

  /// The innermost list or map does not accept the token at `offset`.
  [[noreturn]] void refuse_token(std::size_t offset) const {
    const Level& level = levels_.back();
    const std::string begin = place_text(level.begin);
    const char open = text_[level.begin], close = open == '[' ? ']' : '}';
    if (in_flow() && (is_end() || is_marker() || (is_one_of(now(), "]}") && now() != close)))
      refuse(offset, "the {} at {} is not closed", open, begin);
    if (level.want == Want::kValue || level.want == Want::kKey ||
        (in_flow() && level.want == Want::kEntry))
      refuse(offset, "expected a value, found {}", found_text());
    if (in_flow())
      refuse(offset, "expected \",\" or \"{}\" for the {} at {}, found {}", close, open, begin,
             found_text());
    if (level.in == In::kBlockMap)
      refuse(offset, "wrong indentation: expected a key in the column of the one at {}", begin);
    if (level.in != In::kDocument)
      refuse(offset, "wrong indentation: expected \"- \" as at {}", begin);
    if (directive_) refuse(offset, "expected --- after the % directive");
    refuse(offset, "expected nothing after the end of the document, found {}", found_text());
  }

  // Lists and maps.
  void push(In in, Want want, std::size_t begin, int column) {
    if (levels_.size() > max_depth_)
      fail(begin, fmt::format("nested too deeply (at most {} levels)", max_depth_));
    levels_.push_back({in, want, begin, column, {}, false});
  }
  void pop_block() {
    const Level level = levels_.back();
    if (level.want == Want::kKey) fail(level_mark_, kNotOneWord);
    if (level.in != In::kBlockMap && level.want == Want::kValue)
      checked_.empty_items.push_back(level_mark_);
    levels_.pop_back();
  }
  void unindent(int column) {
    while (!in_flow() && levels_.back().column > column) pop_block();
  }
  std::string_view text_of(const Node& node) const {
    return std::string_view(text_).substr(node.begin, node.end - node.begin);
  }
  void check_key(const Node& node) const {
    if (!node.is_word) fail(node.begin, kNotOneWord);
    if (text_of(node) == "<<") fail(node.begin, "merge keys (<<) are not supported in scene files");
  }
  /// Adds an entry, a key or a value to the innermost block.
  void add_to_block(const Node& node) {
    Level& level = levels_[levels_.size() - 1 - flow_depth_];
    if (level.want == Want::kKey) check_key(node);
    if (level.want != Want::kKey && level.want != Want::kValue) refuse_token(node.begin);
    level.key = node;
    level.want = level.in == In::kDocument  ? Want::kEnd
                 : level.want == Want::kKey ? Want::kColon
                                            : Want::kEntry;
  }
  /// The candidate is not a key.
  void settle_key() { settle_key(pos_); }
  void settle_key(std::size_t next_token) {
    if (!candidate_) return;
    const Node node = *std::exchange(candidate_, std::nullopt);
    if (indent() == static_cast<int>(node.begin - node.line_start))
      refuse_missing_colon(node, next_token);  // it begins in the column of the keys
    add_to_block(node);
  }
  [[noreturn]] void refuse_missing_colon(const Node& node, std::size_t next_token) const {
    const std::string_view word = text_of(node);
    const std::size_t colon = is_one_of(word[0], "\"'") ? word.size() : word.find(':');
    if (at(node.begin + colon) == ':')
      refuse(next_token, "a blank is missing after the colon of {} at {}",
             roundel::quoted(text_.substr(node.begin, colon + 1)), place_text(node.begin));
    refuse(next_token, "a colon is missing after {} at {}", roundel::quoted(word),
           place_text(node.begin));
  }
  void add(const Node& node) {
    if (in_flow()) return add_to_flow(node);
    settle_key(node.begin);
    if (!allows_key_) return add_to_block(node);
    candidate_ = node;
  }
  void add_to_flow(const Node& node) {
    Level& level = levels_.back();
    if (level.want == Want::kColon || level.want == Want::kEnd) refuse_token(node.begin);
    if (level.want == Want::kKey || (level.want == Want::kEntry && level.in == In::kFlowMap))
      check_key(node);
    level.is_explicit_key = level.want == Want::kKey && text_[node.begin - 1] != '?';
    level.key = node;
    level.want = level.want == Want::kValue ? Want::kEnd : Want::kColon;
  }
  bool can_be_key(const Node& node) const {
    constexpr std::size_t kMaxKey = 1024;
    return node.line_start == line_start_ && pos_ - node.begin <= kMaxKey;
  }

  // Tokens.
  bool check_token() {
    skip_to_token();
    if (line_separator_ <= pos_) refuse_line_separator();
    if (candidate_ && (is_end() || candidate_->line_start != line_start_)) settle_key();
    if (is_end() && in_flow()) refuse_token(pos_);
    unindent(is_end() ? -1 : column());
    if (is_end()) {
      if (directive_) refuse_token(pos_);
      return false;
    }
    const char c = now();
    if (is_marker())
      check_marker();
    else if (column() == 0 && c == '%')
      check_directive();
    else if (c == '[' || c == '{')
      open_flow();
    else if (c == ']' || c == '}' || c == ',')
      check_flow_end();
    else if (c == '-' && is_blank_at(pos_ + 1))
      check_hyphen();
    else if (c == '?' && (in_flow() || is_blank_at(pos_ + 1)))
      check_question_mark();
    else if (c == ':' && (in_flow() || is_blank_at(pos_ + 1)))
      check_colon();
    else
      check_scalar();
    return true;
  }
  [[noreturn]] void refuse_line_separator() const {
    refuse(line_separator_, "U+2028 and U+2029 must stand in quotes, as \\L and \\P");
  }
  void skip_to_token() {
    for (;;) {
      while (now() == ' ' || (now() == '\t' && (in_flow() || !allows_key_))) ++pos_;
      if (now() == '#') pos_ = std::min(text_.find('\n', pos_), text_.size());
      if (now() != '\n') return;
      end_line();
      if (!in_flow()) allows_key_ = true;
    }
  }
  void check_marker() {
    if (in_flow()) refuse_token(pos_);
    unindent(-1);
    settle_key();
    Level& document = levels_.back();
    if (now() == '.') {
      if (document.want == Want::kValue && !has_started_) refuse_token(pos_);
      document.want = Want::kEnd;
    } else {
      if (has_started_ || (document.want == Want::kEnd && !directive_)) fail(pos_, kSecondDocument);
      document.want = Want::kValue;
    }
    has_started_ = true;
    directive_ = false;
    allows_key_ = false;
    pos_ += 3;
  }
  void check_directive() {
    if (in_flow()) refuse_token(pos_);
    unindent(-1);
    settle_key();
    Level& document = levels_.back();
    if (has_started_ || (document.want == Want::kEnd && !directive_)) fail(pos_, kSecondDocument);
    const std::string directive = text_.substr(pos_, 9);
    if (directive_ || (directive != "%YAML 1.1" && directive != "%YAML 1.2") ||
        !is_blank_at(pos_ + 9))
      refuse(pos_, "a line begins with %: expected %YAML 1.2, once and first");
    pos_ += 9;
    document.want = Want::kEnd;
    directive_ = true;
    allows_key_ = false;
  }
  void open_flow() {
    const std::size_t begin = pos_++;
    add({begin, pos_, line_start_});
    push(text_[begin] == '[' ? In::kFlowList : In::kFlowMap, Want::kEntry, begin, 0);
    ++flow_depth_;
    allows_key_ = true;
  }
  void check_flow_end() {
    if (!in_flow()) settle_key();
    if (!in_flow()) refuse_token(pos_);
    Level& level = levels_.back();
    const char c = now(), close = level.in == In::kFlowList ? ']' : '}';
    if (level.want == Want::kKey) fail(pos_, kNotOneWord);
    if ((c == ',' && level.want == Want::kEntry) || (c != ',' && c != close)) refuse_token(pos_);
    if (level.in == In::kFlowMap && level.want == Want::kColon && !level.is_explicit_key &&
        !can_be_key(level.key))  // yaml-cpp requires the comma in the line of the key
      refuse(level.key.begin, "a colon is missing after {}", roundel::quoted(text_of(level.key)));
    if (c == ',') {
      level.want = Want::kEntry;
    } else {
      constexpr std::size_t kLong = std::size_t{1} << 20;
      if (pos_ - level.begin > kLong) checked_.pieces.emplace_back(level.begin, pos_ + 1);
      levels_.pop_back();
      --flow_depth_;
    }
    allows_key_ = c == ',';
    ++pos_;
  }
  void check_hyphen() {
    if (in_flow()) refuse_token(pos_);
    if (!allows_key_) refuse(pos_, "a list begins on its own line, but this - follows other text");
    settle_key();
    const bool is_indented = indent() < column();
    if (is_indented || levels_.back().in == In::kBlockMap) {
      add_to_block({pos_, pos_, line_start_});
      push(is_indented ? In::kBlockList : In::kFlatList, Want::kEntry, pos_, column());
    }
    Level& level = levels_.back();
    if (level.want == Want::kValue) checked_.empty_items.push_back(level_mark_);
    level.want = Want::kValue;
    level_mark_ = ++pos_;
    allows_key_ = true;
  }
  /// The map with keys in this column, new if needed.
  Level& map_at(std::size_t begin, int column) {
    if (indent() < column) {
      add_to_block({begin, begin, line_start_});
      push(In::kBlockMap, Want::kEntry, begin, column);
    } else if (levels_.back().in == In::kFlatList) {
      pop_block();
    }
    Level& level = levels_.back();
    if (level.in != In::kBlockMap) refuse_token(begin);
    if (level.want == Want::kKey) fail(level_mark_, kNotOneWord);
    return level;
  }
  void check_question_mark() {
    if (in_flow()) {
      Level& level = levels_.back();
      if (level.want != Want::kEntry) refuse_token(pos_);
      if (level.in == In::kFlowList) check_depth(pos_);
      if (!is_blank_at(pos_ + 1)) {
        if (level.in == In::kFlowList) refuse(pos_, "a blank is missing after ?");
        checked_.for_parser[pos_] = ' ';
      }
      level.want = Want::kKey;
    } else {
      if (!allows_key_) refuse(pos_, "a key begins on its own line, but this ? follows other text");
      settle_key();
      map_at(pos_, column()).want = Want::kKey;
      level_mark_ = pos_ + 1;
    }
    allows_key_ = !in_flow();
    ++pos_;
  }
  void check_depth(std::size_t begin) {
    push(In::kFlowMap, Want::kEntry, begin, 0);
    levels_.pop_back();
  }
  void check_colon() {
    if (in_flow()) {
      Level& level = levels_.back();
      if (level.want == Want::kKey) fail(pos_, kNotOneWord);
      if (level.want != Want::kColon || !(level.is_explicit_key || can_be_key(level.key)))
        refuse_token(pos_);
      if (level.in == In::kFlowList && !level.is_explicit_key) {
        check_depth(level.key.begin);
        check_key(level.key);
      }
      level.want = Want::kValue;
      allows_key_ = false;
    } else if (candidate_ && can_be_key(*candidate_)) {
      const Node key = *std::exchange(candidate_, std::nullopt);
      map_at(key.begin, static_cast<int>(key.begin - key.line_start)).want = Want::kValue;
      check_key(key);
      allows_key_ = false;
    } else {
      settle_key();
      if (!allows_key_) refuse_colon();
      Level& level = map_at(pos_, column());
      if (level.want == Want::kValue) level.want = Want::kEntry;
      if (level.want != Want::kColon) refuse_token(pos_);
      level.want = Want::kValue;
      allows_key_ = true;
    }
    ++pos_;
  }

  /// A colon after text that cannot be a key: usually several lines, with blanks before a key
  /// missing or excessive.
  [[noreturn]] void refuse_colon() const {
    const Level& level = levels_.back();
    const std::string_view text = text_of(level.key);
    const std::size_t line_end = text.find('\n');
    if (line_end != std::string_view::npos && text.substr(0, line_end).find(':') < line_end)
      refuse_missing_colon(level.key, pos_);
    if (line_end != std::string_view::npos && level.in == In::kBlockMap)
      refuse(pos_, "wrong indentation: expected this key in the column of the one at {}",
             place_text(level.begin));
    refuse(pos_, "unexpected colon: text with a colon and a blank stands in quotes");
  }

  // Scalars.
  void check_scalar() {
    const char c = now();
    const Node start{pos_, pos_, line_start_, true};
    if (c == '&' || c == '*' || c == '!') {
      if (in_flow() || !allows_key_) add(start);
      fail(pos_, c == '!' ? "tags (!) are not supported in scene files"
                          : "anchors and aliases (& and *) are not supported in scene files");
    }
    if ((c == '|' || c == '>') && !in_flow()) {
      settle_key();
      if (levels_.back().in != In::kBlockMap && column() == indent())
        refuse(pos_, "wrong indentation: expected more blanks before {}", c);
      add_to_block(start);
      return check_block_scalar();
    }
    if (c == '\t') refuse(pos_, "a tab indents this line; use spaces");
    const bool is_quoted = c == '"' || c == '\'';
    if (!is_quoted && is_one_of(c, ",[]{}#|>%@`"))
      refuse(pos_, "text must not begin with {}; put it in quotes", c);
    Node node = start;
    bool ends_line = false;
    if (is_quoted) {
      c == '"' ? check_double_quotes() : check_single_quotes();
      node.end = pos_;
      for (; line_separator_ < pos_; line_separator_ = find_line_separator(line_separator_ + 1)) {
        // Libyaml ends a line there: keys would span two lines, and adjacent blanks would vanish.
        if (is_blank_at(line_separator_ - 1) || is_one_of(at(line_separator_ + 3), " \t\n-."))
          refuse_line_separator();
        node.line_start = pos_;
      }
    } else {
      std::tie(node.end, ends_line) = check_plain();
      node.is_word = !is_null_word(text_of(node));
    }
    add(node);
    allows_key_ = ends_line;
  }
  /// Returns the end of the text, and whether line ends follow.
  std::pair<std::size_t, bool> check_plain() {
    const int minimum = indent() + 1;
    std::size_t end = pos_;
    bool ends_line = false;
    while (!is_marker() && now() != '#') {
      while (!is_blank_at(pos_)) {
        const char c = now();
        if (in_flow() && c == ':' && pos_ + 1 < text_.size() && is_one_of(at(pos_ + 1), ",?[]{}"))
          refuse(pos_, "a blank is missing after this colon");
        if ((c == ':' && is_blank_at(pos_ + 1)) || (in_flow() && is_one_of(c, ",[]{}"))) break;
        if (in_flow() && c == '?') checked_.for_parser[pos_] = kQuestionMark;
        end = ++pos_;
        ends_line = false;
      }
      if (!is_blank_at(pos_) || is_end()) break;
      for (; !is_end() && is_blank_at(pos_);) {
        if (now() == '\n') {
          end_line();
          ends_line = true;
        } else if (now() == '\t' && ends_line && column() < minimum) {
          refuse(pos_, "a tab indents this line; use spaces");
        } else {
          ++pos_;
        }
      }
      if (!in_flow() && column() < minimum) break;
    }
    return {end, ends_line};
  }
  void check_open_quote(std::size_t begin) const {
    if (is_end() || is_marker()) fail(begin, "this text in quotes is not closed");
  }
  /// Number of line ends since the last other character after `begin`.
  std::ptrdiff_t last_line_ends(std::size_t begin) const {
    const std::string_view text = std::string_view(text_).substr(begin, pos_ - begin);
    const std::size_t last = text.find_last_not_of(" \t\n") + 1;
    return std::count(text.begin() + static_cast<std::ptrdiff_t>(last), text.end(), '\n');
  }
  /// Yaml-cpp drops empty lines before the closing quote.
  void check_last_lines(std::size_t begin) const {
    const bool is_empty = text_.find_first_not_of(" \t\n", begin + 1) == pos_;
    if (last_line_ends(begin) > (is_empty ? 1 : 2))
      refuse(begin, "this text in quotes ends with empty lines; write \\n in double quotes");
  }
  void check_single_quotes() {
    const std::size_t begin = pos_++;
    for (; now() != '\'' || at(pos_ + 1) == '\''; ++pos_) {
      check_open_quote(begin);
      if (now() == '\'') ++pos_;
      if (now() == '\n') line_start_ = pos_ + 1;
    }
    check_last_lines(begin);
    ++pos_;
  }
  /// Value of four digits after `\\u` at `i`, less `first`, if in [0, 1024).
  std::optional<unsigned> surrogate_at(std::size_t i, unsigned first) const {
    unsigned code = 0;
    if (i + 6 > text_.size() || text_.compare(i, 2, "\\u") != 0) return std::nullopt;
    const char* const end = text_.data() + i + 6;
    if (std::from_chars(text_.data() + i + 2, end, code, 16).ptr != end) return std::nullopt;
    return code >= first && code < first + 0x400 ? std::optional(code - first) : std::nullopt;
  }
  /// JSON writes characters beyond U+FFFF as pairs, "\ud83d\ude00", YAML as "\U0001F600". Blanks
  /// fill the bytes that this saves.
  void check_double_quotes() {
    const std::size_t begin = pos_++;
    std::size_t shorter = 0;
    for (; now() != '"'; ++pos_) {
      check_open_quote(begin);
      if (now() == '\n') line_start_ = pos_ + 1;
      const auto high = surrogate_at(pos_, 0xD800);
      const auto low = high ? surrogate_at(pos_ + 6, 0xDC00) : std::nullopt;
      if ((high && !low) || surrogate_at(pos_, 0xDC00))
        refuse(pos_, "{} is half a character", text_.substr(pos_, 6));
      if (low) {
        checked_.for_parser.replace(pos_ - shorter, 10,
                                    fmt::format("\\U{:08X}", 0x10000 + (*high << 10) + *low));
        pos_ += 11;
        shorter += 2;
        continue;
      }
      checked_.for_parser[pos_ - shorter] = now();
      if (now() != '\\' || pos_ + 1 >= text_.size()) continue;
      if (!is_one_of(at(pos_ + 1), "0abt\tnvfre \"/\\N_LPxuU\n"))
        refuse(pos_, "unknown escape {}; write \\\\ for a backslash",
               roundel::quoted(text_.substr(pos_, 2)));
      ++pos_;
      checked_.for_parser[pos_ - shorter] = now();
      if (now() == '\n') line_start_ = pos_ + 1;
      if (now() == 'N' || now() == '_')  // yaml-cpp 0.7 would halve these characters
        checked_.for_parser.replace(pos_ - 1 - shorter, 2, now() == 'N' ? "\xC2\x85" : "\xC2\xA0");
    }
    check_last_lines(begin);
    checked_.for_parser[pos_ - shorter] = '"';
    for (++pos_; shorter > 0; --shorter) checked_.for_parser[pos_ - shorter] = ' ';
  }
  void check_block_scalar() {
    const std::size_t begin = pos_++;
    const std::size_t digit = text_.find_first_not_of("+-", pos_);
    const int increment = at(digit) > '0' && at(digit) <= '9' ? at(digit) - '0' : 0;
    pos_ = std::min(text_.find('\n', pos_), text_.size());  // yaml-cpp checks the line
    if (!is_end()) end_line();
    int wanted = increment > 0 ? std::max(indent(), 0) + increment : 0, longest = 0;
    const auto skip_empty_lines = [&] {
      for (;;) {
        while (now() == ' ' && (wanted == 0 || column() < wanted)) ++pos_;
        longest = std::max(longest, column());
        if (now() == '\t' && (wanted == 0 || column() < wanted))
          refuse(pos_, "a tab indents this line; use spaces");
        if (now() != '\n') return;
        end_line();
      }
    };
    skip_empty_lines();
    if (wanted == 0) wanted = std::max({longest, indent() + 1, 1});
    while (!is_end() && column() == wanted) {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
      if (is_end()) break;
      end_line();
      skip_empty_lines();
    }
    const std::string header = text_.substr(begin, text_.find('\n', begin) - begin);
    if (header[0] == '>' && header.find('+') != std::string::npos && last_line_ends(begin) > 1)
      refuse(begin, "this text ends with empty lines, of which >+ loses one; use |+");
    if (is_end() && line_start_ > begin && column() <= wanted)
      checked_.for_parser.resize(line_start_);  // only blanks
    allows_key_ = true;
  }

  const std::string& text_;
  const std::string& file_;
  const std::size_t max_depth_;
  CheckedYaml checked_;
  std::vector<Level> levels_;
  std::size_t flow_depth_ = 0;  // open brackets and braces
  std::size_t pos_ = 0, line_start_ = 0;
  std::size_t level_mark_ = 0;     // end of the last hyphen or question mark in a block
  std::optional<Node> candidate_;  // possible key of a block
  std::size_t line_separator_;     // the next after the last quoted text
  bool allows_key_ = true;         // a key may begin here
  bool has_started_ = false;       // saw --- or the end of the document
  bool directive_ = false;         // saw directives only
};

}  // namespace

CheckedYaml check_yaml(const std::string& text, const std::string& file, std::size_t max_depth) {
  return YamlChecker(text, file, max_depth).check();
}

}  // namespace roundel
