// The rows' numbers as circles have them: at a frame, in units of the scene, as colours.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "renderer/map/mapped_rows.h"

namespace roundel {

std::span<const double> RowMapper::starts(const MappedRun& run) const {
  if (!map_.motion->start.slot) return {};
  if (run.held != nullptr) return run.held->starts.span().subspan(run.first, run.count);
  const Slot slot = *map_.motion->start.slot;
  return table_.columns()[map_.columns[slot]].is_text ? run.starts : run.numbers(slot);
}

std::span<const double> RowMapper::values(MappedRun& run, Slot slot) const {
  if (!is_moving(slot)) return run.numbers(slot);
  const RowMotion& motion = *map_.motion;
  return values_at(run, slot, moving_number(map_, slot).times, starts(run),
                   motion.frame - motion.start.constant);
}

std::span<const double> RowMapper::values_at(MappedRun& run, Slot slot, const KeyTimes& times,
                                             std::span<const double> starts, double frame) const {
  const MovingNumber& number = moving_number(map_, slot);
  std::vector<KeyNumbers> keys;
  for (std::size_t k = 0; k < number.keys.size(); ++k) {
    const NumberMap& key = number.keys[k];
    keys.push_back({key.slot ? run.numbers(*key.slot) : std::span<const double>(), key.constant,
                    number.ones[k]});
  }
  std::vector<double>& out = run.moved[slot - kFirstMovingSlot];
  out.resize(run.count);
  move_numbers(times, keys, starts, frame, out);
  return out;
}

std::array<std::span<const double>, 2> RowMapper::centers_at(MappedRun& run, double frame) const {
  const auto at = [&](const NumberMap& map, std::size_t buffer) {
    if (!map.slot || !is_moving(*map.slot)) return numbers(run, map, buffer);
    KeyTimes once = moving_number(map_, *map.slot).times;  // a loop leaves out its last key
    once.repeat = KeyRepeat::kNone;
    return values_at(run, *map.slot, once, {}, frame);
  };
  return {at(map_.x, 0), at(map_.y, 1)};
}

void RowMapper::take(const HeldRows& held, std::uint64_t first, std::size_t count, MappedRun& run) {
  run.held = &held;
  run.first = first;
  run.count = count;
  run.kept.resize(count);
  std::iota(run.kept.begin(), run.kept.end(), 0U);
}

HeldRows RowMapper::make_held(std::uint64_t count) const {
  HeldRows held;
  held.numbers.resize(map_.columns.size());
  const auto hold = [&](const std::optional<Slot>& slot) {
    if (!slot) return;
    for_each_column(map_, *slot, 1, [&](Slot column, double /*one*/) {
      if (held.numbers[column].size() == 0) held.numbers[column] = Buffer<double>(count);
    });
  };
  for (const NumberMap* number : {&map_.x, &map_.y, &map_.z}) hold(number->slot);
  hold(map_.radius.slot);
  if (map_.alpha) hold(map_.alpha->slot);
  if (map_.motion->start.slot) held.starts = Buffer<double>(count);
  if (map_.color.kind == ColorMap::Kind::kScale &&
      (is_moving(map_.color.slot) || map_.color.scale.has_keys))
    hold(map_.color.slot);
  else if (map_.color.kind != ColorMap::Kind::kConstant)
    held.colors = Buffer<DisplayColor>(count);
  return held;
}

std::uint64_t RowMapper::held_bytes(std::uint64_t count) const {
  const HeldRows row = make_held(1);
  std::uint64_t numbers = row.starts.size();
  for (const Buffer<double>& column : row.numbers) numbers += column.size();
  return count * (numbers * sizeof(double) + row.colors.size() * sizeof(DisplayColor));
}

std::span<const double> RowMapper::numbers(MappedRun& run, const NumberMap& map,
                                           std::size_t buffer) const {
  if (map.slot) return values(run, *map.slot);
  run.buffers[buffer].assign(run.count, map.constant);
  return run.buffers[buffer];
}

std::span<const double> RowMapper::sizes(MappedRun& run, const SizeMap& map,
                                         const LengthUnits& units, std::size_t buffer) const {
  std::vector<double>& out = run.buffers[buffer];
  if (!map.slot) {
    out.assign(run.count, units.of(map.constant));
    return out;
  }
  const std::span<const double> values = this->values(run, *map.slot);
  out.resize(run.count);
  if (!map.scale) {
    const double unit = map.constant.in_pixels ? units.pixel : units.scene_unit;
    for (std::size_t i = 0; i < run.count; ++i) out[i] = values[i] * unit / map.one;
    return out;
  }
  apply_scale(*map.scale, values, out);
  const double low = units.of(map.low), range = units.of(map.high) - low;
  const double missing = units.of(map.missing.value_or(Length{}));
  for (double& value : out) value = std::isnan(value) ? missing : low + range * value;
  return out;
}

std::span<const double> RowMapper::radii(MappedRun& run, const LengthUnits& units,
                                         const LengthUnits& limits) const {
  const std::span<const double> radii = sizes(run, map_.radius, units, 3);
  if (!map_.radius_limits) return radii;
  const double low = limits.of((*map_.radius_limits)[0]),
               high = limits.of((*map_.radius_limits)[1]);
  for (double& radius : run.buffers[3]) {
    const double raised = radius < low ? low : radius;
    radius = raised > high ? high : raised;
  }
  return run.buffers[3];
}

std::span<const double> RowMapper::alphas(MappedRun& run, double otherwise) const {
  const SizeMap constant{{}, {otherwise, false}, {}, {}, {}, {}};
  return sizes(run, map_.alpha ? *map_.alpha : constant, {1, 0}, 4);
}

std::span<const DisplayColor> RowMapper::colors(MappedRun& run) const {
  const ColorMap& color = map_.color;
  if (run.held != nullptr && run.held->colors.size() > 0)
    return run.held->colors.span().subspan(run.first, run.count);
  if (color.kind == ColorMap::Kind::kText) return run.colors;  // changed since the check
  run.colors.resize(run.count);
  switch (color.kind) {
    case ColorMap::Kind::kText:
    case ColorMap::Kind::kConstant:
      std::fill(run.colors.begin(), run.colors.end(), color.constant);
      break;
    case ColorMap::Kind::kChannels:
      for (std::size_t c = 0; c < 3; ++c) {
        const std::span<const double> values = numbers(run, color.channels[c], 4);
        const double one = color.ones[c];
        float DisplayColor::*const channel = c == 0   ? &DisplayColor::red
                                             : c == 1 ? &DisplayColor::green
                                                      : &DisplayColor::blue;
        for (std::size_t i = 0; i < run.count; ++i)
          run.colors[i].*channel = static_cast<float>(values[i] / one);
      }
      break;
    case ColorMap::Kind::kScale: {
      run.t.resize(run.count);
      apply_scale(color.scale, values(run, color.slot), run.t);
      colors_at(color.gradient, run.t, run.colors);
      if (!color.missing) break;
      for (std::size_t i = 0; i < run.count; ++i)
        if (std::isnan(run.t[i])) run.colors[i] = *color.missing;
      break;
    }
    case ColorMap::Kind::kCategories:
      for (std::size_t i = 0; i < run.count; ++i) {
        const std::int32_t category = run.categories[i];
        run.colors[i] = category >= 0 ? color.categories[static_cast<std::size_t>(category)].color
                                      : color.missing.value_or(DisplayColor{});
      }
      break;
  }
  return run.colors;
}

}  // namespace roundel
