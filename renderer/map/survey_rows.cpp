#include "renderer/map/survey_rows.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/map/rank_finder.h"

namespace roundel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// low > high without numbers.
struct Range {
  double low = kInfinity, high = -kInfinity;

  void add(double value) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  void add(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

struct ScaleTask {
  Scale* scale;
  Slot slot;
  std::vector<RankFinder::Share> shares;
  std::optional<RankFinder> finder;  ///< absent if the range is enough
  bool is_open = false;              ///< needs another pass
  Range range;
};

struct ThreadResults {
  MappedRun run;
  std::vector<double> inputs;
  std::vector<Range> scales;  ///< by task
  std::vector<RankFinder::Counts> ranks;
  std::vector<Range> columns;  ///< by slot
  std::vector<std::uint64_t> missing;
  MissingRows missing_rows;
  std::set<std::string_view> category_texts;  ///< texts owned by the survey
  std::set<double> category_numbers;
  Range x, y, starts;
  std::uint64_t dropped = 0, bad = 0, order_text_bytes = 0, reading_bytes = 0;
  std::uint64_t first_bad = std::numeric_limits<std::uint64_t>::max();
};

std::uint64_t thread_count() {
  return static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
}

/// `is_film`: without scales over each frame.
std::vector<ScaleTask> tasks_of(DataMap& map, bool is_film) {
  std::vector<ScaleTask> tasks;
  for_each_scale(map, [&](Scale& scale, Slot slot) {
    if (scale.is_settled || (is_film && scale.is_over_frame)) return;
    scale.ends.clear();
    if (!needs_data(scale)) {
      scale.ends = {(*scale.domain)[0].value, (*scale.domain)[1].value};
      return;
    }
    std::vector<RankFinder::Share> shares;
    for (std::uint64_t k = 0; scale.kind == ScaleKind::kRank && k <= kRankSteps; ++k)
      shares.push_back({k, kRankSteps});
    if (scale.domain && scale.kind != ScaleKind::kRank)
      for (const DomainEnd& end : *scale.domain)
        if (end.is_percentile) shares.push_back(RankFinder::share_of_percent(end.value));
    tasks.push_back({&scale, slot, std::move(shares), {}, {}, {}});
  });
  return tasks;
}

std::size_t column_count(const DataMap& map, Slot slot) {
  return is_moving(slot) ? moving_number(map, slot).keys.size() : 1;
}

/// Kept numbers in the scale's input, those of all keys.
void collect_inputs(const MappedRun& run, const DataMap& map, const ScaleTask& task,
                    std::vector<double>& inputs) {
  inputs.clear();
  for_each_column(map, task.slot, 1, [&](Slot slot, double /*one*/) {
    const std::span<const double> values = run.numbers(slot);
    for (const std::uint32_t i : run.kept)
      if (accepts(task.scale->kind, values[i])) inputs.push_back(values[i]);
  });
}

/// Frames of the keys of places; 0 without any.
std::vector<double> frames_of_places(const DataMap& map) {
  std::set<double> frames;
  for (const NumberMap* number : {&map.x, &map.y})
    if (number->slot && is_moving(*number->slot)) {
      const std::vector<double>& of_keys = moving_number(map, *number->slot).times.frames;
      frames.insert(of_keys.begin(), of_keys.end());
    }
  if (frames.empty()) frames.insert(0);
  return {frames.begin(), frames.end()};
}

struct SurveyedTable {
  /// Keeps references to both.
  SurveyedTable(const Table& table, const DataMap& map)
      : mapper(table, map),
        rows(table.rows()),
        block_rows(block_rows_of(table, map.columns)),
        kept((rows + block_rows - 1) / block_rows) {}

  std::uint64_t first_of(std::uint64_t block) const { return block * block_rows; }
  std::uint64_t rows_of(std::uint64_t block) const {
    return std::min(block_rows, rows - first_of(block));
  }

  RowMapper mapper;
  std::uint64_t rows, block_rows;
  std::vector<std::uint64_t> kept;  ///< by block, after the first pass
};

class Survey {
 public:
  /// `map` was made for `first`.
  Survey(TableHead first, DataMap& map, const LayerMove& move, std::uint64_t memory, bool is_film)
      : first_(std::move(first)),
        map_(map),
        move_(move),
        memory_(memory),
        is_film_(is_film),
        tasks_(tasks_of(map, is_film)),
        frames_(frames_of_places(map)),
        collects_categories_(has_data_categories(map.color) && !map.color.is_settled &&
                             !(is_film && map.color.is_over_frame)) {
    for (const ScaleTask& task : tasks_)
      if (!task.shares.empty()) facts_.percentile_scales += column_count(map, task.slot);
    const PercentileMemory allowed(0, facts_.percentile_scales, memory);
    for (ScaleTask& task : tasks_) {
      if (task.shares.empty()) continue;
      task.finder.emplace(std::move(task.shares), allowed.part_bytes);
      task.is_open = true;
    }
  }

  DataFacts go(const TableList& tables) {
    for_each_table(tables, [this](SurveyedTable& table) { first_pass(table); });
    join();
    while (end_passes()) {
      if (keeps_numbers_)
        count_kept();
      else
        for_each_table(tables, [this](SurveyedTable& table) { further_pass(table); });
    }
    for (ScaleTask& task : tasks_) {
      set_ends(task);
      task.scale->is_settled |= is_film_;
    }
    map_.color.is_settled |= is_film_ && collects_categories_;
    return std::move(facts_);
  }

 private:
  template <typename Visit>
  void for_each_table(const TableList& tables, const Visit& visit) {
    for (std::size_t i = 0; i < tables.count; ++i) {
      std::shared_ptr<const Table> table = tables.open(i);
      const DataMap fitted = is_film_ ? map_for(*table, first_, map_) : DataMap();
      if (is_film_) table = table_for(std::move(table), fitted.columns);
      SurveyedTable surveyed(*table, is_film_ ? fitted : map_);
      visit(surveyed);
    }
  }

  /// Calls visit(block, found) on many threads; found.run has the rows.
  template <typename Visit>
  void for_each_block(const SurveyedTable& table, const Visit& visit) {
    tbb::parallel_for(std::uint64_t{0}, table.kept.size(), [&](std::uint64_t block) {
      ThreadResults& found = threads_.local();
      found.scales.resize(tasks_.size());
      found.ranks.resize(tasks_.size());
      found.columns.resize(map_.columns.size());
      found.missing.resize(map_.columns.size());
      table.mapper.read(table.first_of(block), table.rows_of(block), RowUse::kSurvey, found.run);
      visit(block, found);
    });
    table.mapper.table().check_unchanged();
  }

  void first_pass(SurveyedTable& surveyed) {
    const Table& table = surveyed.mapper.table();
    keep_numbers(surveyed.rows);
    if (table.is_in_memory()) table.forget_rounded();
    for_each_block(surveyed, [&](std::uint64_t block, ThreadResults& found) {
      survey_block(surveyed, block, found);
    });
    std::uint64_t bad = 0, first_bad = std::numeric_limits<std::uint64_t>::max();
    for (const ThreadResults& found : threads_) {
      bad += found.bad;
      first_bad = std::min(first_bad, found.first_bad);
    }
    if (bad > 0 && !map_.skips_invalid) surveyed.mapper.fail_for(first_bad, bad);
    report_rounded(table, surveyed.mapper.map());
    facts_.rows += surveyed.rows;
    facts_.block_rows = surveyed.block_rows;
    for (const std::uint64_t kept : surveyed.kept) facts_.kept += kept;
    if (is_film_ || facts_.kept == facts_.rows) return;
    facts_.kept_rows_before = {0};
    for (const std::uint64_t kept : surveyed.kept)
      facts_.kept_rows_before.push_back(facts_.kept_rows_before.back() + kept);
  }

  void further_pass(const SurveyedTable& table) {
    for_each_block(table, [&](std::uint64_t /*block*/, ThreadResults& found) {
      for (std::size_t k = 0; k < tasks_.size(); ++k) {
        if (!tasks_[k].is_open) continue;
        collect_inputs(found.run, map_, tasks_[k], found.inputs);
        tasks_[k].finder->count(found.inputs, found.ranks[k]);
      }
    });
  }

  /// Reports rounded numbers of compared columns; an order by keys is exact.
  void report_rounded(const Table& table, const DataMap& map) {
    std::vector<Slot> slots = compared_slots(map);
    if (map.order && !table.columns()[map.columns[map.order->slot]].has_order_keys)
      slots.push_back(map.order->slot);
    std::set<std::size_t> columns;
    for (const Slot slot : slots) columns.insert(map.columns[slot]);
    for (const std::size_t column : columns)
      if (const auto rounding = table.rounding_of(column)) facts_.rounded.push_back(*rounding);
  }

  /// Allocates for a table of `rows` rows, within the limit.
  void keep_numbers(std::uint64_t rows) {
    keeps_numbers_ &=
        PercentileMemory(facts_.rows + rows, facts_.percentile_scales, memory_).keeps_numbers;
    if (!keeps_numbers_) return numbers_.clear();
    numbers_.resize(tasks_.size());
    for (std::size_t k = 0; k < tasks_.size(); ++k)
      if (tasks_[k].finder) numbers_[k].emplace_back(rows * column_count(map_, tasks_[k].slot));
  }

  /// A pass over kept numbers.
  void count_kept() {
    constexpr std::size_t kTaskNumbers = 8192;
    for (std::size_t k = 0; k < tasks_.size(); ++k)
      for (const Buffer<double>& numbers : numbers_[k])
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tasks_[k].is_open ? numbers.size() : 0,
                                                          kTaskNumbers),
                          [&](const tbb::blocked_range<std::size_t>& range) {
                            ThreadResults& found = threads_.local();
                            found.ranks.resize(tasks_.size());
                            tasks_[k].finder->count(
                                numbers.span().subspan(range.begin(), range.size()),
                                found.ranks[k]);
                          });
  }

  void survey_block(SurveyedTable& table, std::uint64_t block, ThreadResults& found) {
    MappedRun& run = found.run;
    table.kept[block] = run.kept.size();
    found.dropped += run.dropped;
    found.bad += run.bad;
    found.first_bad = std::min(found.first_bad, run.first_bad);
    // Kept columns use the scratch memory only if in a temporary file.
    const std::uint64_t scratch =
        table.mapper.table().keeps_columns() ? run.rows.scratch().size() : 0;
    found.reading_bytes = std::max(found.reading_bytes, run.rows.memory_bytes() - scratch);
    for (const double frame : frames_) {
      const auto [x, y] = table.mapper.centers_at(run, frame);
      for (const std::uint32_t i : run.kept) {
        const auto [moved_x, moved_y] = move_(x[i], y[i]);
        found.x.add(moved_x);
        found.y.add(moved_y);
      }
    }
    if (map_.motion && map_.motion->start.slot) {
      const std::span<const double> starts = table.mapper.starts(run);
      for (const std::uint32_t i : run.kept) found.starts.add(starts[i]);
    }
    for (Slot slot = 0; slot < map_.columns.size(); ++slot)
      if (!is_text(slot)) add_column(run, slot, found);
    count_missing(run, found.missing_rows);
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      collect_inputs(run, map_, tasks_[k], found.inputs);
      for (const double value : found.inputs) found.scales[k].add(value);
      if (!tasks_[k].finder) continue;
      tasks_[k].finder->count(found.inputs, found.ranks[k]);
      if (!keeps_numbers_) continue;
      const std::size_t columns = column_count(map_, tasks_[k].slot);
      const std::span<double> place = numbers_[k].back().span().subspan(
          columns * table.first_of(block), columns * table.rows_of(block));
      std::fill(std::copy(found.inputs.begin(), found.inputs.end(), place.begin()), place.end(),
                std::numeric_limits<double>::quiet_NaN());  // finders ignore it
    }
    if (collects_categories_) add_categories(run, found);
    if (map_.order && is_text(map_.order->slot))
      for (const std::uint32_t i : run.kept)
        found.order_text_bytes += run.texts(map_.order->slot)[i].size();
  }

  bool is_text(Slot slot) const { return first_.columns[map_.columns[slot]].is_text; }

  static void add_column(const MappedRun& run, Slot slot, ThreadResults& found) {
    const std::span<const double> values = run.numbers(slot);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (run.passes[i] == 0) continue;
      if (accepts(ScaleKind::kLinear, values[i]))
        found.columns[slot].add(values[i]);
      else
        ++found.missing[slot];
    }
  }

  void count_missing(const MappedRun& run, MissingRows& missing) const {
    const auto count_if = [&run](const auto& is_missing) {
      return static_cast<std::uint64_t>(
          std::count_if(run.kept.begin(), run.kept.end(), is_missing));
    };
    const auto count_invalid = [&](Slot slot, ScaleKind kind) {  // at any key
      return count_if([&](std::uint32_t i) {
        bool is_valid = true;
        for_each_column(map_, slot, 1, [&](Slot column, double /*one*/) {
          is_valid &= accepts(kind, run.numbers(column)[i]);
        });
        return !is_valid;
      });
    };
    const auto count_sizes = [&](const SizeMap& size) {
      return size.slot && size.scale && size.missing ? count_invalid(*size.slot, size.scale->kind)
                                                     : 0;
    };
    missing.radius += count_sizes(map_.radius);
    if (map_.alpha) missing.alpha += count_sizes(*map_.alpha);
    const ColorMap& color = map_.color;
    if (!color.missing) return;
    if (color.kind == ColorMap::Kind::kScale) {
      missing.color += count_invalid(color.slot, color.scale.kind);
    } else if (color.kind == ColorMap::Kind::kText) {
      const std::span<const std::string_view> texts = run.texts(color.slot);
      missing.color += count_if([&](std::uint32_t i) { return !parse_hex_color(texts[i]); });
    } else if (color.kind == ColorMap::Kind::kCategories) {
      if (!has_data_categories(color) || color.is_settled)
        missing.color += count_if([&](std::uint32_t i) { return run.categories[i] < 0; });
      else if (is_text(color.slot))
        missing.color +=
            count_if([&](std::uint32_t i) { return run.texts(color.slot)[i].empty(); });
      else
        missing.color += count_invalid(color.slot, ScaleKind::kLinear);
    }
  }

  void add_categories(const MappedRun& run, ThreadResults& found) {
    if (is_text(map_.color.slot)) {
      const std::span<const std::string_view> texts = run.texts(map_.color.slot);
      std::string_view last;
      for (const std::uint32_t i : run.kept) {
        if (texts[i].empty() || texts[i] == last) continue;
        last = texts[i];
        if (found.category_texts.find(last) == found.category_texts.end())
          found.category_texts.insert(shared_category(last));
      }
    } else {
      const std::span<const double> values = run.numbers(map_.color.slot);
      for (const std::uint32_t i : run.kept)
        if (accepts(ScaleKind::kLinear, values[i])) found.category_numbers.insert(values[i] + 0.0);
    }
    check_categories(std::max(found.category_texts.size(), found.category_numbers.size()));
  }

  /// One copy for all threads.
  std::string_view shared_category(std::string_view text) {
    constexpr std::uint64_t kEntryBytes = 256;  // in all containers
    const std::lock_guard lock(category_mutex_);
    if (const auto existing = category_texts_.find(text); existing != category_texts_.end())
      return *existing;
    const bool fits = facts_.category_bytes <= (memory_ > 0 ? memory_ : physical_memory() / 2);
    const XXH128_hash_t hash = fits ? XXH128_hash_t{} : XXH3_128bits(text.data(), text.size());
    const auto [entry, is_new] = category_texts_.insert(
        fits ? std::string(text) : fmt::format("{:016x}{:016x}", hash.high64, hash.low64));
    if (is_new) facts_.category_bytes += text.size() + kEntryBytes;
    return *entry;
  }

  void check_categories(std::size_t count) const {
    if (count <= kMaxCategories) return;
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: {}: more than {} different values are too many for categories",
                            first_.path, name_of(map_.color.slot), kMaxCategories));
  }

  std::string name_of(Slot slot) const {
    const std::string& name = first_.columns[map_.columns[slot]].name;
    return name.empty() ? fmt::format("column {}", map_.columns[slot]) : printable(name);
  }

  /// Joins the results of the first pass.
  void join() {
    ThreadResults all;
    all.scales.resize(tasks_.size());
    all.columns.resize(map_.columns.size());
    all.missing.resize(map_.columns.size());
    for (ThreadResults& found : threads_) {
      facts_.dropped += found.dropped;
      facts_.order_text_bytes += found.order_text_bytes;
      facts_.reading_bytes = std::max(facts_.reading_bytes, found.reading_bytes);
      found.category_texts.clear();
      facts_.missing.color += found.missing_rows.color;
      facts_.missing.alpha += found.missing_rows.alpha;
      facts_.missing.radius += found.missing_rows.radius;
      all.bad += found.bad;
      all.x.add(found.x);
      all.y.add(found.y);
      all.starts.add(found.starts);
      for (std::size_t k = 0; k < tasks_.size(); ++k) all.scales[k].add(found.scales[k]);
      for (Slot slot = 0; slot < map_.columns.size(); ++slot) {
        all.columns[slot].add(found.columns[slot]);
        all.missing[slot] += found.missing[slot];
      }
      all.category_numbers.merge(found.category_numbers);
    }
    check_categories(std::max(category_texts_.size(), all.category_numbers.size()));
    facts_.skipped = all.bad;
    facts_.left = all.x.low;
    facts_.right = all.x.high;
    facts_.bottom = all.y.low;
    facts_.top = all.y.high;
    if (all.starts.low <= all.starts.high) map_.motion->starts = {all.starts.low, all.starts.high};
    for (std::size_t k = 0; k < tasks_.size(); ++k) tasks_[k].range = all.scales[k];
    for (Slot slot = 0; slot < map_.columns.size(); ++slot)
      if (!is_text(slot))
        facts_.columns.push_back({name_of(slot), all.columns[slot].low, all.columns[slot].high,
                                  all.missing[slot], slot});
    if (collects_categories_) make_categories(all.category_numbers);
  }

  void make_categories(const std::set<double>& numbers) {
    ColorMap& color = map_.color;
    color.categories.clear();
    const auto next = [&color] {
      return color.palette[color.categories.size() % color.palette.size()];
    };
    while (!category_texts_.empty())
      color.categories.push_back(Category::of_text(
          std::move(category_texts_.extract(category_texts_.begin()).value()), next()));
    for (const double number : numbers) color.categories.push_back({{}, number, next()});
  }

  /// False after the last pass.
  bool end_passes() {
    bool is_any_open = false;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (!tasks_[k].is_open) continue;
      for (ThreadResults& found : threads_)
        tasks_[k].finder->add(std::exchange(found.ranks[k], {}));
      tasks_[k].is_open = tasks_[k].finder->end_pass();
      is_any_open |= tasks_[k].is_open;
    }
    return is_any_open;
  }

  static void set_ends(ScaleTask& task) {
    if (task.range.low > task.range.high) return;  // without numbers
    Scale& scale = *task.scale;
    if (scale.kind == ScaleKind::kRank) {
      scale.ends = task.finder->percentiles();
      return;
    }
    scale.ends = {task.range.low, task.range.high};
    std::size_t percentile = 0;
    for (std::size_t end = 0; scale.domain && end < 2; ++end)
      scale.ends[end] = (*scale.domain)[end].is_percentile
                            ? task.finder->percentiles()[percentile++]
                            : (*scale.domain)[end].value;
  }

  TableHead first_;
  DataMap& map_;
  PointMove move_;
  std::uint64_t memory_;
  bool is_film_;
  std::vector<ScaleTask> tasks_;
  std::vector<double> frames_;  ///< keys of places, which the window covers
  bool keeps_numbers_ = true, collects_categories_;
  std::vector<std::vector<Buffer<double>>> numbers_;  ///< by task and table, [rows]
  std::mutex category_mutex_;
  std::set<std::string, std::less<>> category_texts_;
  tbb::enumerable_thread_specific<ThreadResults> threads_;
  DataFacts facts_;
};

/// Row of the first text, if none is #rrggbb and some are not empty.
std::optional<std::uint64_t> row_without_colors(const Table& table, std::size_t column) {
  const std::size_t columns[] = {column};
  const std::uint64_t block_rows = block_rows_of(table, columns);
  std::optional<std::uint64_t> found = table.columns()[column].first_text;
  TableRows rows;
  for (std::uint64_t first = 0; first < table.rows(); first += block_rows) {
    table.read(columns, first, std::min(block_rows, table.rows() - first), rows);
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::string_view text = rows.texts(0)[i];
      if (parse_hex_color(text)) return std::nullopt;
      if (!found && !text.empty()) found = first + i;
    }
  }
  return found;
}

}  // namespace

std::uint64_t DataFacts::kept_before_block(std::uint64_t block) const {
  return kept_rows_before.empty() ? std::min(block * block_rows, rows) : kept_rows_before[block];
}

std::uint64_t DataFacts::block_of(std::uint64_t kept_row) const {
  if (kept_rows_before.empty()) return kept_row / block_rows;
  return static_cast<std::uint64_t>(
      std::upper_bound(kept_rows_before.begin(), kept_rows_before.end(), kept_row) -
      kept_rows_before.begin() - 1);
}

PercentileMemory::PercentileMemory(std::uint64_t rows, std::size_t scales, std::uint64_t memory) {
  constexpr std::uint64_t kMaxKeptRows = std::uint64_t{1} << 23;
  constexpr std::uint64_t kShare = 6;  // shares for numbers and for finders
  const std::uint64_t numbers = scales * block_memory(rows * sizeof(double));
  const std::uint64_t parts = std::max<std::uint64_t>(1, scales * (thread_count() + 1));
  keeps_numbers = rows <= kMaxKeptRows && (memory == 0 || numbers <= memory / kShare);
  part_bytes = RankFinder::kMaxPartBytes;
  if (memory > 0)
    part_bytes = std::clamp(memory / kShare / parts, RankFinder::kMinPartBytes, part_bytes);
  bytes = (keeps_numbers ? numbers : 0) +
          scales * RankFinder::memory_bytes(rows, part_bytes, thread_count());
}

DataFacts survey_rows(const Table& table, DataMap& map, const LayerMove& move,
                      std::uint64_t memory) {
  const auto borrow = [&table](std::size_t /*index*/) {
    return std::shared_ptr<const Table>(std::shared_ptr<const Table>(), &table);
  };
  return Survey(TableHead(table), map, move, memory, false).go({1, borrow});
}

DataFacts survey_film(const TableList& tables, const TableHead& first, DataMap& map,
                      const LayerMove& move, std::uint64_t memory) {
  return Survey(first, map, move, memory, true).go(tables);
}

std::string problem_of_colors(const Table& table, const DataMap& map) {
  if (map.color.kind != ColorMap::Kind::kText) return "";
  const std::size_t column = map.columns[map.color.slot];
  const std::optional<std::uint64_t> row = row_without_colors(table, column);
  if (!row) return "";
  const std::string& name = table.columns()[column].name;
  const std::string shown = name.empty() ? fmt::to_string(column) : roundel::quoted(name);
  return fmt::format(
      "none of the texts of {}{} of {} is a colour #rrggbb, first in {}: {}; for kinds write "
      "color: {{column: {}, categories: tab10}}{}",
      name.empty() ? "column " : "", shown, table.path(), table.row_place(*row),
      roundel::quoted(text_at(table, *row, column)), shown,
      table.columns()[column].first_text ? ", and write missing numbers as empty fields, NA or nan"
                                         : "");
}

DataMap map_for(const Table& table, const TableHead& first, const DataMap& map) {
  DataMap fitted = map;
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::kInvalidScene, problem);
  };
  for (std::size_t& column : fitted.columns) {
    const TableColumn& wanted = first.columns[column];
    if (!wanted.name.empty()) {
      const std::optional<std::size_t> found = find_column(table, wanted.name);
      if (!found) fail(missing_column_text(table, wanted.name));
      column = *found;
    } else if (column >= table.columns().size()) {
      fail(fmt::format("{}: expected at least {}, as {} has, got {}", table.path(),
                       counted(column + 1, "column"), first.path, table.columns().size()));
    }
    const TableColumn& got = table.columns()[column];
    if (got.is_text != wanted.is_text && table.rows_of(column) > 0) {
      const std::uint64_t row = got.first_text.value_or(0);
      const std::string place = got.is_text        ? table.place_of(row, column)
                                : got.name.empty() ? fmt::format("column {}", column)
                                                   : roundel::quoted(got.name);
      fail(fmt::format("{}: {}: expected {}, as {} has, got {}", table.path(), place,
                       wanted.is_text ? "texts" : "numbers", first.path,
                       got.is_text ? roundel::quoted(text_at(table, row, column)) : "numbers"));
    }
  }
  for (std::size_t c = 0; c < fitted.color.channels.size(); ++c)
    if (const auto slot = fitted.color.channels[c].slot)
      fitted.color.ones[c] = table.columns()[fitted.columns[*slot]].one;
  if (fitted.alpha && fitted.alpha->slot && !fitted.alpha->scale && !fitted.is_plain)
    fitted.alpha->one = table.columns()[fitted.columns[*fitted.alpha->slot]].one;
  if (const std::string problem = problem_of_colors(table, fitted); !problem.empty()) fail(problem);
  return fitted;
}

bool needs_film(const DataMap& map) {
  bool needs = has_data_categories(map.color) && !map.color.is_over_frame;
  for_each_scale(map, [&](const Scale& scale, Slot /*slot*/) {
    needs |= needs_data(scale) && !scale.is_over_frame;
  });
  return needs;
}

}  // namespace roundel
