#include "python/inspection.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "python/errors.h"
#include "python/pixels.h"
#include "renderer/base/error.h"
#include "renderer/circles/circle_rows.h"
#include "renderer/circles/generate.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/run_json.h"
#include "renderer/explain/explain_pixel.h"
#include "renderer/explain/pixel_report.h"
#include "renderer/pixels/image_settings.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

/// Returns a contiguous array as a picture from a file with such samples.
Picture picture_of(const py::array& array) {
  const py::ssize_t channels = array.ndim() == 3 ? array.shape(2) : 1;
  const std::string type = py::str(array.dtype());
  const bool is_known = type == "uint8" || type == "uint16" || type == "float32";
  if (array.ndim() < 2 || array.ndim() > 3 || channels < 1 || channels > 4 || array.size() == 0 ||
      !is_known)
    throw Error(ExitCode::kUsage,
                fmt::format("expected a path, or an array [height, width, 1 to 4] of uint8, uint16 "
                            "or float32, got one of {}",
                            type));
  if (array.shape(0) > kMaxImageSide || array.shape(1) > kMaxImageSide)
    throw Error(ExitCode::kUsage,
                fmt::format("expected an array of at most {0} x {0} pixels, got one of {1} x {2}",
                            kMaxImageSide, array.shape(1), array.shape(0)));
  const auto samples = type == "uint8"    ? Picture::Samples::kBytes
                       : type == "uint16" ? Picture::Samples::kWords
                                          : Picture::Samples::kFloats;
  return roundel::picture_of(static_cast<int>(array.shape(1)), static_cast<int>(array.shape(0)),
                             static_cast<int>(channels), samples, array.data());
}

Picture read(const py::object& picture) {
  find_numpy();
  if (!py::isinstance<py::str>(picture)) return picture_of(picture.cast<py::array>());
  const auto path = picture.cast<std::string>();
  return without_gil([&] { return read_picture(path); });
}

}  // namespace

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

py::array circles(Scene scene, std::int64_t frame, bool all) {
  find_numpy();
  CircleRows made;
  scene.image.blend_space = BlendSpace::kDisplay;  // colours as in the scene file
  const std::size_t columns = circle_columns(scene, all);
  without_gil([&] {
    CircleSource source(scene, CircleUse::kList);
    Circles memory;
    made = circle_rows(scene, source, frame, all, memory);
  });
  return std::visit(
      [columns](auto& rows) -> py::array {
        using Rows = std::remove_reference_t<decltype(rows)>;
        auto* const owned = new Rows(std::move(rows));
        const py::capsule owner(owned, [](void* kept) { delete static_cast<Rows*>(kept); });
        return py::array_t<typename Rows::value_type>({owned->size() / columns, columns},
                                                      owned->data(), owner);
      },
      made);
}

std::string explain_pixel(const Scene& scene, std::int64_t frame, int x, int y, std::size_t limit,
                          const SceneText* text) {
  const auto& [width, height] = std::pair(scene.image.width, scene.image.height);
  if (x < 0 || y < 0 || x >= width || y >= height)
    throw Error(ExitCode::kUsage,
                fmt::format("expected x from 0 to {} and y from 0 to {} in an image of {}x{} "
                            "pixels, got {}, {}",
                            width - 1, height - 1, width, height, x, y));
  return without_gil([&] {
    CircleSource source(scene, CircleUse::kExplain);
    Circles made;
    source.generate(frame, made);
    const PixelExplanation explanation =
        roundel::explain_pixel(made, scene.image, x, scene.image.height - 1 - y, limit);
    PixelReport report{scene, frame, x, y, made, explanation, rows_of(scene, source, explanation)};
    if (text != nullptr) report.lines = lines_of(scene, *text, explanation);
    return text_of(pixel_json(report));
  });
}

std::string diff(const py::object& a, const py::object& b, const Tolerance& tolerance,
                 const Measures& measures) {
  const auto answer = [&](const PictureDifference& difference) {
    return text_of(difference_json(difference, apply_tolerance(difference, tolerance)));
  };
  if (py::isinstance<py::str>(a) && py::isinstance<py::str>(b)) {
    const auto path_a = a.cast<std::string>(), path_b = b.cast<std::string>();
    return without_gil(
        [&] { return answer(compare_files(path_a, path_b, tolerance, measures).difference); });
  }
  const Picture picture_a = read(a), picture_b = read(b);
  return without_gil(
      [&] { return answer(compare_pictures(picture_a, picture_b, tolerance, measures)); });
}

}  // namespace roundel::python
