#include "renderer/scene/read_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/format/form.h"
#include "renderer/scene/read_values.h"

namespace roundel {
namespace {

Keys::Value read_value(ValidNode node, std::size_t numbers) {
  if (numbers == 1) return {read_number(node)};
  if (numbers == 2) {
    const std::array<double, 2> point = read_point(node);
    return {point[0], point[1]};
  }
  const DisplayColor color = read_color(node);
  return {color.red, color.green, color.blue};
}

}  // namespace

void KeyReader::read(PartlyValidNode map, const KeyedValue& first, KeyedValue::Target last,
                     const std::string& path) {
  for (KeyedValue as = first; as.target <= last;
       as.target = static_cast<KeyedValue::Target>(static_cast<int>(as.target) + 1)) {
    const std::optional<ValidNode> node = map.find(as.name());
    if (!node || !node->is_map()) continue;
    as.keys = read_keys(*node, as, path + "." + as.name());
    found_.push_back(as);
  }
}

Keys KeyReader::read_keys(ValidNode node, const KeyedValue& as, const std::string& path) {
  using Target = KeyedValue::Target;
  std::vector<Key> keys;
  node.find("keys").value().for_each_entry([&](std::string_view time, ValidNode value) {
    keys.push_back({parse_key_time(time, fps_).value(), value, read_value(value, as.numbers())});
  });
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.frame < b.frame; });
  Keys made;
  if (const auto ease = node.find("ease")) made.ease = one_of<Ease>(kEaseNames).read(*ease);
  const bool is_window = as.target == Target::kWindowX || as.target == Target::kWindowY;
  for (const Key& key : keys) {
    const auto is_above_0 = [&](double number) { return number > 0; };
    if (is_window) check_ends(key.node, key.value[0], key.value[1], path);
    if (made.ease == Ease::kExponential &&
        !std::all_of(key.value.begin(), key.value.begin() + as.numbers(), is_above_0))
      errors_.add(key.node.place(), path, "expected numbers > 0, which ease: exponential needs");
    if (!made.frames.empty() && made.frames.back() == key.frame)
      errors_.add(key.node.place(), path, fmt::format("two keys are at frame {}", key.frame));
    made.frames.push_back(key.frame);
    made.values.push_back(key.value);
  }
  return made;
}

void KeyReader::check_ends(ValidNode node, double low, double high, const std::string& path) {
  if (!(low < high))
    errors_.add(node.place(), path, "expected the lower end first, then a higher one");
}

}  // namespace roundel
