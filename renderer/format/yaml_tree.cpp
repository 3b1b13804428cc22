#include "renderer/format/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/format/place_counter.h"
#include "renderer/format/tree_builder.h"
#include "renderer/format/yaml_check.h"

namespace roundel {
namespace {

// Throws for bytes that are not text, and for more values than a tree can hold.
void check_text(std::string_view text, const std::string& file) {
  if (const std::optional<std::size_t> bad = find_non_text(text))
    fail_at(file, place_in(text, *bad),
            fmt::format("expected UTF-8 text, got the byte 0x{:02x}",
                        static_cast<unsigned char>(text[*bad])));
  std::size_t punctuation = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool counts =
        c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n';
    if (counts && ++punctuation > YamlTree::kMaxPunctuation)
      fail_at(file, place_in(text, i), "too many values; put bulk data into an .npy file");
  }
}

// Throws one error with all unquoted colours. They are comments, which in brackets hide the closing
// bracket: the parser would fail much later.
void report_unquoted_colors(std::string_view text, const std::string& file) {
  FormatErrors errors(file);
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  const auto is_one_of = [](char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
  };
  // Length of #rrggbb, #rgb or a colour with alpha, or 0.
  const auto color_length = [&](std::size_t i) -> std::size_t {
    const std::size_t found = text.find_first_not_of("0123456789abcdefABCDEF", i + 1);
    const std::size_t end = std::min(found, text.size()), length = end - i;
    const bool ends = end == text.size() || is_space(text[end]) || is_one_of(text[end], ",]}");
    return ends && (length == 4 || length == 5 || length == 7 || length == 9) ? length : 0;
  };
  std::size_t open = 0;
  char quote = 0, before = ':';  // the open quote; the last character other than space
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      if (c == '\\' && quote == '"') ++i;
    } else if (c == '#' && (i == 0 || is_space(text[i - 1]) || is_one_of(text[i - 1], "[{,"))) {
      const bool is_value = open > 0 && is_one_of(before, ":,[");
      if (const std::size_t length = is_value ? color_length(i) : 0; length > 0)
        errors.add(errors.full() ? Place{} : place_in(text, i), "",
                   fmt::format("a colour needs quotes: \"{}\" (else # begins a comment)",
                               text.substr(i, length)));
      i = std::min(text.find('\n', i), text.size());
      continue;
    } else if ((c == '"' || c == '\'') && is_one_of(before, ":,[{-?")) {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++open;
    } else if ((c == ']' || c == '}') && open > 0) {
      --open;
    }
    if (!is_space(c)) before = c;
  }
  errors.throw_if_any();
}

/// All versions of yaml-cpp accept line feeds.
std::string with_line_feeds(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_nel = text.substr(i, 2) == "\xC2\x85";
    if (is_nel || (text[i] == '\r' && text.substr(i + 1, 1) == "\n")) ++i;
    lines += is_nel || text[i] == '\r' ? '\n' : text[i];
  }
  return lines;
}

class YamlHandler : public YAML::EventHandler {
 public:
  YamlHandler(YamlTree& tree, const CheckedYaml& yaml, std::string_view text,
              const std::string& file)
      : builder_(tree),
        file_(file),
        text_(yaml.for_parser),
        pieces_(yaml.pieces),
        empty_items_(yaml.empty_items),
        places_(text) {}

  void read() { read(0, text_.size(), ""); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}  // check_yaml() refuses them
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    // The mark of an absent value is the next token; its key or hyphen is a better place.
    if (builder_.is_value_of_map()) return builder_.add_null(builder_.last_place());
    const bool is_empty = !empty_items_.empty() && empty_items_.front() < offset_of(mark);
    builder_.add_null(is_empty ? places_.place(empty_items_.front()) : place_of(mark));
    if (is_empty) empty_items_ = empty_items_.subspan(1);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    if (next_piece_ < pieces_.size() && pieces_[next_piece_].first == offset_of(mark))
      return read_piece();
    if (tag == "!") return builder_.add_scalar(YamlKind::kQuoted, place_of(mark), value);
    std::string text = value;
    std::replace(text.begin(), text.end(), kQuestionMark, '?');
    builder_.add_scalar(YamlKind::kPlain, place_of(mark), text);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    builder_.open(YamlKind::kList, place_of(mark));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    builder_.open(YamlKind::kMap, place_of(mark));
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapEnd() override { builder_.close(); }

 private:
  static constexpr std::string_view kPieceText = "''";  // replaces a piece

  /// Yaml-cpp holds all tokens of a list or map in brackets until it ends, since it may be a key.
  /// To bound its memory, long ones are parsed separately, after a tab, where a key cannot begin.
  void read(std::size_t begin, std::size_t end, std::string before) {
    offset_ = begin - before.size();
    std::string part = std::move(before);
    for (std::size_t i = next_piece_; i < pieces_.size() && pieces_[i].first < end; ++i) {
      if (pieces_[i].first < begin) continue;  // within the previous piece
      part += text_.substr(begin, pieces_[i].first - begin);
      part += kPieceText;
      begin = pieces_[i].second;
    }
    part += text_.substr(begin, end - begin);
    try {
      std::istringstream stream(std::move(part));
      YAML::Parser parser(stream);
      if (parser.HandleNextDocument(*this) && parser.HandleNextDocument(*this))
        throw YAML::ParserException(YAML::Mark(), "a second document");
    } catch (const YAML::Exception& error) {
      fail_at(file_, error.mark.is_null() ? Place{} : place_of(error.mark),
              "not valid YAML: " + error.msg);
    }
  }
  void read_piece() {
    const auto [begin, end] = pieces_[next_piece_++];
    const std::size_t offset = offset_;
    read(begin, end, "\t");
    offset_ = offset + end - begin - kPieceText.size();
  }
  std::size_t offset_of(const YAML::Mark& mark) const {
    return offset_ + static_cast<std::size_t>(mark.pos);
  }
  Place place_of(const YAML::Mark& mark) { return places_.place(offset_of(mark)); }
  TreeBuilder builder_;
  const std::string& file_;
  const std::string_view text_;
  std::span<const std::pair<std::size_t, std::size_t>> pieces_;
  std::size_t next_piece_ = 0, offset_ = 0;   // `offset_`: added to marks of the parsed part
  std::span<const std::size_t> empty_items_;  // not yet read
  PlaceCounter places_;
};

}  // namespace

YamlTree::YamlTree(std::string_view text, const std::string& file, const char* kind) {
  if (text.size() > kMaxFileBytes)
    fail_at(file, {},
            fmt::format("expected a {} file of at most {}; put bulk data into an .npy file", kind,
                        memory_text(static_cast<double>(kMaxFileBytes))));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  check_text(text, file);
  const std::string lines = with_line_feeds(text);
  try {
    const CheckedYaml yaml = check_yaml(lines, file, kMaxDepth);
    YamlHandler(*this, yaml, lines, file).read();
  } catch (const Error&) {
    report_unquoted_colors(lines, file);
    throw;
  }
  if (std::any_of(nodes_.begin(), nodes_.end(),
                  [](const Node& node) { return node.kind == YamlKind::kNull; }))
    report_unquoted_colors(lines, file);
  if (nodes_.empty() || nodes_[0].kind == YamlKind::kNull)
    fail_at(file, {}, fmt::format("expected a {}, got nothing", kind));
}

std::string_view YamlNode::text() const {
  if (!is_scalar()) throw std::logic_error("text of a node that is no scalar");
  return std::string_view(tree_->text_).substr(node().begin, node().size);
}

std::optional<YamlNode> YamlNode::find(std::string_view key) const {
  std::optional<YamlNode> found;
  for_each_entry([&](YamlNode name, YamlNode value) {
    if (!found && name.text() == key) found = value;
  });
  return found;
}

}  // namespace roundel
