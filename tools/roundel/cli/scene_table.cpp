#include "tools/roundel/cli/scene_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/data/csv.h"
#include "renderer/film/frame_list.h"

namespace roundel {
namespace {

/// Problems of a table, one a line; a long list is cut and counted.
class TableProblems {
 public:
  explicit TableProblems(const std::string& path) : path_(path) {}
  void add(const std::string& problem) {
    constexpr std::size_t kMaxListed = 20;
    if (count_++ < kMaxListed)
      lines_ += problem;
    else
      ++left_out_;
  }
  void throw_if_any() const {
    if (count_ == 0) return;
    const std::string more =
        left_out_ > 0 ? fmt::format("{}: {} more errors", path_, left_out_) : "";
    throw Error(ExitCode::kInvalidScene, lines_ + more);
  }

 private:
  const std::string& path_;
  Lines lines_;
  std::size_t count_ = 0, left_out_ = 0;
};

/// A part of a name: the text before a field, and the field.
struct NamePart {
  FrameName before;
  std::optional<std::size_t> column;  ///< absent after the last one
};

/// Returns true if the text between braces stands for a frame's number.
bool is_number(std::string_view text) {
  return FrameName("{" + std::string(text) + "}").has_number();
}

bool is_number_of_row(std::string_view name) {
  return name == "row" || name == "frame";
}

/// Replaces {row by {frame, which means the same.
std::string with_frames(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; (at = out.find("{row", at)) != std::string::npos; ++at)
    if (const char next = at + 4 < out.size() ? out[at + 4] : '\0'; next == '}' || next == ':')
      out.replace(at, 4, "{frame");
  return out;
}

/// Throws Error(kUsage) for names without a column.
std::vector<NamePart> split(const std::string& pattern, const Table& table) {
  const std::string text = with_frames(pattern);
  std::vector<NamePart> parts;
  std::size_t begin = 0;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos;) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string name = text.substr(open + 1, close - open - 1);
    if (!is_number(name)) {
      const std::optional<std::size_t> column = find_column(table, name);
      if (!column)
        throw Error(ExitCode::kUsage,
                    fmt::format("--output: {}", missing_column_text(table, name)));
      parts.push_back({FrameName(text.substr(begin, open - begin)), column});
      begin = close + 1;
    }
    open = close + 1;
  }
  parts.push_back({FrameName(text.substr(begin)), std::nullopt});
  return parts;
}

/// Returns true if the pattern has {NAME} or, for a number, {NAME:04}.
bool is_in_pattern(const std::string& pattern, const std::string& name) {
  return pattern.find("{" + name + "}") != std::string::npos ||
         (is_number_of_row(name) && pattern.find("{" + name + ":") != std::string::npos);
}

bool is_part_of_name(std::string_view field) {
  return field.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos &&
         field != "." && field != "..";
}

}  // namespace

SceneTable::SceneTable(const std::string& path)
    : table_(open_csv_texts(std::make_shared<const InputFile>(path))) {
  TableProblems problems(table_->path());
  const std::vector<TableColumn>& columns = table_->columns();
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name.empty())
      problems.add(fmt::format("{}: column {} (counted from 0): expected a name in the first line",
                               path, c));
  if (rows() == 0) problems.add(path + ": expected a row below the columns' names, got none");
  if (table_->rows() > kMaxFrames)
    problems.add(fmt::format("{}: expected at most {} rows, got {}", path, kMaxFrames, rows()));
  problems.throw_if_any();
  std::vector<std::size_t> all(columns.size());
  std::iota(all.begin(), all.end(), 0);
  table_->read(all, 0, table_->rows(), fields_);
  table_->check_unchanged();
  for (std::int64_t row = 0; row < rows(); ++row)
    for (const std::size_t c : all)
      if (fields_.texts(c)[static_cast<std::size_t>(row)].empty())
        problems.add(place(row, c) + ": expected a value, got none");
  problems.throw_if_any();
}

bool SceneTable::has_column(const std::string& name) const {
  return find_column(*table_, name).has_value();
}

std::string SceneTable::place(std::int64_t row, std::size_t column) const {
  return path() + ": " + table_->place_of(static_cast<std::uint64_t>(row), column);
}

std::string SceneTable::place(std::int64_t row) const {
  const std::string in_file = table_->place_of(static_cast<std::uint64_t>(row), 0);
  return path() + ": " + in_file.substr(0, in_file.find(':'));
}

std::vector<VarSetting> SceneTable::settings(std::int64_t row,
                                             const std::vector<std::string>& vars) const {
  std::vector<VarSetting> settings;
  for (const std::string& name : vars) {
    const std::optional<std::size_t> column = find_column(*table_, name);
    if (!column) continue;
    const std::string_view field = fields_.texts(*column)[static_cast<std::size_t>(row)];
    settings.push_back(
        {name, std::string(field), [this, row, c = *column] { return place(row, c); }});
  }
  return settings;
}

void SceneTable::check_columns(const std::vector<std::string>& vars, const std::string& file,
                               const std::string& pattern) const {
  TableProblems problems(path());
  for (const TableColumn& column : table_->columns()) {
    const std::string part = "{" + column.name + "}";
    const bool is_var = std::find(vars.begin(), vars.end(), column.name) != vars.end();
    const bool is_named = is_in_pattern(pattern, column.name);
    if (is_number_of_row(column.name) && (is_named || !is_var)) {
      problems.add(fmt::format(
          "{}: column {}: choose another name: {} in the pictures' names is the row's number",
          path(), column.name, part));
      continue;
    }
    if (is_var || is_named) continue;
    problems.add(fmt::format("{}: column {}: {} has no such var{}, and no {} stands in the names",
                             path(), column.name, file, did_you_mean(column.name, vars), part));
  }
  problems.throw_if_any();
}

FrameName SceneTable::names(const std::string& pattern) const {
  const std::vector<NamePart> parts = split(pattern, *table_);
  const bool differs = parts.size() > 1 || parts.front().before.has_number();
  if (rows() > 1 && !differs)
    throw Error(
        ExitCode::kUsage,
        fmt::format("--output: expected a name with a column of {} as {{{}}}, or the row as "
                    "{{row:04}}, for {} rows, got {}",
                    path(), table_->columns().front().name, rows(), roundel::quoted(pattern)));
  TableProblems problems(path());
  std::vector<std::string> names;
  std::unordered_map<std::string, std::int64_t> row_of;
  for (std::int64_t row = 0; row < rows(); ++row) {
    std::string name;
    for (const auto& [before, column] : parts) {
      name += before.path(row);
      if (!column) break;
      const std::string_view field = fields_.texts(*column)[static_cast<std::size_t>(row)];
      if (!is_part_of_name(field))
        problems.add(fmt::format("{}: expected a part of a file's name, without /, got {}",
                                 place(row, *column), roundel::quoted(field)));
      name += field;
    }
    const auto [other, is_new] = row_of.emplace(name, row);
    if (!is_new)
      problems.add(fmt::format("{}: would be written to {}, as {} would", place(row), name,
                               place(other->second)));
    names.push_back(std::move(name));
  }
  problems.throw_if_any();
  return FrameName::listed(std::move(names));
}

}  // namespace roundel
