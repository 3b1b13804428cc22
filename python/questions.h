#pragma once
#include <pybind11/numpy.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/compare/picture_difference.h"
#include "renderer/explain/scene_text.h"
#include "renderer/scene/scene.h"

/// What is asked about pictures and scenes besides pixels. Answers with names are JSON.
namespace roundel::python {

/// On one line; bytes that are not UTF-8 become U+FFFD.
std::string text_of(const nlohmann::ordered_json& json);

/// float32 [n, 7] as `roundel circles` writes it; with `all` [n, 8] or [n, 9].
pybind11::array circles(Scene scene, std::int64_t frame, bool all);

/// x and y are counted from the top left. `text`: of the scene's file, where it has one.
std::string explain_pixel(const Scene& scene, std::int64_t frame, int x, int y, std::size_t limit,
                          const SceneText* text);

/// Of two pictures: paths of files, or arrays [height, width, channels].
std::string diff(const pybind11::object& a, const pybind11::object& b, const Tolerance& tolerance,
                 const Measures& measures);

}  // namespace roundel::python
