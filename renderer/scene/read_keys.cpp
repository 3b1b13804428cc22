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
  return node.is_map() ? node.find("to").value() : node;
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
  std::vector<Key> keys;
  node.find("keys").value().for_each_entry([&](std::string_view time, ValidNode value) {
    const auto ease = value.is_map() ? value.find("ease") : std::nullopt;
    keys.push_back({parse_key_time(time, fps_).value(), value,
                    read_value(value_at_key(value), as.numbers()),
                    ease ? std::optional(one_of<Ease>(kEaseNames).read(*ease)) : std::nullopt});
  });
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.frame < b.frame; });
  Keys made;
  Ease ease_of_others = Ease::kLinear;
  const auto ease = node.find("ease"), path_name = node.find("path"), repeat = node.find("repeat");
  if (path_name) made.path = one_of<KeyPath>(kKeyPathNames).read(*path_name);
  if (repeat) made.repeat = one_of<KeyRepeat>(kKeyRepeatNames).read(*repeat);
  if (ease && ease->text() == kExponentialEase) {
    if (path_name && made.path != KeyPath::kExponential)
      errors_.add(ease->place(), path,
                  fmt::format("ease: exponential means path: exponential, got path: {}",
                              path_name->text()));
    made.path = KeyPath::kExponential;
  } else if (ease) {
    ease_of_others = one_of<Ease>(kEaseNames).read(*ease);
  }
  const bool is_window = as.target == Target::kWindowX || as.target == Target::kWindowY;
  for (const Key& key : keys) {
    const auto is_above_0 = [&](double number) { return number > 0; };
    if (is_window) check_ends(key.node, key.value[0], key.value[1], path);
    if (made.path == KeyPath::kExponential &&
        !std::all_of(key.value.begin(), key.value.begin() + as.numbers(), is_above_0))
      errors_.add(key.node.place(), path, "expected numbers > 0, which path: exponential needs");
    if (!made.frames.empty() && made.frames.back() == key.frame)
      errors_.add(key.node.place(), path, fmt::format("two keys are at frame {}", key.frame));
    if (made.frames.empty() && key.ease)
      errors_.add(key.node.place(), path,
                  "the first key has no ease: a key's ease is for the frames before it");
    made.frames.push_back(key.frame);
    made.values.push_back(key.value);
    made.eases.push_back(key.ease.value_or(ease_of_others));
  }
  check_path(node, as, path, made);
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

void KeyReader::check_path(ValidNode node, const KeyedValue& as, const std::string& path,
                           const Keys& keys) {
  if (keys.path == KeyPath::kSpline && !as.is_unbounded())
    errors_.add(node.place(), path,
                "path: spline is for center, offset, rotate, x, y and z, since it goes beyond its "
                "keys; expected linear or exponential");
  if (keys.repeat != KeyRepeat::kNone && keys.frames.size() < 2)
    errors_.add(node.place(), path, "repeat needs two keys or more");
}

void KeyReader::check_ends(ValidNode node, double low, double high, const std::string& path) {
  if (!(low < high))
    errors_.add(node.place(), path, "expected the lower end first, then a higher one");
}

}  // namespace roundel
