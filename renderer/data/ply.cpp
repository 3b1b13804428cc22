#include "renderer/data/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/array_table.h"
#include "renderer/data/text_lines.h"
#include "renderer/data/text_table.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxPlyHeaderBytes = std::size_t{4} << 20;

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<ArrayColumn> properties;  ///< without lists
  std::uint64_t bytes = 0;              ///< per row, in a binary file
  /// A list, or after the table a property of unknown type: rows have unknown lengths.
  std::optional<std::string> list;
};

struct PlyHeader {
  bool is_ascii = false, is_big_endian = false;
  std::vector<PlyElement> elements;
  std::uint64_t data_offset = 0, lines = 0;
};

class PlyHeaderParser {
 public:
  PlyHeaderParser(std::string_view text, const std::string& path, const std::string& table)
      : text_(text), path_(path), table_(table) {}

  PlyHeader parse() {
    next_line();
    if (words_ != std::vector<std::string_view>{"ply"}) fail("expected ply");
    bool has_format = false;
    for (next_line(); word(0) != "end_header" || words_.size() != 1; next_line()) {
      if (words_.empty() || word(0) == "comment" || word(0) == "obj_info") continue;
      if (word(0) == "format" && !has_format) {
        has_format = true;
        read_format();
      } else if (word(0) == "element" && words_.size() == 3) {
        add_element();
      } else if (word(0) == "property" && !header_.elements.empty() && words_.size() >= 3) {
        add_property(header_.elements.back());
      } else {
        fail(
            "expected format, element NAME COUNT, property TYPE NAME, comment or end_header, got " +
            quoted(line_));
      }
    }
    if (!has_format) fail("expected the format before end_header");
    for (PlyElement& element : header_.elements)
      for (ArrayColumn& property : element.properties)
        property.element.is_big_endian = header_.is_big_endian;
    header_.data_offset = position_;
    header_.lines = number_;
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ExitCode::kInvalidScene, fmt::format("{}: line {}: {}", path_, number_, problem));
  }

  std::string_view word(std::size_t i) const {
    return i < words_.size() ? words_[i] : std::string_view();
  }

  void next_line() {
    ++number_;
    const std::size_t end = text_.find('\n', position_);
    if (end == std::string_view::npos) fail("the file ends within its header");
    line_ = text_.substr(position_, end - position_);
    position_ = end + 1;
    words_.clear();
    constexpr std::string_view kBlanks = " \t\r";
    for (std::size_t at = line_.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t stop = std::min(line_.find_first_of(kBlanks, at), line_.size());
      words_.push_back(line_.substr(at, stop - at));
      at = line_.find_first_not_of(kBlanks, stop);
    }
  }

  void read_format() {
    header_.is_ascii = word(1) == "ascii";
    header_.is_big_endian = word(1) == "binary_big_endian";
    const bool is_known =
        header_.is_ascii || header_.is_big_endian || word(1) == "binary_little_endian";
    if (!is_known || word(2) != "1.0" || words_.size() != 3)
      fail("expected ascii, binary_little_endian or binary_big_endian and 1.0, got " +
           quoted(line_));
  }

  void add_element() {
    is_after_table_ |= !header_.elements.empty() && header_.elements.back().name == table_;
    PlyElement element;
    element.name = word(1);
    const auto count = to_number<std::uint64_t>(word(2));
    if (!count) fail("expected a count, got " + quoted(word(2)));
    element.count = *count;
    header_.elements.push_back(std::move(element));
  }

  void add_property(PlyElement& element) {
    if (word(1) == "list") {
      if (words_.size() != 5) fail("expected property list TYPE TYPE NAME, got " + quoted(line_));
      element_of(word(2));
      element_of(word(3));
      element.list = word(4);
      return;
    }
    if (words_.size() != 3) fail("expected property TYPE NAME, got " + quoted(line_));
    if (element.properties.size() == kMaxTableColumns)
      fail(fmt::format("more than {} properties", kMaxTableColumns));
    const std::optional<Element> type = element_of(word(1));
    if (!type) {
      element.list = word(2);
      return;
    }
    element.properties.push_back({std::string(word(2)), *type, 0, element.bytes});
    element.bytes += type->size;
  }

  std::optional<Element> element_of(std::string_view type) const {
    using Kind = Element::Kind;
    struct Type {
      std::string_view name, other_name;
      Kind kind;
      std::uint64_t size;
    };
    constexpr Type kTypes[] = {
        {"char", "int8", Kind::kInteger, 1},   {"uchar", "uint8", Kind::kUnsigned, 1},
        {"short", "int16", Kind::kInteger, 2}, {"ushort", "uint16", Kind::kUnsigned, 2},
        {"int", "int32", Kind::kInteger, 4},   {"uint", "uint32", Kind::kUnsigned, 4},
        {"long", "int64", Kind::kInteger, 8},  {"ulong", "uint64", Kind::kUnsigned, 8},
        {"float", "float32", Kind::kFloat, 4}, {"double", "float64", Kind::kFloat, 8},
    };
    for (const auto& [name, other_name, kind, size] : kTypes)
      if (type == name || type == other_name) return Element{kind, false, size};
    if (is_after_table_) return std::nullopt;
    fail("expected a type such as float, double, int or uchar, got " + quoted(type));
  }

  std::string_view text_;
  const std::string& path_;
  const std::string& table_;
  bool is_after_table_ = false;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::size_t position_ = 0;
  std::uint64_t number_ = 0;
  PlyHeader header_;
};

void skip_lines(const InputFile& file, std::uint64_t count, TextForm& form) {
  const TextGrammar grammar(form.dialect);
  TextLines lines(file, form.start, form.start_line);
  for (; count > 0; --count) {
    const std::string_view line = lines.peek(grammar);
    if (line.empty()) break;
    lines.skip(line);
  }
  form.start = lines.offset();
  form.start_line = lines.line();
}

}  // namespace

std::unique_ptr<Table> open_ply(std::shared_ptr<const InputFile> file,
                                const TableOptions& options) {
  const std::string& dataset = options.dataset;
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::kInvalidScene, file->path() + ": " + problem);
  };
  const std::string start = file->read(kMaxPlyHeaderBytes);
  const std::string name = dataset.empty() ? "vertex" : dataset;
  PlyHeader header = PlyHeaderParser(start, file->path(), name).parse();
  const auto table = std::find_if(header.elements.begin(), header.elements.end(),
                                  [&](const PlyElement& element) { return element.name == name; });
  if (table == header.elements.end()) {
    std::vector<std::string> names;
    for (const PlyElement& element : header.elements) names.push_back(element.name);
    fail(fmt::format("has no element {}; {}", quoted(name), list_names(names)));
  }
  if (table->list)
    fail(
        fmt::format("element {}: expected a number for each property, but {} is a list, so rows "
                    "differ in length; write the file without it",
                    name, quoted(*table->list)));

  if (header.is_ascii) {
    TextForm form;
    form.dialect = {' ', false, false};
    for (const ArrayColumn& property : table->properties)
      form.columns.push_back(property.element.column(property.name));
    form.start = header.data_offset;
    form.start_line = header.lines + 1;
    form.rows = table->count;
    form.ends_file = table + 1 == header.elements.end();
    form.numbers_only = true;
    for (auto element = header.elements.begin(); element != table; ++element)
      skip_lines(*file, element->count, form);
    return std::make_unique<TextTable>(std::move(file), std::move(form), options);
  }

  std::uint64_t offset = 0, end = header.data_offset;
  for (auto element = header.elements.begin(); element != header.elements.end(); ++element) {
    if (element->list && element > table) break;
    if (element->list)
      fail(fmt::format("expected element {} before element {}, which has lists", name,
                       element->name));
    if (element == table) offset = end;
    std::uint64_t size = 0;
    const std::string expected =
        fmt::format("expected {} of {} with {} each, but ", with_commas(element->count),
                    element->name, counted(element->bytes, "byte"));
    if (__builtin_mul_overflow(element->count, element->bytes, &size) || size > file->size() - end)
      fail(expected + "the file ends earlier");
    end += size;
    const std::uint64_t rest = file->size() - end;
    if (element + 1 == header.elements.end() && element->bytes > 0 && rest >= element->bytes)
      fail(expected + counted(rest, "byte") + " remain after them");
  }
  if (table->bytes > kMaxTableRowBytes) fail("its rows are too long");
  std::vector<RecordRun> runs;
  runs.push_back(
      {std::make_shared<FileBytes>(file), offset, std::max<std::uint64_t>(1, table->bytes)});
  return std::make_unique<ArrayTable>(std::move(file), std::move(runs),
                                      std::move(table->properties), table->count);
}

}  // namespace roundel
