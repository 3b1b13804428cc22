#include "renderer/scene/read_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/similar_file.h"
#include "renderer/base/text.h"
#include "renderer/format/number_text.h"
#include "renderer/map/survey_rows.h"
#include "renderer/scene/read_map.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_spec.h"

namespace roundel {
namespace {

std::string column_example(const Table& table) {
  const std::string& name = table.columns()[0].name;
  return name.empty() ? "{column: 0}" : printable(name);
}

/// Marks a column as used; `name` is its name or number.
void add_column(std::string_view name, UsedColumns& used) {
  if (const std::optional<std::int64_t> number = parse_integer(name).value; number && *number >= 0)
    used.numbers.insert(static_cast<std::uint64_t>(*number));
  used.names.emplace(name);
}

/// Adds all columns that a map's value may name.
void add_columns(ValidNode node, UsedColumns& used) {
  if (node.is_list()) {
    for (const ValidNode& item : node.items()) add_columns(item, used);
  } else if (!node.is_map()) {
    used.names.emplace(node.text());
  } else if (const auto column = node.find("column")) {
    add_column(column->text(), used);
  }
}

/// Returns the table with the used columns only.
std::shared_ptr<const Table> table_of(const DataSource& source) {
  std::vector<std::size_t> columns = source.map.columns;
  std::erase_if(columns, [&](std::size_t c) { return c >= source.table->columns().size(); });
  return table_for(source.table, columns);
}

std::string list_missing_files(const DataFilm& film) {
  return missing_files(film, run_of_frames(film.start, film.frames));
}

}  // namespace

void DataReader::note_columns(PartlyValidNode layer) {
  const auto data = layer.find("data");
  if (!data) return;
  UsedColumns& used = used_[std::string(data->text())];
  if (const auto map = layer.find_part("map"))
    for (const char* const key : {"x", "y", "z", "radius", "alpha", "color"})
      if (const auto value = map->find(key)) add_columns(*value, used);
  if (const auto order = layer.find("order")) add_columns(*order, used);
  if (const auto where = layer.find("where"))
    where->for_each_entry(
        [&](std::string_view name, ValidNode /*value*/) { add_column(name, used); });
  const auto columns = layer.find("columns");
  for (std::uint64_t c = 0; columns && c < columns->count(); ++c)
    if (columns->items()[c].text() != kDataColumnNames.back()) used.numbers.insert(c);
}

DataSource DataReader::read(PartlyValidNode layer, const Layer& read_so_far,
                            const std::string& layer_path) {
  layer_path_ = layer_path;
  const Shader shader = read_so_far.shader;
  DataSource source;
  const auto data = layer.find("data");
  const auto columns = layer.find("columns");
  if (columns) source.columns = read_columns(*columns, shader);
  if (!data) return source;
  const std::filesystem::path scene = is_stream_path(path_) ? "" : path_;
  const bool is_file = overrides_.tables.count(data->text()) == 0;
  source.path = is_file ? (scene.parent_path() / data->text()).string() : std::string(data->text());
  const FrameName name{std::string(data->text())};
  std::error_code ignored;
  const bool is_film =
      is_file && name.has_number() && !std::filesystem::exists(source.path, ignored);
  if (is_file && overrides_.on_data_file && !(is_film && animation_))
    overrides_.on_data_file(source.path);
  if (is_film) {
    source.film = read_film(*data, name, scene.parent_path().string(), read_so_far.frames);
    if (!source.film) return source;
    source.path = source.film->path(source.film->start);
  }
  if (const auto dataset = layer.find("dataset")) source.dataset = std::string(dataset->text());
  if (const auto color = layer.find("color")) source.color = read_color(*color);
  source.map = map_of_columns(source.columns, source.color.value_or(DisplayColor{}));
  try {
    const UsedColumns& used = used_.find(data->text())->second;
    const DataFile& file = open_data(source.path, source.dataset, used);
    source.table = file.table;
    source.content_hash = file.content_hash;
    source.fits_float = file.table->fits_float();
    if (source.film) {
      auto film = std::make_shared<DataFilm>(*source.film);
      film->first = TableHead(*file.table);
      film->used = used;
      source.film = std::move(film);
    }
    if (layer.has("map")) read_map(layer, shader, source);
    source.table = table_of(source);
    source.rows = source.table->rows();
    check_texts(layer, source);
    check_film(*data, source);
    if (!layer.has("map") && !columns && !layer.has("columns"))
      errors_.add(data->place(), layer_path_ + ".data",
                  fmt::format("missing key \"map\", as map: {{x: {}, y: ..., radius: 2px}}; {}",
                              column_example(*file.table), describe_columns(*file.table)));
    if (source.rows > kMaxCircles && source.map.is_plain)
      errors_.add(
          data->place(), layer_path_ + ".data",
          fmt::format("{}: {} rows need {} of memory as circles; at most {}", source.path,
                      source.rows, memory_text(static_cast<double>(source.rows) * kBytesPerCircle),
                      kMaxCircles));
    const std::uint64_t file_columns = file.table->columns().size();
    if (columns && file_columns != source.columns.size())
      errors_.add(columns->place(), layer_path_ + ".columns",
                  fmt::format("expected {} names, one for each column of {}, got {}", file_columns,
                              source.path, source.columns.size()));
    for (std::size_t c = 0; columns && c < std::min(file_columns, source.columns.size()); ++c)
      if (source.columns[c] != DataColumn::kIgnored && file.table->columns()[c].is_text)
        errors_.add(columns->place(), fmt::format("{}.columns[{}]", layer_path_, c),
                    fmt::format("expected a column of numbers, but this column of {} holds texts",
                                source.path));
    check_colors(layer, source);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInvalidScene) throw;
    for (const std::string& line : error.lines())
      errors_.add(data->place(), layer_path_ + ".data", line);
  }
  return source;
}

std::shared_ptr<const DataFilm> DataReader::read_film(
    ValidNode data, const FrameName& name, const std::string& folder,
    const std::optional<std::array<double, 2>>& shown) {
  auto film = std::make_shared<DataFilm>();
  film->folder = folder;
  film->name = name;
  const auto fail = [&](const std::string& problem) {
    errors_.add(data.place(), layer_path_ + ".data", problem);
    return nullptr;
  };
  if (!animation_)
    return fail(fmt::format(
        "{}: no such file; for one file per frame add \"animation\", as animation: {{frames: 60}}",
        (std::filesystem::path(folder) / data.text()).string()));
  std::int64_t first = animation_->start, last = first + animation_->frames - 1;
  if (shown && (*shown)[0] <= static_cast<double>(last) &&
      static_cast<double>(first) <= (*shown)[1]) {
    first = std::max(first, static_cast<std::int64_t>(std::ceil((*shown)[0])));
    last = std::min(last, static_cast<std::int64_t>(std::floor((*shown)[1])));
  }
  film->start = first;
  film->frames = std::max<std::int64_t>(1, last - first + 1);
  for (std::int64_t i = 0; overrides_.on_data_file && i < film->frames; ++i)
    overrides_.on_data_file(film->path(film->start + i));
  if (!missing_files(*film, {film->start}).empty()) return fail(list_missing_files(*film));
  return film;
}

void DataReader::check_film(ValidNode data, const DataSource& source) {
  if (!source.film || !(fits_films_ || needs_film(source.map))) return;
  const std::string missing = list_missing_files(*source.film);
  if (!missing.empty()) errors_.add(data.place(), layer_path_ + ".data", missing);
}

void DataReader::read_map(PartlyValidNode layer, Shader shader, DataSource& source) {
  source.map = read_data_map(layer, *source.table, layer_path_, errors_);
  DataMap& map = source.map;
  const auto node = layer.find_part("map");
  if (shader == Shader::kSnow && node && !node->has("z"))
    errors_.add(node->place(), layer_path_ + ".map",
                "missing key \"z\", which the snow shader needs");
  if (source.color && node && !node->has("color")) map.color.constant = *source.color;
}

void DataReader::check_texts(PartlyValidNode layer, const DataSource& source) {
  const auto map = layer.find_part("map");
  const auto color = map ? map->find("color") : std::nullopt;
  if (!color) return;
  if (const std::string problem = problem_of_colors(*source.table, source.map); !problem.empty())
    errors_.add(color->place(), layer_path_ + ".map.color", problem);
}

void DataReader::check_colors(PartlyValidNode layer, const DataSource& source) {
  const auto map = layer.find_part("map");
  const auto has_column = [&](DataColumn first, DataColumn last) {
    return std::any_of(source.columns.begin(), source.columns.end(),
                       [&](DataColumn column) { return column >= first && column <= last; });
  };
  const auto check = [&](const char* key, bool in_columns) {
    const auto node = layer.find(key);
    if (node && (in_columns || (map && map->has(key))))
      errors_.add(node->place(), fmt::format("{}.{}", layer_path_, key),
                  "the layer's data already have it; remove this key");
  };
  check("color", has_column(DataColumn::kRed, DataColumn::kBlue));
  check("alpha", has_column(DataColumn::kAlpha, DataColumn::kAlpha));
}

std::vector<DataColumn> DataReader::read_columns(ValidNode list, Shader shader) {
  std::vector<DataColumn> columns = scene_forms().columns.read(list);
  const auto has = [&](DataColumn column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const std::vector<ValidNode> items = list.items();
  std::set<DataColumn> known;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c] != DataColumn::kIgnored && !known.insert(columns[c]).second)
      errors_.add(items[c].place(), fmt::format("{}.columns[{}]", layer_path_, c),
                  fmt::format("column \"{}\" occurs twice", items[c].text()));
  for (const DataColumn column : {DataColumn::kX, DataColumn::kY, DataColumn::kRadius}) {
    if (!has(column))
      errors_.add(
          list.place(), layer_path_ + ".columns",
          fmt::format("missing column \"{}\"", kDataColumnNames[static_cast<std::size_t>(column)]));
  }
  if (shader == Shader::kSnow && !has(DataColumn::kZ))
    errors_.add(list.place(), layer_path_ + ".columns",
                "missing column \"z\", which the snow shader needs");
  return columns;
}

std::uint64_t DataReader::memory_left() const {
  std::uint64_t left = max_data_bytes(overrides_.memory);
  for (const auto& [name, file] : files_) left -= std::min(left, file.table->memory_bytes());
  return left;
}

const DataReader::DataFile& DataReader::open_data(const std::string& path,
                                                  const std::string& dataset,
                                                  const UsedColumns& used) {
  const auto table_in_memory = overrides_.tables.find(path);
  if (table_in_memory != overrides_.tables.end()) {
    if (!table_in_memory->second)
      throw Error(ExitCode::kUsage, path + ": expected a table, got a null pointer");
    if (!dataset.empty())
      throw Error(ExitCode::kInvalidScene, path + ": " + std::string(kNoDatasets));
    return files_[{path, dataset}] = {table_in_memory->second};  // hashed on demand
  }
  const auto known = files_.find({path, dataset});
  if (known != files_.end()) return known->second;
  check_file_exists(path, {".csv", ".tsv", ".txt", ".npy", ".npz", ".h5", ".h5ad", ".ply"});
  std::shared_ptr<const Table> table = open_table(path, {dataset, {}, used, memory_left()});
  const std::uint64_t content_hash = table->content_hash();
  return files_.emplace(std::pair(path, dataset), DataFile{std::move(table), content_hash})
      .first->second;
}

}  // namespace roundel
