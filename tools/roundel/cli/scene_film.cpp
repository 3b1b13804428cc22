#include "tools/roundel/cli/scene_film.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/output_path.h"

namespace roundel {
namespace {

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// Throws Error for pictures that do not go into one film. Backgrounds may differ, and whether
/// circles have smooth edges.
void check_alike(const Scene& scene, const Scene& first) {
  const ImageSettings &image = scene.image, &wanted = first.image;
  if (image.width != wanted.width || image.height != wanted.height) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: image: {}x{}, but {}x{} in {}", scene.path, image.width,
                            image.height, wanted.width, wanted.height, first.path));
  }
  if (image.alpha != wanted.alpha || image.bits != wanted.bits || image.dither != wanted.dither ||
      image.blend_space != wanted.blend_space) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: image: expected alpha, bits, dither and blend of {}", scene.path,
                            first.path));
  }
}

}  // namespace

Scene load_film(const std::string& path, const SceneOverrides& overrides,
                const FramesOption& frames) {
  const FrameName name(path);
  if (!name.has_number() || is_stream_path(path) || is_there(path))
    return load_scene(path, overrides);
  if (!frames.list) {
    throw Error(ExitCode::kUsage,
                fmt::format("--frames: expected LIST, as {} is a scene file a frame", path));
  }
  const auto load = [name, overrides](std::int64_t frame) {
    SceneOverrides of_frame = overrides;
    of_frame.frame = frame;
    return load_scene(name.path(frame), of_frame);
  };
  FrameList missing;
  for (const std::int64_t frame : *frames.list)
    if (!is_there(name.path(frame))) missing.push_back(frame);
  if (!missing.empty()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: no file for {} of {} frames: {} ({})", path, missing.size(),
                            frames.list->size(), frames_text(missing), name.path(missing.front())));
  }
  Scene scene = load(frames.list->front());
  scene.frame = frames.list->front();
  scene.film = std::make_shared<const SceneFilm>(SceneFilm{name, load});
  return scene;
}

std::vector<std::string> check_scenes(const Scene& film, const FrameList& frames) {
  std::vector<std::string> problems(frames.size());
  std::vector<std::vector<std::string>> files(frames.size());
  tbb::parallel_for(std::size_t{0}, frames.size(), [&](std::size_t i) {
    try {
      const Scene scene = film.film->load(frames[i]);
      check_alike(scene, film);
      files[i] = files_read({scene});
    } catch (const Error& error) {
      problems[i] = error.what();
    }
  });
  std::string message;
  for (const std::string& problem : problems)
    if (!problem.empty()) message += (message.empty() ? "" : "\n") + problem;
  if (!message.empty()) throw Error(ExitCode::kInvalidScene, message);
  std::vector<std::string> all;
  for (std::vector<std::string>& some : files) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace roundel
