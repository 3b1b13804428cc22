#include "renderer/format/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "renderer/base/text.h"
#include "renderer/format/place_counter.h"
#include "renderer/format/tree_builder.h"

namespace roundel {
namespace {

/// Each event is the next token, which gives its place.
class JsonHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonHandler(YamlTree& tree, std::string_view text, const std::string& file)
      : builder_(tree), text_(text), file_(file), places_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) end_ = 3;
  }

  bool null() override {
    const Place place = next_token();
    builder_.add_null(builder_.is_value_of_map() ? builder_.last_place() : place);
    return true;
  }
  bool boolean(bool) override { return add_plain(); }
  bool number_integer(number_integer_t) override { return add_plain(); }
  bool number_unsigned(number_unsigned_t) override { return add_plain(); }
  bool number_float(number_float_t, const string_t&) override { return add_plain(); }
  bool string(string_t& value) override {
    builder_.add_scalar(YamlKind::kQuoted, next_token(), value);
    return true;
  }
  bool key(string_t& value) override { return string(value); }
  bool start_object(std::size_t) override { return open(YamlKind::kMap); }
  bool start_array(std::size_t) override { return open(YamlKind::kList); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool binary(binary_t&) override { return false; }  // never in text
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOutOfRange = 406;
    if (error.id == kNumberOutOfRange)
      fail_at(file_, next_token(),
              "expected a number, got " + token + " (beyond the range of binary64 numbers)");
    fail_at(file_, place_in(text_, std::max<std::size_t>(position, 1) - 1), "not valid JSON");
  }

 private:
  Place next_token() {
    begin_ = text_.find_first_not_of(" \t\r\n,:", end_);
    const char c = text_[begin_];
    if (c == '"') {
      for (end_ = begin_ + 1; text_[end_] != '"';) end_ += text_[end_] == '\\' ? 2 : 1;
      ++end_;
    } else if (c == '[' || c == ']' || c == '{' || c == '}') {
      end_ = begin_ + 1;
    } else {
      end_ = std::min(text_.find_first_of(" \t\r\n,]}", begin_), text_.size());
    }
    return places_.place(begin_);
  }
  bool add_plain() {
    const Place place = next_token();
    builder_.add_scalar(YamlKind::kPlain, place, text_.substr(begin_, end_ - begin_));
    return true;
  }
  bool open(YamlKind kind) {
    const Place place = next_token();
    if (builder_.depth() == YamlTree::kMaxDepth)
      fail_at(file_, place,
              fmt::format("nested too deeply (at most {} levels)", YamlTree::kMaxDepth));
    builder_.open(kind, place);
    return true;
  }
  bool close() {
    next_token();
    builder_.close();
    return true;
  }

  TreeBuilder builder_;
  const std::string_view text_;
  const std::string& file_;
  PlaceCounter places_;
  std::size_t begin_ = 0, end_ = 0;  // bounds of the last token
};

}  // namespace

YamlTree json_tree(std::string_view text, const std::string& file, const char* kind) {
  if (text.size() > YamlTree::kMaxFileBytes)
    fail_at(file, {},
            fmt::format("expected {} of at most {}", kind,
                        memory_text(static_cast<double>(YamlTree::kMaxFileBytes))));
  YamlTree tree;
  JsonHandler handler(tree, text, file);
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  return tree;
}

}  // namespace roundel
