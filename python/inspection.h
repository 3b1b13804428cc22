#pragma once
#include <pybind11/numpy.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/compare/picture_difference.h"
#include "renderer/explain/scene_text.h"
#include "renderer/scene/scene.h"

/// Properties of pictures and scenes. Answers with names are JSON.
namespace roundel::python {

/// Returns one line; invalid UTF-8 becomes U+FFFD.
std::string text_of(const nlohmann::ordered_json& json);

/// Returns float32 [n, 7] in the columns of `roundel circles`; with `all` [n, 8] or [n, 9].
pybind11::array circles(Scene scene, std::int64_t frame, bool all);

/// x and y are counted from the top left. `text`: contents of the scene's file, if there is one.
std::string explain_pixel(const Scene& scene, std::int64_t frame, int x, int y, std::size_t limit,
                          const SceneText* text);

/// Compares two pictures: paths of files, or arrays [height, width, channels].
std::string diff(const pybind11::object& a, const pybind11::object& b, const Tolerance& tolerance,
                 const Measures& measures);

}  // namespace roundel::python
