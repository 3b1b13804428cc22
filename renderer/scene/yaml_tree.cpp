#include "renderer/scene/yaml_tree.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <optional>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

[[noreturn]] void fail(const std::string& file, Place place, const std::string& problem) {
  SceneErrors errors(file);
  errors.add(place, "", problem);
  errors.throw_if_any();
  throw std::logic_error("unreachable");
}

Place place_of(const yaml_mark_t& mark) {
  return {static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

/// Columns count characters.
Place place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return {static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<std::uint32_t>(std::count_if(line.begin(), line.end(), starts)) + 1};
}

// What the YAML parser must never see: what is no text, and more values than a tree has room for.
void check_text(std::string_view text, const std::string& file) {
  if (const std::optional<std::size_t> bad = find_non_text(text))
    fail(file, place_of(text, *bad),
         fmt::format("expected UTF-8 text, got the byte 0x{:02x}",
                     static_cast<unsigned char>(text[*bad])));
  std::size_t punctuation = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool counts =
        c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n';
    if (counts && ++punctuation > YamlTree::kMaxPunctuation)
      fail(file, place_of(text, i), "too many values; put bulk data into an .npy file");
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

/// JSON has characters beyond U+FFFF as pairs, "\ud83d\ude00", which YAML writes "\U0001F600".
/// Blanks behind the text make up for what that is shorter: what follows keeps its column.
std::string with_joined_surrogates(std::string_view text) {
  constexpr std::size_t kLength = 6;
  const auto half_at = [text](std::size_t i, unsigned first) -> std::optional<unsigned> {
    unsigned code = 0;
    if (i + kLength > text.size() || text[i] != '\\' || text[i + 1] != 'u') return std::nullopt;
    const char* const end = text.data() + i + kLength;
    if (std::from_chars(text.data() + i + 2, end, code, 16).ptr != end) return std::nullopt;
    return code >= first && code < first + 0x400 ? std::optional(code - first) : std::nullopt;
  };
  std::string joined;
  std::size_t shorter = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto high = half_at(i, 0xD800), low = high ? half_at(i + kLength, 0xDC00) : std::nullopt;
    if (low) {
      joined += fmt::format("\\U{:08X}", 0x10000 + (*high << 10) + *low);
      i += 2 * kLength - 1;
      shorter += 2;
    } else {
      joined += text[i];
      if (text[i] == '\\' && i + 1 < text.size())
        joined += text[++i];
      else if (text[i] == '"')
        joined.append(std::exchange(shorter, 0), ' ');
      else if (text[i] == '\n')
        shorter = 0;
    }
  }
  return joined;
}

bool is_null(std::string_view plain) {
  return plain.empty() || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

class Event {
 public:
  explicit Event(yaml_parser_t& parser) : is_sound_(yaml_parser_parse(&parser, &event_) != 0) {}
  ~Event() {
    if (is_sound_) yaml_event_delete(&event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_sound() const { return is_sound_; }
  const yaml_event_t& operator*() const { return event_; }

 private:
  yaml_event_t event_;
  bool is_sound_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    if (text.data() == nullptr) text = "";  // libyaml wants an address of no bytes, too
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Event next() { return Event(parser_); }
  /// Why there is no next event. `open`: the innermost list or map that is not closed yet.
  [[noreturn]] void fail(const std::string& file, std::optional<Place> open) const {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const std::string_view problem = parser_.problem;
    const std::string_view context = parser_.context != nullptr ? parser_.context : "";
    const Place place = place_of(parser_.problem_mark);
    const Place start = place_of(parser_.context_mark);
    if (context == "while scanning a quoted scalar" && problem.starts_with("found unexpected"))
      roundel::fail(file, start, "this text in quotes is not closed");
    std::string text = fmt::format("not valid YAML: {}", problem);
    if (!context.empty() && start != place)
      text += fmt::format(", {} at {}:{}", context, start.line, start.column);
    else if (open && problem == "did not find expected node content")
      text += fmt::format(", in what begins at {}:{}", open->line, open->column);
    roundel::fail(file, place, text);
  }

 private:
  yaml_parser_t parser_;
};

}  // namespace

class YamlTreeBuilder {
 public:
  YamlTreeBuilder(YamlTree& tree, const std::string& file) : tree_(tree), file_(file) {}

  void add(const yaml_event_t& event) {
    const yaml_mark_t& mark = event.start_mark;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ > 1)
          fail(file_, place_of(mark), "expected one YAML document, found the start of a second");
        break;
      case YAML_ALIAS_EVENT:
        refuse_anchors(mark);
      case YAML_SCALAR_EVENT:
        add_scalar(event.data.scalar, mark);
        break;
      case YAML_SEQUENCE_START_EVENT:
        open(YamlKind::kList, mark, event.data.sequence_start.tag,
             event.data.sequence_start.anchor);
        break;
      case YAML_MAPPING_START_EVENT:
        open(YamlKind::kMap, mark, event.data.mapping_start.tag, event.data.mapping_start.anchor);
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        break;
      default:
        break;
    }
  }

  std::optional<Place> innermost() const {
    return open_.empty() ? std::nullopt : std::optional(tree_.nodes_[open_.back()].place);
  }

 private:
  using Scalar = decltype(yaml_event_t().data.scalar);

  [[noreturn]] void refuse_anchors(const yaml_mark_t& mark) const {
    fail(file_, place_of(mark), "anchors and aliases (& and *) are not supported in scene files");
  }
  void add_scalar(const Scalar& scalar, const yaml_mark_t& mark) {
    const std::string_view value{reinterpret_cast<const char*>(scalar.value), scalar.length};
    const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (is_plain && is_key_of_map() && value == "<<")
      fail(file_, place_of(mark), "merge keys (<<) are not supported in scene files");
    if (is_plain && is_null(value)) {
      add_node(YamlKind::kNull, mark, scalar.tag, scalar.anchor);
      // An absent value's mark is behind it; its key says better where it is missing.
      if (is_value_of_map())
        tree_.nodes_.back().place = tree_.nodes_[tree_.nodes_.size() - 2].place;
      return finish_node();
    }
    add_node(is_plain ? YamlKind::kPlain : YamlKind::kQuoted, mark, scalar.tag, scalar.anchor);
    YamlTree::Node& node = tree_.nodes_.back();
    node.begin = static_cast<std::uint32_t>(tree_.text_.size());
    node.size = static_cast<std::uint32_t>(value.size());
    tree_.text_ += value;
    finish_node();
  }
  bool is_key_of_map() const {
    if (open_.empty()) return false;
    const YamlTree::Node& parent = tree_.nodes_[open_.back()];
    return parent.kind == YamlKind::kMap && parent.begin % 2 == 0;
  }
  bool is_value_of_map() const {
    return !open_.empty() && tree_.nodes_[open_.back()].kind == YamlKind::kMap && !is_key_of_map();
  }
  void add_node(YamlKind kind, const yaml_mark_t& mark, const yaml_char_t* tag,
                const yaml_char_t* anchor) {
    if (anchor != nullptr) refuse_anchors(mark);
    if (tag != nullptr) fail(file_, place_of(mark), "tags (!) are not supported in scene files");
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
  void open(YamlKind kind, const yaml_mark_t& mark, const yaml_char_t* tag,
            const yaml_char_t* anchor) {
    add_node(kind, mark, tag, anchor);
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
  std::vector<std::size_t> open_;  // the lists and maps around the next node
  int documents_ = 0;
};

YamlTree::YamlTree(std::string_view text, const std::string& file, const char* kind) {
  if (text.size() > kMaxFileBytes)
    fail(file, {},
         fmt::format("expected a {} file of at most {}; put bulk data into an .npy file", kind,
                     memory_text(static_cast<double>(kMaxFileBytes))));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  check_text(text, file);
  try {
    try {
      parse(text, file);
    } catch (const Error&) {
      const std::string joined = with_joined_surrogates(text);
      if (joined == text) throw;
      parse(joined, file);
    }
  } catch (const Error&) {
    report_unquoted_colors(text, file);
    throw;
  }
  if (std::any_of(nodes_.begin(), nodes_.end(),
                  [](const Node& node) { return node.kind == YamlKind::kNull; }))
    report_unquoted_colors(text, file);
  if (nodes_.empty() || nodes_[0].kind == YamlKind::kNull)
    fail(file, {}, fmt::format("expected a {}, got nothing", kind));
}

void YamlTree::parse(std::string_view text, const std::string& file) {
  nodes_.clear();
  text_.clear();
  YamlTreeBuilder builder(*this, file);
  Parser parser(text);
  for (bool goes_on = true; goes_on;) {
    const Event event = parser.next();
    if (!event.is_sound()) parser.fail(file, builder.innermost());
    builder.add(*event);
    goes_on = (*event).type != YAML_STREAM_END_EVENT;
  }
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
