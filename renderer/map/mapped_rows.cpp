#include "renderer/map/mapped_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr double kMaxStart = 1e7;  ///< frames
constexpr double kNoStart = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallestRadius = std::numeric_limits<float>::denorm_min();
constexpr const char* kFarHint =
    "; numbers this large are too coarse for places: subtract a common offset from the data";
static_assert(kMaxDataCoordinate == 1e15 && kMaxCoordinate == 1e6 && kMaxColor == 1e6,
              "the texts below say so");

/// Clears flags outside [low, high] and of NaN.
void keep_range(std::span<const double> values, double low, double high,
                std::vector<std::uint8_t>& flags) {
  for (std::size_t i = 0; i < values.size(); ++i)
    flags[i] &= static_cast<std::uint8_t>(static_cast<int>(values[i] >= low) &
                                          static_cast<int>(values[i] <= high));
}

/// Smallest number that the path of a slot with keys accepts.
double least_at_keys(const DataMap& map, Slot slot) {
  const bool is_exponential =
      is_moving(slot) && moving_number(map, slot).times.path == KeyPath::kExponential;
  return is_exponential ? std::numeric_limits<double>::denorm_min()
                        : -std::numeric_limits<double>::infinity();
}

/// `values` ascend; NaN is not contained.
template <typename T, typename Values>
bool contains(const Values& values, const T& value) {
  const auto found = std::lower_bound(values.begin(), values.end(), value);
  return found != values.end() && *found == value;
}

void keep_condition(const MappedRun& run, const Condition& condition, bool is_text,
                    std::vector<std::uint8_t>& flags) {
  const auto drop_unless = [&flags](std::size_t i, bool stays) {
    flags[i] &= static_cast<std::uint8_t>(stays);
  };
  if (is_text) {
    const std::span<const std::string_view> texts = run.texts(condition.slot);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (condition.has_in)
        drop_unless(i, !texts[i].empty() && contains(condition.in_texts, texts[i]));
      if (!condition.not_texts.empty()) drop_unless(i, !contains(condition.not_texts, texts[i]));
    }
    return;
  }
  const std::span<const double> values = run.numbers(condition.slot);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (condition.min || condition.max)
    keep_range(values, condition.min.value_or(-kInfinity), condition.max.value_or(kInfinity),
               flags);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (condition.has_in) drop_unless(i, contains(condition.in_numbers, values[i]));
    if (!condition.not_numbers.empty()) drop_unless(i, !contains(condition.not_numbers, values[i]));
  }
}

constexpr double kMaxNumber = std::numeric_limits<double>::max();

/// Smallest number in the scale's input.
double least_input(ScaleKind kind) {
  return kind == ScaleKind::kLog    ? std::numeric_limits<double>::denorm_min()
         : kind == ScaleKind::kSqrt ? 0
                                    : -kMaxNumber;
}

}  // namespace

RowMapper::RowMapper(const Table& table, const DataMap& map)
    : table_(table),
      map_(map),
      where_(map.where),
      for_survey_(columns_of(map, RowUse::kSurvey)),
      for_circles_(columns_of(map, RowUse::kCircles)),
      for_order_(columns_of(map, RowUse::kOrder)) {
  for (Condition& condition : where_) {
    for (std::vector<double>* numbers : {&condition.in_numbers, &condition.not_numbers})
      std::sort(numbers->begin(), numbers->end());
    for (std::vector<std::string>* texts : {&condition.in_texts, &condition.not_texts})
      std::sort(texts->begin(), texts->end());
  }
  if (map.color.kind != ColorMap::Kind::kCategories) return;
  const bool is_text = table.columns()[map.columns[map.color.slot]].is_text;
  for (std::size_t c = 0; c < map.color.categories.size(); ++c) {
    const auto index = static_cast<std::int32_t>(c);
    if (is_text)
      text_categories_.emplace(map.color.categories[c].text, index);
    else
      number_categories_.emplace_back(map.color.categories[c].number, index);
  }
  std::sort(number_categories_.begin(), number_categories_.end());
}

RowMapper::Columns RowMapper::columns_of(const DataMap& map, RowUse use) {
  std::vector<std::uint8_t> needed(map.columns.size(), use == RowUse::kSurvey ? 1 : 0);
  for (const Condition& condition : map.where) needed[condition.slot] = 1;
  if (use == RowUse::kOrder && map.order) needed[map.order->slot] = 1;
  if (use == RowUse::kCircles || map.skips_invalid) {
    const auto need = [&](const std::optional<Slot>& slot) {
      const auto set = [&](Slot column, double /*one*/) { needed[column] = 1; };
      if (slot) for_each_column(map, *slot, 1, set);
    };
    for (const NumberMap* number : {&map.x, &map.y, &map.z}) need(number->slot);
    need(map.radius.slot);
    if (map.alpha) need(map.alpha->slot);
    if (map.motion) need(map.motion->start.slot);
    if (map.color.kind == ColorMap::Kind::kChannels)
      for (const NumberMap& channel : map.color.channels) need(channel.slot);
    else if (map.color.kind != ColorMap::Kind::kConstant)
      need(map.color.slot);
  }
  Columns columns;
  columns.places.resize(needed.size());
  for (Slot slot = 0; slot < needed.size(); ++slot) {
    if (needed[slot] == 0) continue;
    columns.places[slot] = columns.of_table.size();
    columns.of_table.push_back(map.columns[slot]);
  }
  return columns;
}

std::uint64_t RowMapper::bytes_of_row() const {
  const bool has_z = !map_.z.slot, has_t = map_.color.kind == ColorMap::Kind::kScale;
  const std::uint64_t numbers = (map_.x.slot ? 0 : 1) + (map_.y.slot ? 0 : 1) + (has_z ? 1 : 0) +
                                (has_t ? 1 : 0) + 2 +  // radii and alphas
                                (map_.motion ? map_.motion->numbers.size() + 1 : 0);
  return numbers * sizeof(double) + sizeof(DisplayColor) + 2 * sizeof(std::uint32_t) +
         sizeof(std::int32_t) + 2;  // kept and selected rows, categories, flags
}

void RowMapper::start(std::uint64_t first, std::size_t count, RowUse use, MappedRun& run) const {
  const Columns& columns = use == RowUse::kSurvey    ? for_survey_
                           : use == RowUse::kCircles ? for_circles_
                                                     : for_order_;
  table_.read(columns.of_table, first, count, run.rows);
  run.held = nullptr;
  run.places = &columns.places;
  run.first = first;
  run.count = count;
  run.dropped = run.bad = 0;
  run.first_bad = std::numeric_limits<std::uint64_t>::max();
}

void RowMapper::read(std::uint64_t first, std::size_t count, RowUse use, MappedRun& run) const {
  start(first, count, use, run);
  run.passes.assign(count, 1);
  for (const Condition& condition : where_)
    keep_condition(run, condition, table_.columns()[map_.columns[condition.slot]].is_text,
                   run.passes);
  run.draws.assign(count, 1);
  if (use != RowUse::kOrder || map_.skips_invalid) check(run, use);

  run.kept.resize(count);
  std::size_t kept = 0, passed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    run.kept[kept] = static_cast<std::uint32_t>(i);
    kept += static_cast<std::size_t>(run.passes[i] & run.draws[i]);
    passed += run.passes[i];
  }
  run.kept.resize(kept);
  run.dropped = count - passed;
  run.bad = passed - kept;
  for (std::size_t i = 0; run.bad > 0 && i < count; ++i) {
    if ((run.passes[i] & ~run.draws[i] & 1) == 0) continue;
    run.first_bad = first + i;
    break;
  }
}

bool RowMapper::read_some(std::uint64_t first, std::size_t count, std::uint64_t kept,
                          MappedRun& run) const {
  if (where_.empty() && !map_.skips_invalid) {
    start(first, count, RowUse::kCircles, run);
  } else {
    read(first, count, RowUse::kCircles, run);
    if (run.kept.size() != kept) return false;
    for (std::uint32_t& row : run.selected) row = run.kept[row];
  }
  run.rows.select(run.selected);
  run.count = run.selected.size();
  run.kept.resize(run.count);
  std::iota(run.kept.begin(), run.kept.end(), 0U);
  run.draws.assign(run.count, 1);
  check(run, RowUse::kCircles);
  return std::find(run.draws.begin(), run.draws.end(), 0) == run.draws.end();
}

void RowMapper::check(MappedRun& run, RowUse use) const {
  const auto check_number = [&](const NumberMap& map, double low, double high) {
    if (map.slot) check_numbers(run, *map.slot, low, high);
  };
  check_number(map_.x, -kMaxDataCoordinate, kMaxDataCoordinate);
  check_number(map_.y, -kMaxDataCoordinate, kMaxDataCoordinate);
  check_number(map_.z, 0, 1);
  check_size(run, map_.radius, kSmallestRadius, kMaxCoordinate);
  if (map_.alpha) check_size(run, *map_.alpha, 0, 1);
  if (map_.color.kind == ColorMap::Kind::kChannels) {
    for (std::size_t c = 0; c < 3; ++c)
      check_number(map_.color.channels[c], 0, map_.color.max_channel * map_.color.ones[c]);
  } else {
    check_color(run, use);
  }
  if (map_.motion && map_.motion->start.slot) check_starts(run);
}

void RowMapper::check_numbers(MappedRun& run, Slot slot, double low, double high,
                              double one) const {
  for_each_column(map_, slot, one, [&](Slot column, double of_column) {
    keep_range(run.numbers(column), std::max(low, least_at_keys(map_, slot)), high * of_column,
               run.draws);
  });
}

void RowMapper::check_starts(MappedRun& run) const {
  const Slot slot = *map_.motion->start.slot;
  if (table_.columns()[map_.columns[slot]].is_text) {
    const std::span<const std::string_view> texts = run.texts(slot);
    run.starts.resize(run.count);
    for (std::size_t i = 0; i < run.count; ++i)
      run.starts[i] = parse_key_time(texts[i], map_.motion->fps)
                          .value_or(parse_number(texts[i]).value.value_or(kNoStart));
  }
  keep_range(starts(run), -kMaxStart, kMaxStart, run.draws);
}

void RowMapper::check_size(MappedRun& run, const SizeMap& map, double low, double high) const {
  if (!map.slot) return;
  if (!map.scale)
    check_numbers(run, *map.slot, low, high, map.one);
  else if (!map.missing)
    check_numbers(run, *map.slot, least_input(map.scale->kind), kMaxNumber);
}

void RowMapper::check_color(MappedRun& run, RowUse use) const {
  const ColorMap& color = map_.color;
  const bool has_missing = color.missing.has_value();
  switch (color.kind) {
    case ColorMap::Kind::kConstant:
    case ColorMap::Kind::kChannels:
      return;
    case ColorMap::Kind::kText: {
      const std::span<const std::string_view> texts = run.texts(color.slot);
      run.colors.resize(run.count);
      for (std::size_t i = 0; i < run.count; ++i) {
        const std::optional<DisplayColor> value = parse_hex_color(texts[i]);
        if (!value && !has_missing) run.draws[i] = 0;
        run.colors[i] = value ? *value : color.missing.value_or(DisplayColor{});
      }
      return;
    }
    case ColorMap::Kind::kScale:
      if (!has_missing) check_numbers(run, color.slot, least_input(color.scale.kind), kMaxNumber);
      return;
    case ColorMap::Kind::kCategories: {
      const bool is_unknown =
          use == RowUse::kSurvey && has_data_categories(color) && !color.is_settled;
      if (is_unknown && has_missing) return;
      if (is_unknown && table_.columns()[map_.columns[color.slot]].is_text) {
        const std::span<const std::string_view> texts = run.texts(color.slot);
        for (std::size_t i = 0; i < run.count; ++i)
          if (texts[i].empty()) run.draws[i] = 0;
      } else if (is_unknown) {
        check_numbers(run, color.slot, -kMaxNumber, kMaxNumber);
      } else {
        find_categories(run);
        for (std::size_t i = 0; !has_missing && i < run.count; ++i)
          run.draws[i] &= static_cast<std::uint8_t>(run.categories[i] >= 0);
      }
      return;
    }
  }
}

void RowMapper::find_categories(MappedRun& run) const {
  run.categories.resize(run.count);
  if (table_.columns()[map_.columns[map_.color.slot]].is_text) {
    const std::span<const std::string_view> texts = run.texts(map_.color.slot);
    for (std::size_t i = 0; i < run.count; ++i) {
      if (i > 0 && texts[i] == texts[i - 1]) {  // as in sorted files
        run.categories[i] = run.categories[i - 1];
        continue;
      }
      const auto found = text_categories_.find(texts[i]);
      run.categories[i] = found == text_categories_.end() ? -1 : found->second;
    }
    return;
  }
  const std::span<const double> values = run.numbers(map_.color.slot);
  for (std::size_t i = 0; i < run.count; ++i) {
    const auto found =
        std::lower_bound(number_categories_.begin(), number_categories_.end(), values[i],
                         [](const std::pair<double, std::int32_t>& entry, double value) {
                           return entry.first < value;
                         });
    run.categories[i] =
        found != number_categories_.end() && found->first == values[i] ? found->second : -1;
  }
}

Lines RowMapper::problems_of(std::uint64_t row) const {
  MappedRun run;
  read(row, 1, RowUse::kCircles, run);
  Lines lines;
  const auto add = [&](Slot slot, const char* role, std::string_view expected,
                       const std::string& got, const char* hint = "") {
    const std::size_t column = map_.columns[slot];
    const bool is_named = !table_.columns()[column].name.empty();
    const std::string place =
        map_.is_plain && !is_named ? fmt::format("row {}", row) : table_.place_of(row, column);
    const bool is_role = table_.columns()[column].name == role;  // the place already names it
    lines += fmt::format("{}: {}{}{}: expected {}, got {}{}", table_.path(), place,
                         is_role ? "" : ": ", is_role ? "" : role, expected, got, hint);
  };
  const auto check_range = [&](Slot slot, const char* role, std::string_view expected, double low,
                               double high, const char* hint = "", double one = 1) {
    for_each_column(map_, slot, one, [&](Slot column, double of_column) {
      const double value = run.numbers(column)[0];
      if (value >= low && value <= high * of_column && !(value < least_at_keys(map_, slot))) return;
      add(column, role,
          value >= low && value <= 0 ? "a number > 0, which path: exponential needs" : expected,
          fmt::format("{}", value), std::isfinite(value) ? hint : "");
    });
  };
  const auto check_number = [&](const NumberMap& map, const char* role, std::string_view expected,
                                double low, double high, const char* hint = "") {
    if (map.slot) check_range(*map.slot, role, expected, low, high, hint);
  };
  const auto check_scale = [&](Slot slot, const char* role, const Scale& scale) {
    for_each_column(map_, slot, 1, [&](Slot column, double /*one*/) {
      const double value = run.numbers(column)[0];
      if (accepts(scale.kind, value) && !(value < least_at_keys(map_, slot))) return;
      add(column, role,
          fmt::format("{} for scale: {}", accepted_values(scale.kind),
                      kScaleNames[static_cast<std::size_t>(scale.kind)]),
          fmt::format("{}", value), "; give \"missing\" a value to draw instead");
    });
  };
  const auto check_size = [&](const SizeMap& map, const char* role, std::string_view expected,
                              double low, double high) {
    if (!map.slot) return;
    if (!map.scale)
      check_range(*map.slot, role, expected, low, high, "", map.one);
    else if (!map.missing)
      check_scale(*map.slot, role, *map.scale);
  };
  constexpr std::string_view kPlaceText = "a number from -1e15 to 1e15";
  check_number(map_.x, "x", kPlaceText, -kMaxDataCoordinate, kMaxDataCoordinate, kFarHint);
  check_number(map_.y, "y", kPlaceText, -kMaxDataCoordinate, kMaxDataCoordinate, kFarHint);
  check_number(map_.z, "z", "a number from 0 to 1", 0, 1);
  check_size(map_.radius, "radius", "a number > 0 and <= 1e6", kSmallestRadius, kMaxCoordinate);
  const ColorMap& color = map_.color;
  if (color.kind == ColorMap::Kind::kChannels) {
    constexpr std::array kChannels = {"red", "green", "blue"};
    for (std::size_t c = 0; c < 3; ++c)
      check_number(color.channels[c], kChannels[c],
                   color.max_channel == 1 ? "a number from 0 to 1, as its blend mode needs"
                   : color.ones[c] == 1   ? "a number from 0 to 1e6"
                                          : "a number >= 0",
                   0, color.max_channel * color.ones[c]);
  } else if (color.kind == ColorMap::Kind::kScale && !color.missing) {
    check_scale(color.slot, "color", color.scale);
  } else if (color.kind == ColorMap::Kind::kText && !color.missing &&
             !parse_hex_color(run.texts(color.slot)[0])) {
    add(color.slot, "color", "a colour #rrggbb", quoted(run.texts(color.slot)[0]));
  } else if (color.kind == ColorMap::Kind::kCategories && !color.missing) {
    const bool is_text = table_.columns()[map_.columns[color.slot]].is_text;
    const bool is_blank = is_text ? run.texts(color.slot)[0].empty()
                                  : !accepts(ScaleKind::kLinear, run.numbers(color.slot)[0]);
    if (is_blank || (color.palette.empty() && run.categories[0] < 0))
      add(color.slot, "color", "one of the categories",
          is_text ? quoted(run.texts(color.slot)[0])
                  : fmt::format("{}", run.numbers(color.slot)[0]),
          "; give \"missing\" a colour for all others");
  }
  if (map_.alpha) check_size(*map_.alpha, "alpha", "a number from 0 to 1", 0, 1);
  if (map_.motion && map_.motion->start.slot && !(std::abs(starts(run)[0]) <= kMaxStart)) {
    const Slot slot = *map_.motion->start.slot;
    const bool is_text = table_.columns()[map_.columns[slot]].is_text;
    add(slot, "start", "frames, or seconds as 2.5s, at most 10000000",
        is_text ? quoted(run.texts(slot)[0]) : fmt::format("{}", run.numbers(slot)[0]));
  }
  return lines;
}

void RowMapper::fail_for(std::uint64_t first_bad, std::uint64_t bad) const {
  table_.check_unchanged();
  Lines message = problems_of(first_bad);
  if (bad > 1)
    message +=
        fmt::format("{}: {} more rows{} have values out of range", table_.path(), bad - 1,
                    table_.row_place(first_bad).starts_with("line") ? "" : " (counted from 0)");
  throw Error(ExitCode::kInvalidScene, message);
}

std::uint64_t order_key(double number, bool descending) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (std::isnan(number)) return 0;
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
  const std::uint64_t key = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return descending ? ~key : key;
}

std::uint64_t block_rows_of(const Table& table, std::span<const std::size_t> columns) {
  constexpr std::uint64_t kMinRows = 8192, kMaxTextBytes = std::uint64_t{4} << 20;
  const std::uint64_t run = table.run_rows();
  std::uint64_t rows = (kMinRows + run - 1) / run * run;
  for (std::uint64_t bytes = table.text_bytes(columns, rows); bytes > kMaxTextBytes && rows > 1;) {
    const std::uint64_t fewer = rows >= 2 * run ? rows / 2 / run * run : rows / 2;
    const std::uint64_t fewer_bytes = table.text_bytes(columns, fewer);
    if (rows <= run && fewer_bytes == bytes) break;
    rows = fewer;
    bytes = fewer_bytes;
  }
  return rows;
}

}  // namespace roundel
