#include "renderer/scene/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <span>
#include <sstream>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/scene/flow_lines.h"

namespace roundel {
namespace {

constexpr const char* kNoAnchors = "anchors and aliases (& and *) are not supported in scene files";

[[noreturn]] void fail(const std::string& file, Place place, const std::string& problem) {
  SceneErrors errors(file);
  errors.add(place, "", problem);
  errors.throw_if_any();
  throw std::logic_error("unreachable");
}

Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

Place place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<std::uint32_t>(offset - line_start) + 1};
}

// What the YAML parser must never see: what is no text, and what would make it use far more time
// and memory than the text has bytes. Brackets are counted wherever they stand, in comments and
// quotes too; hence a limit far above kMaxDepth.
void check_text(std::string_view text, const std::string& file) {
  if (const std::optional<std::size_t> bad = find_non_text(text))
    fail(file, place_of(text, *bad),
         fmt::format("expected UTF-8 text, got the byte 0x{:02x}",
                     static_cast<unsigned char>(text[*bad])));
  constexpr std::size_t kMaxOpenBrackets = 1000;
  std::size_t open = 0, punctuation = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '{') {
      if (++open > kMaxOpenBrackets)
        fail(file, place_of(text, i),
             fmt::format("nested too deeply (at most {} levels)", YamlTree::kMaxDepth));
    } else if ((c == ']' || c == '}') && open > 0) {
      --open;
    }
    if (c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') {
      if (++punctuation > YamlTree::kMaxPunctuation)
        fail(file, place_of(text, i), "too many values; put bulk data into an .npy file");
    }
  }
}

// A colour without quotes is a comment, which in a list or map in brackets hides what closes it:
// the parser then finds something wrong much later, or nothing where a value should be. Throws
// where there are such colours, for all of them.
void report_unquoted_colors(std::string_view text, const std::string& file) {
  SceneErrors errors(file);
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  const auto is_one_of = [](char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
  };
  // Its characters, of #rrggbb, #rgb or with alpha; 0 where there is none.
  const auto color_length = [&](std::size_t i) -> std::size_t {
    const std::size_t found = text.find_first_not_of("0123456789abcdefABCDEF", i + 1);
    const std::size_t end = std::min(found, text.size()), length = end - i;
    const bool ends = end == text.size() || is_space(text[end]) || is_one_of(text[end], ",]}");
    return ends && (length == 4 || length == 5 || length == 7 || length == 9) ? length : 0;
  };
  std::size_t open = 0;
  char quote = 0, before = ':';  // the quote of the text that this is in; the last that is no space
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      if (c == '\\' && quote == '"') ++i;
    } else if (c == '#' && (i == 0 || is_space(text[i - 1]) || is_one_of(text[i - 1], "[{,"))) {
      const bool is_value = open > 0 && is_one_of(before, ":,[");
      if (const std::size_t length = is_value ? color_length(i) : 0; length > 0)
        errors.add(errors.full() ? Place{} : place_of(text, i), "",
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

// True where the last line that is neither empty nor a comment is the document end marker.
bool ends_with_marker(std::string_view text) {
  while (!text.empty()) {
    const std::size_t line_start = text.find_last_of('\n', text.size() - 1) + 1;  // npos + 1 is 0
    const std::string_view line = text.substr(line_start);
    if (line.starts_with("...")) return true;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
    text.remove_suffix(text.size() - (line_start > 0 ? line_start - 1 : 0));
  }
  return false;
}

std::string problem_of(const YAML::Exception& error) {
  if (error.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) return kNoAnchors;
  if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR || error.msg == YAML::ErrorMsg::EOF_IN_SCALAR)
    return "not valid YAML: a text in quotes is not closed";
  return "not valid YAML: " + error.msg;
}

}  // namespace

class YamlTreeBuilder : public YAML::EventHandler {
 public:
  YamlTreeBuilder(YamlTree& tree, const std::string& file, std::span<const FlowLine> flows)
      : tree_(tree), file_(file), flows_(flows) {}

  /// True where every flow line was a value.
  bool has_all_flows() const { return flows_.empty(); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      fail(file_, place_of(mark), "expected one YAML document, found the start of a second");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(YamlKind::kNull, mark, "", anchor);
    // An absent value has the mark of whatever comes next; its key says better where it is missing.
    if (is_value_of_map()) tree_.nodes_.back().place = tree_.nodes_[tree_.nodes_.size() - 2].place;
    finish_node();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchors(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!flows_.empty() && mark.line == flows_.front().mark.line &&
        mark.column == flows_.front().mark.column && value == kFlowWord && tag == "?" &&
        anchor == 0) {
      const FlowLine flow = flows_.front();
      flows_ = flows_.subspan(1);
      return read_flow_line(flow, *this);
    }
    if (is_key_of_map() && tag != "!" && value == "<<")
      fail(file_, place_of(mark), "merge keys (<<) are not supported in scene files");
    add(tag == "!" ? YamlKind::kQuoted : YamlKind::kPlain, mark, tag, anchor);
    YamlTree::Node& node = tree_.nodes_.back();
    node.begin = static_cast<std::uint32_t>(tree_.text_.size());
    node.size = static_cast<std::uint32_t>(value.size());
    tree_.text_ += value;
    finish_node();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlKind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlKind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] void refuse_anchors(const YAML::Mark& mark) const {
    fail(file_, place_of(mark), kNoAnchors);
  }
  bool is_key_of_map() const {
    if (open_.empty()) return false;
    const YamlTree::Node& parent = tree_.nodes_[open_.back()];
    return parent.kind == YamlKind::kMap && parent.begin % 2 == 0;
  }
  bool is_value_of_map() const {
    return !open_.empty() && tree_.nodes_[open_.back()].kind == YamlKind::kMap && !is_key_of_map();
  }
  void add(YamlKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) refuse_anchors(mark);
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(file_, place_of(mark), "tags (!) are not supported in scene files");
    if (is_key_of_map() && kind != YamlKind::kPlain && kind != YamlKind::kQuoted)
      fail(file_, place_of(mark), "expected a key that is a single word");
    YamlTree::Node node;
    node.place = place_of(mark);
    node.kind = kind;
    tree_.nodes_.push_back(node);
  }
  void finish_node() {
    if (!open_.empty()) ++tree_.nodes_[open_.back()].begin;
  }
  void open(YamlKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    add(kind, mark, tag, anchor);
    if (open_.size() == YamlTree::kMaxDepth)
      fail(file_, place_of(mark),
           fmt::format("nested too deeply (at most {} levels)", YamlTree::kMaxDepth));
    open_.push_back(tree_.nodes_.size() - 1);
  }
  void close() {
    tree_.nodes_[open_.back()].size = static_cast<std::uint32_t>(tree_.nodes_.size());
    open_.pop_back();
    finish_node();
  }

  YamlTree& tree_;
  const std::string& file_;
  std::span<const FlowLine> flows_;  // those that are still to come
  std::vector<std::size_t> open_;    // the lists and maps around the next node
  int documents_ = 0;
};

bool YamlTree::parse(const std::string& text, const std::string& file,
                     std::span<const FlowLine> flows) {
  nodes_.clear();
  text_.clear();
  // yaml-cpp takes the end of the file for the end of a quoted text, unless a marker stands there.
  std::istringstream stream(text + (ends_with_marker(text) ? "" : "\n...\n"));
  YamlTreeBuilder builder(*this, file, flows);
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(builder)) {
  }
  return builder.has_all_flows();
}

bool YamlTree::parse_by_lines(std::string_view text, const std::string& file) {
  const FlowLines flows = find_flow_lines(text);
  try {
    return parse(flows.text, file, flows.lines);
  } catch (const Error&) {
    return false;
  } catch (const YAML::Exception&) {
    return false;
  }
}

YamlTree::YamlTree(std::string_view text, const std::string& file, const char* kind, Lines lines) {
  if (text.size() > kMaxFileBytes)
    fail(file, {},
         fmt::format("expected a {} file of at most {}; put bulk data into an .npy file", kind,
                     memory_text(static_cast<double>(kMaxFileBytes))));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  check_text(text, file);
  try {
    // What the lines do not make easy is read again, as it stands, which tells what is wrong.
    if (lines == Lines::kParsed || !parse_by_lines(text, file)) parse(std::string(text), file, {});
  } catch (const Error&) {
    report_unquoted_colors(text, file);
    throw;
  } catch (const YAML::Exception& error) {
    report_unquoted_colors(text, file);
    Place place = place_of(error.mark);
    const Place end = place_of(text, text.size());
    if (place.line > end.line) place = end;  // it stands in the marker
    fail(file, place, problem_of(error));
  }
  if (std::any_of(nodes_.begin(), nodes_.end(),
                  [](const Node& node) { return node.kind == YamlKind::kNull; }))
    report_unquoted_colors(text, file);
  if (nodes_.empty() || nodes_[0].kind == YamlKind::kNull)
    fail(file, {}, fmt::format("expected a {}, got nothing", kind));
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
