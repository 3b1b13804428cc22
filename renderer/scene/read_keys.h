#pragma once
#include <span>
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

/// Keys as written, in ascending order.
struct KeyNodes {
  KeyTimes times;
  std::vector<ValidNode> places, values;  ///< one per key
};
/// Reads the keys of `node`, and adds their contradictions to `errors`.
KeyNodes read_key_nodes(ValidNode node, Ratio fps, const std::string& path, FormatErrors& errors);
/// Reports a spline between numbers with bounds.
void check_spline(ValidNode node, const KeyTimes& times, const std::string& path,
                  FormatErrors& errors);
/// Reports numbers that path: exponential cannot take.
void check_exponential(ValidNode key, const KeyTimes& times, std::span<const double> numbers,
                       const std::string& path, FormatErrors& errors);

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
  Keys read_keys(ValidNode node, const KeyedValue& as, const std::string& path);
  /// True if all values are in pixels.
  bool read_unit(ValidNode node, const std::string& path);

  FormatErrors& errors_;
  Ratio fps_{Animation{}.fps};
  std::vector<KeyedValue> found_;
};

}  // namespace roundel
