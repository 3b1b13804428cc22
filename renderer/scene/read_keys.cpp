#include "renderer/scene/read_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/format/form.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/scene_spec.h"

namespace roundel {
namespace {

Keys::Value read_value(ValidNode node, std::size_t numbers) {
  if (numbers == 1) return {read_length(node).value};
  if (numbers == 2) {
    const std::array<double, 2> point = read_point(node);
    return {point[0], point[1]};
  }
  const DisplayColor color = read_color(node);
  return {color.red, color.green, color.blue};
}

}  // namespace

ValidNode value_at_key(ValidNode node) {
  return node.is_map() && node.has("to") ? node.find("to").value() : node;
}

KeyNodes read_key_nodes(ValidNode node, Ratio fps, const std::string& path, FormatErrors& errors) {
  struct Key {
    double frame;
    ValidNode node;
    std::optional<Ease> ease;
  };
  std::vector<Key> keys;
  node.find("keys").value().for_each_entry([&](std::string_view time, ValidNode value) {
    const auto ease = value.is_map() ? value.find("ease") : std::nullopt;
    keys.push_back({parse_key_time(time, fps).value(), value,
                    ease ? std::optional(one_of<Ease>(kEaseNames).read(*ease)) : std::nullopt});
  });
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.frame < b.frame; });
  KeyNodes made;
  KeyTimes& times = made.times;
  Ease ease_of_others = Ease::kLinear;
  const auto ease = node.find("ease"), path_name = node.find("path"), repeat = node.find("repeat");
  if (path_name) times.path = one_of<KeyPath>(kKeyPathNames).read(*path_name);
  if (repeat) times.repeat = one_of<KeyRepeat>(kKeyRepeatNames).read(*repeat);
  if (ease && ease->text() == kExponentialEase) {
    if (path_name && times.path != KeyPath::kExponential)
      errors.add(ease->place(), path,
                 fmt::format("ease: exponential means path: exponential, got path: {}",
                             path_name->text()));
    times.path = KeyPath::kExponential;
  } else if (ease) {
    ease_of_others = one_of<Ease>(kEaseNames).read(*ease);
  }
  for (const Key& key : keys) {
    if (!times.frames.empty() && times.frames.back() == key.frame)
      errors.add(key.node.place(), path, fmt::format("two keys are at frame {}", key.frame));
    if (times.frames.empty() && key.ease)
      errors.add(key.node.place(), path,
                 "the first key has no ease: a key's ease is for the frames before it");
    times.frames.push_back(key.frame);
    times.eases.push_back(key.ease.value_or(ease_of_others));
    made.places.push_back(key.node);
    made.values.push_back(value_at_key(key.node));
  }
  if (times.repeat != KeyRepeat::kNone && times.frames.size() < 2)
    errors.add(node.place(), path, "repeat needs two keys or more");
  return made;
}

void check_spline(ValidNode node, const KeyTimes& times, const std::string& path,
                  FormatErrors& errors) {
  if (times.path == KeyPath::kSpline)
    errors.add(node.place(), path,
               "path: spline is for center, offset, rotate, x, y and z, since it goes beyond its "
               "keys; expected linear or exponential");
}

void check_exponential(ValidNode key, const KeyTimes& times, std::span<const double> numbers,
                       const std::string& path, FormatErrors& errors) {
  if (times.path == KeyPath::kExponential &&
      !std::all_of(numbers.begin(), numbers.end(), [](double number) { return number > 0; }))
    errors.add(key.place(), path, "expected numbers > 0, which path: exponential needs");
}

void KeyReader::read(PartlyValidNode map, const KeyedValue& first, KeyedValue::Target last,
                     const std::string& path) {
  for (KeyedValue as = first; as.target <= last;
       as.target = static_cast<KeyedValue::Target>(static_cast<int>(as.target) + 1)) {
    const std::optional<ValidNode> node = map.find(as.name());
    if (!node || !node->is_map()) continue;
    as.keys = read_keys(*node, as, path + "." + as.name());
    if (as.target == KeyedValue::Target::kStrokeWidth)
      as.in_pixels = read_unit(*node, path + "." + as.name());
    found_.push_back(as);
  }
}

Keys KeyReader::read_keys(ValidNode node, const KeyedValue& as, const std::string& path) {
  using Target = KeyedValue::Target;
  const KeyNodes nodes = read_key_nodes(node, fps_, path, errors_);
  Keys made{nodes.times, {}};
  const bool is_window = as.target == Target::kWindowX || as.target == Target::kWindowY;
  for (std::size_t k = 0; k < nodes.values.size(); ++k) {
    const Keys::Value value = read_value(nodes.values[k], as.numbers());
    if (is_window) check_ends(nodes.places[k], value[0], value[1], path);
    check_exponential(nodes.places[k], made, std::span(value).first(as.numbers()), path, errors_);
    made.values.push_back(value);
  }
  if (!as.is_unbounded()) check_spline(node, made, path, errors_);
  return made;
}

bool KeyReader::read_unit(ValidNode node, const std::string& path) {
  std::optional<bool> in_pixels;
  node.find("keys").value().for_each_entry([&](std::string_view /*time*/, ValidNode value) {
    const bool is_pixels = read_length(value_at_key(value)).in_pixels;
    if (in_pixels.value_or(is_pixels) != is_pixels)
      errors_.add(value.place(), path, "expected pixels at all keys, or at none");
    in_pixels = is_pixels;
  });
  return in_pixels.value_or(false);
}

void KeyReader::check_ends(ValidNode node, double low, double high, const std::string& path) {
  if (!(low < high))
    errors_.add(node.place(), path, "expected the lower end first, then a higher one");
}

}  // namespace roundel
