#include "renderer/data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/text_lines.h"
#include "renderer/data/text_table.h"

namespace roundel {
namespace {

/// True for "a" "b". Other quotes, as in height in 5" units, belong to one name.
bool are_all_quoted(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); i = line.find_first_not_of(' ', i)) {
    if (line[i] != '"') return false;
    do i = line.find('"', i + 1) + 1;  // after the next quote, or 0
    while (i != 0 && i < line.size() && line[i] == '"');
    if (i == 0 || (i < line.size() && line[i] != ' ')) return false;
  }
  return true;
}

char delimiter_of(std::string_view line) {
  char best = '\0';
  std::ptrdiff_t max_count = 0;
  const auto count_of = [](std::string_view text, char delimiter) {
    bool in_quotes = false;
    return std::count_if(text.begin(), text.end(), [&](char c) {
      in_quotes ^= c == '"';
      return c == delimiter && !in_quotes;
    });
  };
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const std::ptrdiff_t count = count_of(line, delimiter);
    if (count > max_count) {
      best = delimiter;
      max_count = count;
    }
  }
  if (max_count > 0) return best;
  const std::size_t begin = line.find_first_not_of(" \r");
  const std::size_t end = line.find_last_not_of(" \r") + 1;
  if (begin >= end) return ',';
  const std::string_view fields = line.substr(begin, end - begin);
  const bool has_quotes = fields.find('"') != std::string_view::npos;
  return count_of(fields, ' ') > 0 && (!has_quotes || are_all_quoted(fields)) ? ' ' : ',';
}

bool is_number(const TextGrammar& grammar, const std::string& field) {
  const auto number = grammar.number_of(field);
  return number && !std::isnan(*number);
}

bool is_header(const TextGrammar& grammar, const std::vector<std::string>& first,
               const std::vector<std::string>& second) {
  if (std::none_of(first.begin(), first.end(),
                   [&](const std::string& field) { return is_number(grammar, field); }))
    return true;
  for (std::size_t c = 0; c < std::min(first.size(), second.size()); ++c)
    if (!grammar.number_of(first[c]) && is_number(grammar, second[c])) return true;
  return false;
}

/// R's write.table writes row names, texts or quoted, without a name in the header. Other extra
/// fields, such as after a trailing comma, are errors: names would move to other columns.
bool begins_with_name(const TextGrammar& grammar, const std::vector<std::string>& row,
                      bool is_quoted) {
  return (is_quoted || !is_number(grammar, row.front())) && !row.back().empty();
}

/// Columns that are texts in `like` become texts.
void take_kinds_of(std::span<const TableColumn> like, std::vector<TableColumn>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c].name;
    const auto other =
        name.empty() ? like.begin() + static_cast<std::ptrdiff_t>(std::min(c, like.size()))
                     : std::find_if(like.begin(), like.end(),
                                    [&](const TableColumn& column) { return column.name == name; });
    columns[c].is_text = other != like.end() && other->is_text;
  }
}

std::unique_ptr<Table> open(std::shared_ptr<const InputFile> file, bool texts_only,
                            const TableOptions& options) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::kInvalidScene, file->path() + ": " + problem);
  };
  const std::string start = file->read(4096);
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF"))
    fail("expected a text in UTF-8, got UTF-16");
  if (start.find('\0') != std::string::npos) fail("expected a text, got zero bytes");
  // In quotes a carriage return may be part of a name.
  const std::size_t lone = start.find('\r');
  if (lone < start.size() - 1 && start.find('\n') == std::string::npos && start.find('"') > lone)
    fail("expected lines that end with a line feed, got carriage returns alone");

  TextLines lines(*file, start.starts_with("\xEF\xBB\xBF") ? 3 : 0, 1);
  TextForm form;
  const std::string_view line = lines.peek(TextGrammar(form.dialect));
  if (line.empty()) fail("expected a line of fields, got none");
  constexpr std::size_t kSepBytes = 6;  // sep=; with a carriage return
  if (const std::string_view start_of_line = line.substr(0, line.find('\n'));
      start_of_line.starts_with("sep=") && start_of_line.size() <= kSepBytes)
    fail(fmt::format("line {}: {} is for Excel, not a header: remove this line", lines.line(),
                     quoted(start_of_line.substr(0, kSepBytes - 1))));
  const bool has_tabs = file->path().ends_with(".tsv") || file->path().ends_with(".tab");
  form.dialect.delimiter = has_tabs ? '\t' : delimiter_of(line);
  const TextGrammar grammar(form.dialect);

  form.start = lines.offset();
  const std::uint64_t first_line = form.start_line = lines.line();
  std::vector<std::string> first = lines.row(grammar);
  const std::uint64_t second_start = lines.offset(), second_line = lines.line();
  const bool is_quoted = lines.peek(grammar).starts_with('"');
  const std::vector<std::string> second = lines.row(grammar);
  form.columns.resize(first.size());
  const bool has_header = texts_only || is_header(grammar, first, second);
  if (has_header) {
    form.start = second_start;
    form.start_line = second_line;
    if (second.size() == first.size() + 1 && begins_with_name(grammar, second, is_quoted))
      first.insert(first.begin(), "");
    form.columns.resize(first.size());
    for (std::size_t c = 0; c < first.size(); ++c) {
      if (first[c].size() > kMaxNumberBytes)
        fail(fmt::format(
            "line {}: the name of column {} (counted from 0) is too long (at most {} bytes)",
            first_line, c, kMaxNumberBytes));
      form.columns[c].name = std::move(first[c]);
    }
  }
  take_kinds_of(options.like, form.columns);
  for (TableColumn& column : form.columns) column.is_text |= texts_only;
  auto table = std::make_unique<TextTable>(std::move(file), std::move(form), options);
  if (!has_header && first_line > 1)  // below comments
    table->set_hint("; remove the # before the header, as numpy.savetxt(..., comments=\"\") does");
  return table;
}

}  // namespace

std::unique_ptr<Table> open_csv(std::shared_ptr<const InputFile> file,
                                const TableOptions& options) {
  return open(std::move(file), false, options);
}

std::unique_ptr<Table> open_csv_texts(std::shared_ptr<const InputFile> file) {
  return open(std::move(file), true, {});
}

}  // namespace roundel
