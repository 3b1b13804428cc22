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

/// The value of a key, which is `node` or its `to`.
ValidNode value_at_key(ValidNode node);

/// Reads and collects values that have keys over time.
class KeyReader {
 public:
  explicit KeyReader(FormatErrors& errors) : errors_(errors) {}

  /// Sets the rate for keys in seconds, before reading.
  void set_fps(Ratio fps) { fps_ = fps; }
  Ratio fps() const { return fps_; }
  /// Reads the keys of targets `first` to `last`, in this layer and circle. `path`: the map's.
  void read(PartlyValidNode map, const KeyedValue& first, KeyedValue::Target last,
            const std::string& path);

  /// Reports a window's side with swapped ends.
  void check_ends(ValidNode node, double low, double high, const std::string& path);

  std::vector<KeyedValue>& found() { return found_; }

 private:
  struct Key {
    double frame;
    ValidNode node;
    Keys::Value value;
    std::optional<Ease> ease;
  };
  Keys read_keys(ValidNode node, const KeyedValue& as, const std::string& path);
  /// True if all values are in pixels.
  bool read_unit(ValidNode node, const std::string& path);
  void check_path(ValidNode node, const KeyedValue& as, const std::string& path, const Keys& keys);

  FormatErrors& errors_;
  Ratio fps_{Animation{}.fps};
  std::vector<KeyedValue> found_;
};

}  // namespace roundel
