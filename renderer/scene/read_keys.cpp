#include "renderer/scene/read_keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace roundel {

double KeyReader::frame_of(std::string_view time) const {
  return parse_key_time(time, fps_).value();
}

Keys KeyReader::sorted(ValidNode node, std::vector<Key> keys, std::size_t numbers,
                       const std::string& path) {
  Keys made;
  if (const auto ease = node.find("ease")) {
    const auto* const name = std::find(kEaseNames.begin(), kEaseNames.end(), ease->text());
    made.ease = static_cast<Ease>(name - kEaseNames.begin());
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.frame < b.frame; });
  for (const Key& key : keys) {
    const auto is_above_0 = [&](double number) { return number > 0; };
    if (made.ease == Ease::kExponential &&
        !std::all_of(key.value.begin(), key.value.begin() + numbers, is_above_0))
      errors_.add(key.node.place(), path, "expected numbers > 0, which ease: exponential needs");
    if (!made.frames.empty() && made.frames.back() == key.frame)
      errors_.add(key.node.place(), path, fmt::format("two keys are at frame {}", key.frame));
    made.frames.push_back(key.frame);
    made.values.push_back(key.value);
  }
  return made;
}

}  // namespace roundel
