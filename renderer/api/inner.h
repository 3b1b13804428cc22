#pragma once
// Shared by the sources of the C++ interface (include/roundel). The interface's types are in an
// inline namespace of roundel. The library's own types of equal names are inner::NAME here: headers
// of the library must precede those of the interface, so these sources are compiled alone.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/picture.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/data/column_table.h"
#include "renderer/draw_pixels.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel::inner {
using roundel::Backend;
using roundel::Error;
using roundel::Picture;
using roundel::Scene;

/// In a catch clause: throws the caught exception as one of the interface's errors.
[[noreturn]] void throw_for_host();

/// Calls `work` and returns its result.
template <typename Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (...) {
    throw_for_host();
  }
}
}  // namespace roundel::inner

#include <roundel/columns.h>
#include <roundel/compare.h>
#include <roundel/error.h>
#include <roundel/picture.h>
#include <roundel/render.h>
#include <roundel/scene.h>

namespace roundel {
inline namespace v0 {

struct Column::State {
  MemoryColumn column;
  std::uint64_t rows;
};

struct Picture::State {
  Pixels pixels;
  std::optional<inner::Picture> file = {};  ///< the file that they come from
};

struct Scene::State {
  inner::Scene scene;
};

struct Comparison::State {
  PictureDifference difference;
  Verdict verdict;
};

/// Access to the state of values, and values of a state.
struct Access {
  using ColumnState = Column::State;
  using SceneState = Scene::State;

  template <typename Value>
  static const auto& state(const Value& value) {
    return value.state_;
  }
  template <typename Value>
  static Value value(typename Value::State state) {
    return Value(std::make_shared<const typename Value::State>(std::move(state)));
  }
};

/// Throws UsageError "OPTION: expected EXPECTED, got GOT".
template <typename Got>
void check(bool is_right, const char* option, const std::string& expected, const Got& got) {
  if (!is_right) throw UsageError(fmt::format("{}: expected {}, got {}", option, expected, got));
}
template <typename T>
void check_range(const char* option, T got, T least, T most) {
  check(got >= least && got <= most, option, fmt::format("{} to {}", least, most), got);
}
/// Returns the bytes of an option `memory`; 0 without one.
std::uint64_t checked_memory(const std::optional<std::uint64_t>& bytes);

/// Returns the number of a frame, by default the scene's first. Throws UsageError for an invalid
/// number.
std::int64_t number_of(const Scene& scene, std::optional<std::int64_t> frame);
struct SceneFrame {
  std::shared_ptr<const inner::Scene> scene;
  std::int64_t number;
};
SceneFrame frame_of(const Scene& scene, std::optional<std::int64_t> frame);

}  // namespace v0
}  // namespace roundel
