#include "renderer/scene/resolve_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/table.h"

namespace roundel {
namespace {

void survey_layers(Scene& scene) {
  // Those with `columns` are checked as they are drawn, unless that is by runs.
  const bool fits_data = scene.window && scene.window->kind == ViewWindow::Kind::kData;
  const bool surveys_all = fits_data || count_circles(scene) > kMostDataInMemory;
  std::string problems;
  for (Layer& layer : scene.layers) {
    auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr || (!data->map && !surveys_all)) continue;
    if (layer.is_hidden && !fits_data) continue;  // hiding a layer does not move the view
    try {
      DataMap plain = map_of_columns(*data);
      data->facts = std::make_shared<const DataFacts>(
          survey_rows(*data->table, data->map ? *data->map : plain, layer.move));
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInvalidScene) throw;
      problems += (problems.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  if (!problems.empty()) throw Error(ExitCode::kInvalidScene, problems);
  const std::uint64_t circles = count_circles(scene);
  if (circles > kMaxCircles)
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: {} circles in all need {} of memory; at most {}", scene.path, circles,
                    memory_text(static_cast<double>(circles) * kBytesPerCircle), kMaxCircles));
}

struct Window {
  double left = 0, right = 1, bottom = 0, top = 1;
};

/// The window of the centres of all data layers; the unit square where there are none.
Window data_window(const Scene& scene) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Window window{kInfinity, -kInfinity, kInfinity, -kInfinity};
  for (const Layer& layer : scene.layers) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    if (data == nullptr || !data->facts) continue;
    window.left = std::min(window.left, data->facts->left);
    window.right = std::max(window.right, data->facts->right);
    window.bottom = std::min(window.bottom, data->facts->bottom);
    window.top = std::max(window.top, data->facts->top);
  }
  if (window.left > window.right) return {};
  if (window.left == window.right && window.bottom == window.top) {  // one place
    window.left -= 0.5, window.right += 0.5;
    window.bottom -= 0.5, window.top += 0.5;
  }
  return window;
}

View view_of(const ViewWindow& asked, const Scene& scene) {
  Window window{asked.x[0], asked.x[1], asked.y[0], asked.y[1]};
  if (asked.kind != ViewWindow::Kind::kGiven) {
    window = asked.kind == ViewWindow::Kind::kData ? data_window(scene) : Window{};
    const double margin =
        asked.margin * std::max(window.right - window.left, window.top - window.bottom);
    window = {window.left - margin, window.right + margin, window.bottom - margin,
              window.top + margin};
  }
  // What an image as high as the window's width or height shows.
  const double aspect = static_cast<double>(scene.image.width) / scene.image.height;
  const double by_width = (window.right - window.left) / aspect;
  const double by_height = window.top - window.bottom;
  View view;
  view.center_x = (window.left + window.right) / 2;
  view.center_y = (window.bottom + window.top) / 2;
  const double least = std::min(by_width, by_height), most = std::max(by_width, by_height);
  view.zoom = 1 / (asked.covers && least > 0 ? least : most);
  return view;
}

}  // namespace

void resolve_scene(Scene& scene) {
  survey_layers(scene);
  if (!scene.window) return;
  const bool flip_y = scene.view.flip_y;
  scene.view = view_of(*scene.window, scene);
  scene.view.flip_y = flip_y;
  if (!(scene.view.zoom > 0 && scene.view.zoom <= kMaxZoom))
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: view: a window {} scene units high needs a zoom of {}; at most {}",
                            scene.path, 1 / scene.view.zoom, scene.view.zoom, kMaxZoom));
}

}  // namespace roundel
