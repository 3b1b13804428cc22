#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/format/format_errors.h"
#include "renderer/format/number_text.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/keyed_value.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Reads values that may have keys over time, and collects those that have.
class KeyReader {
 public:
  explicit KeyReader(FormatErrors& errors) : errors_(errors) {}

  /// Frames a second, for keys in seconds; to be said before anything is read.
  void set_fps(Ratio fps) { fps_ = fps; }
  /// Reads map[key], as read_number() and its like do, into `out`. Where it has keys, `out` stays
  /// as it is and the keyed value `as` is made of them. `path`: of the map, for messages.
  template <typename Map, typename Read, typename T>
  void read(const Map& map, const char* key, Read read_value, T& out, const KeyedValue& as,
            const std::string& path) {
    const std::optional<ValidNode> node = map.find(key);
    if (node && node->is_map())
      add(*node, as, path, [&](ValidNode value) { return numbers_of(read_value(value)); });
    else if (node)
      out = static_cast<T>(read_value(*node));
  }
  /// Of a map {keys: …, ease: …}. to_numbers(value) makes a Keys::Value.
  template <typename ToNumbers>
  void add(ValidNode node, KeyedValue as, const std::string& path, const ToNumbers& to_numbers) {
    std::vector<Key> keys;
    node.find("keys").value().for_each_entry([&](std::string_view time, ValidNode value) {
      keys.push_back({frame_of(time), value, to_numbers(value)});
    });
    as.keys = sorted(node, std::move(keys), as.numbers(), path + "." + as.name());
    found_.push_back(std::move(as));
  }

  static Keys::Value numbers_of(double value) { return {value}; }
  static Keys::Value numbers_of(const std::array<double, 2>& value) { return {value[0], value[1]}; }
  static Keys::Value numbers_of(const DisplayColor& value) {
    return {double{value.red}, double{value.green}, double{value.blue}};
  }

  /// Those read so far.
  std::vector<KeyedValue>& found() { return found_; }

 private:
  struct Key {
    double frame;
    ValidNode node;
    Keys::Value value;
  };
  double frame_of(std::string_view time) const;
  /// `numbers`: how many each value is.
  Keys sorted(ValidNode node, std::vector<Key> keys, std::size_t numbers, const std::string& path);

  FormatErrors& errors_;
  Ratio fps_{Animation{}.fps};
  std::vector<KeyedValue> found_;
};

}  // namespace roundel
