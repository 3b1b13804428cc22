#include "tools/roundel/cli/scene_film.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/vars.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/scene_table.h"

namespace roundel {
namespace {

bool file_exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// Throws Error if the scenes' pictures do not fit into one film. Backgrounds and antialiasing may
/// differ. `first_name`: name of the film's first scene in messages.
void check_alike(const Scene& scene, const Scene& first, const std::string& first_name) {
  const ImageSettings &image = scene.image, &wanted = first.image;
  if (image.width != wanted.width || image.height != wanted.height) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: image: {}x{}, but {}x{} in {}", scene.path, image.width,
                            image.height, wanted.width, wanted.height, first_name));
  }
  if (image.alpha != wanted.alpha || image.bits != wanted.bits || image.dither != wanted.dither ||
      image.blend_space != wanted.blend_space) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: image: expected alpha, bits, dither and blend of {}", scene.path,
                            first_name));
  }
  if (first.film->scene_frame && scene.default_frame() != first.default_frame()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: animation: start {}, but {} in {}", scene.path,
                            scene.default_frame(), first.default_frame(), first_name));
  }
}

/// Returns the frames' problems, one a line; equal ones of several rows of a table are one.
Lines joined(const SceneFilm& film, const FrameList& frames, const std::vector<Lines>& problems) {
  struct Line {
    std::string place, text;
    std::size_t count;
  };
  std::vector<Line> lines;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (problems[i].empty()) continue;
    const std::string place = film.place ? film.place(frames[i]) + ": " : "";
    for (std::string text : problems[i]) {
      if (text.starts_with(place)) text.erase(0, place.size());
      const auto [line, is_new] = known.emplace(text, lines.size());
      if (is_new) lines.push_back({place, text, 0});
      ++lines[line->second].count;
    }
  }
  constexpr std::size_t kMaxLines = 100;
  Lines message;
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    std::string line = lines[i].place + lines[i].text;
    if (const std::size_t more = lines[i].count - 1; more > 0)
      line += fmt::format(" (as in {} more {})", more, more == 1 ? "row" : "rows");
    message += line;
  }
  if (lines.size() > kMaxLines)
    message += fmt::format("and {} more errors", lines.size() - kMaxLines);
  return message;
}

/// Calls work(i, scene) with the scene of each frame, in parallel. Throws Error(kInvalidScene) with
/// all their problems.
template <typename Work>
void load_all(const SceneFilm& film, const FrameList& frames, const Work& work) {
  std::vector<Lines> problems(frames.size());
  tbb::parallel_for(std::size_t{0}, frames.size(), [&](std::size_t i) {
    try {
      work(i, film.load(frames[i], SceneUse::kDraw));
    } catch (const Error& error) {
      problems[i] = error.lines();
    }
  });
  const Lines message = joined(film, frames, problems);
  if (!message.empty()) throw Error(ExitCode::kInvalidScene, message);
}

Scene first_scene(std::shared_ptr<const SceneFilm> film, const FrameList& frames) {
  Scene scene;
  try {
    scene = film->load(frames.front(), SceneUse::kDraw);
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::kInvalidScene) load_all(*film, frames, [](auto&&...) {});
    throw;
  }
  scene.frame = frames.front();
  scene.film = std::move(film);
  return scene;
}

FrameList rows_of(const SceneTable& table, const FramesOption& frames) {
  if (!frames.list) return run_of_frames(0, table.rows());
  if (frames.list->front() < 0 || frames.list->back() >= table.rows())
    throw Error(ExitCode::kUsage,
                fmt::format("--frames: expected rows from 0 to {} of {}, got {}", table.rows() - 1,
                            table.path(), frames_text(*frames.list)));
  return *frames.list;
}

/// Returns the pattern of the pictures' names; absent if the output is a folder or a stream.
std::optional<std::string> pattern_of(const std::optional<std::string>& output,
                                      const Scene& scene) {
  if (!output) return scene.output;
  return *output == "-" || names_folder(*output) ? std::nullopt : output;
}

Scene load_rows(const FilmInput& input, const SceneOverrides& overrides,
                const FramesOption& frames) {
  const auto table = std::make_shared<const SceneTable>(input.each);
  const std::string text = read_scene_text(input.scene);
  const std::vector<std::string> vars = var_names(text, input.scene);
  for (const VarSetting& setting : overrides.vars)
    if (table->has_column(setting.name))
      throw Error(
          ExitCode::kUsage,
          fmt::format("--set {}: the rows of {} set this var; leave out the option or the column",
                      setting.name, table->path()));
  const auto load = [table, text, vars, path = input.scene, overrides](std::int64_t row) {
    SceneOverrides of_row = overrides;
    of_row.vars = table->settings(row, vars);
    of_row.vars.insert(of_row.vars.end(), overrides.vars.begin(), overrides.vars.end());
    return parse_scene(text, path, of_row);
  };
  const auto film = std::make_shared<SceneFilm>(load, max_film_bytes(overrides.memory));
  film->rows = table->rows();
  film->place = [table](std::int64_t row) { return table->place(row); };
  Scene scene = first_scene(film, rows_of(*table, frames));
  film->scene_frame = overrides.frame.value_or(scene.default_frame());
  const std::optional<std::string> pattern = pattern_of(input.output, scene);
  if (input.output != "-") table->check_columns(vars, input.scene, pattern.value_or(""));
  if (pattern) film->name = table->names(*pattern);
  return scene;
}

Scene load_files(const std::string& path, const SceneOverrides& overrides,
                 const FrameList& frames) {
  const FrameName name(path);
  FrameList missing;
  for (const std::int64_t frame : frames)
    if (!file_exists(name.path(frame))) missing.push_back(frame);
  if (!missing.empty()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: no file for {} of {} frames: {} ({})", path, missing.size(),
                            frames.size(), frames_text(missing), name.path(missing.front())));
  }
  const auto load = [name, overrides](std::int64_t frame) {
    SceneOverrides of_frame = overrides;
    of_frame.frame = frame;
    return load_scene(name.path(frame), of_frame);
  };
  return first_scene(std::make_shared<const SceneFilm>(load, max_film_bytes(overrides.memory)),
                     frames);
}

}  // namespace

Scene load_film(const FilmInput& input, const SceneOverrides& overrides,
                const FramesOption& frames) {
  if (!input.each.empty()) return load_rows(input, overrides, frames);
  const FrameName name(input.scene);
  if (!name.has_number() || is_stream_path(input.scene) || file_exists(input.scene)) {
    SceneOverrides of_film = overrides;
    of_film.is_film = frames.is_given();
    Scene scene = load_scene(input.scene, of_film);
    // Each frame of these is read by itself.
    if (!frames.is_given() || is_data_film(scene) || scene.film) return scene;
    const FrameList requested = frames_of(scene, frames, 0);
    return restricted_to(std::move(scene), requested);
  }
  if (frames.list) return load_files(input.scene, overrides, *frames.list);
  throw Error(
      ExitCode::kUsage,
      fmt::format("--frames: needed, since {} names a scene file for each frame", input.scene));
}

std::vector<std::string> check_scenes(const Scene& first, const FrameList& frames) {
  const SceneFilm& film = *first.film;
  const std::string name = film.place ? film.place(first.frame) : first.path;
  if (std::binary_search(frames.begin(), frames.end(), first.frame)) {
    Scene known = first;
    known.film = nullptr;  // the film will hold it
    film.keep(first.frame, std::move(known));
  }
  std::vector<std::vector<std::string>> files(frames.size());
  load_all(film, frames, [&](std::size_t i, Scene scene) {
    check_alike(scene, first, name);
    files[i] = input_paths({scene});
    if (frames[i] != first.frame) film.keep(frames[i], std::move(scene));
  });
  std::vector<std::string> all;
  for (std::vector<std::string>& some : files) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace roundel
