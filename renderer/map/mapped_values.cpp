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
    keys.push_back(
        {key.slot ? run.numbers(*key.slot).data() : nullptr, key.constant, number.ones[k]});
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
      (is_moving(map_.color.slot) || map_.color.scale.has_keys)) {
    hold(map_.color.slot);
    held.gradient = map_.color.gradient;
  } else if (map_.color.kind != ColorMap::Kind::kConstant) {
    held.colors = Buffer<DisplayColor>(count);
  }
  return held;
}

std::optional<HeldNumber> RowMapper::held_number(const NumberMap& map, const HeldRows& held) const {
  HeldNumber number;
  const auto key_of = [&](const NumberMap& key, double one) -> KeyNumbers {
    return {key.slot ? held.numbers[*key.slot].data() : nullptr, key.constant, one};
  };
  if (!map.slot || !is_moving(*map.slot)) {
    number.keys[0] = key_of(map, 1);
    return number;
  }
  const MovingNumber& moving = moving_number(map_, *map.slot);
  if (moving.keys.size() > HeldNumber::kMaxKeys) return std::nullopt;
  number.path = moving.times.path;
  number.repeat = moving.times.repeat;
  number.count = static_cast<std::uint32_t>(moving.keys.size());
  for (std::size_t k = 0; k < moving.keys.size(); ++k) {
    number.frames[k] = moving.times.frames[k];
    number.eases[k] = moving.times.eases[k];
    number.keys[k] = key_of(moving.keys[k], moving.ones[k]);
  }
  return number;
}

std::optional<HeldSize> RowMapper::held_size(const SizeMap& map, const LengthUnits& units,
                                             const HeldRows& held) const {
  const std::optional<HeldNumber> number = held_number({map.slot, map.constant.value}, held);
  if (!number || (map.slot && map.scale && !map.scale->has_curve())) return std::nullopt;
  HeldSize size;
  size.number = *number;
  size.unit = map.constant.in_pixels ? units.pixel : units.scene_unit;
  size.one = map.one;
  if (!map.slot || !map.scale) return size;
  size.has_scale = true;
  size.curve = map.scale->curve();
  size.low = units.of(map.low);
  size.range = units.of(map.high) - size.low;
  size.missing = units.of(map.missing.value_or(Length{}));
  return size;
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
      const GradientView gradient = view_of(color.gradient);
      for (std::size_t i = 0; i < run.count; ++i)
        run.colors[i] =
            color.missing && std::isnan(run.t[i]) ? *color.missing : gradient.at(run.t[i]);
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
