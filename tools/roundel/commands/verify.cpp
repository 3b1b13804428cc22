#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/picture.h"
#include "renderer/film/existing_frames.h"
#include "renderer/image/files.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/scene_film.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

struct VerifyOptions {
  std::string pattern;
  std::optional<std::string> scene_path;  ///< without one the frames are compared with each other
  std::string each;                       ///< table with a frame in each row; may be empty
  std::optional<std::string> manifest;    ///< file for the pixels' hashes
  bool removes_corrupt = false;
  FramesOption frames;
  int threads = 0;
  SceneOptions scene;
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, VerifyOptions& options) {
  CommandLine line(
      "verify", "PATTERN --frames LIST [OPTION...]",
      "Finds missing, corrupt and foreign frames of a film. Decodes the frames in parallel and "
      "prints lists of frames on stdout. Corrupt frames do not decode, but are empty, or begin as "
      "such a picture or with zeros. Foreign files are another kind of file, or pictures of "
      "another program or version of Roundel, another scene, or another frame than their name "
      "says.");
  std::vector<std::string> patterns;
  line.add_arguments("PATTERN", 1, 1, patterns,
                     "name of the files; ####, %04d or {frame:04} is the frame number");
  add_frames(line, options.frames);
  add_renumber(line, options.frames);
  add_each(line, options.each, options.frames, ". Needs --scene");
  line.add_value("scene", "SCENE", text(options.scene_path),
                 {Group::kFilm,
                  "scene (YAML) that the frames should show; default: the scene of most frames, "
                  "in a tie the first frame's"});
  add_picture(line, options.scene);
  add_seed(line, options.scene);
  line.add_value(
      "manifest", "FILE", file_name(options.manifest, "a file name"),
      {Group::kResults,
       "write a line for each sound frame; its number, size and a hash (XXH3-128) of its pixels, "
       "however the file is packed. Two films with the same pixels have the same lines"});
  line.add_switch("delete", options.removes_corrupt,
                  {Group::kTask,
                   "remove the corrupt frames; any run draws them again. Foreign files, "
                   "links, and files that are not regular or cannot be opened stay"});
  add_threads(line, options.threads);
  add_quiet(line, options.verbosity, "print only the lists of frames, without reasons");
  line.add_note("PFM files name no scene: verify checks that they decode, and their size.");
  line.set_usual({"frames", "scene", "delete", "manifest", "quiet"});
  line.set_examples({"roundel verify film/title_####.png --frames 0-144",
                     "roundel verify film/title_####.png --frames all --scene scenes/title.yaml",
                     "roundel verify film/title_####.png --frames 0-144 --manifest film.txt"});
  line.set_exit_codes(
      "0 all frames exist and are sound; 1 some are not, also with --delete; 2 wrong command line; "
      "3 scene invalid; 4 manifest refused; 130, 143 after SIGINT (Ctrl-C), SIGTERM");
  line.set_guide("docs/films.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (!options.frames.is_given() && options.each.empty())
      problems.emplace_back("--frames: missing; write --frames 0-99, or --frames all with --scene");
    if (options.scene_path) return;
    if (!options.each.empty()) problems.emplace_back("--each: needs --scene");
    if (options.frames.all) problems.emplace_back("--frames: \"all\" needs --scene");
    const SceneOverrides& overrides = options.scene.overrides;
    if (overrides.seed || overrides.width || overrides.antialias || overrides.layers ||
        overrides.crop || overrides.scale != 1 || !overrides.vars.empty()) {
      problems.emplace_back(
          "--scene: needed by --size, --antialias, --no-antialias, --scale, --crop, --layers, "
          "--set and --seed");
    }
  });
  if (!line.parse(arguments)) return false;
  options.pattern = patterns.front();
  return true;
}

/// Returns "missing: 3,7-9", or an empty text.
std::string list_line(const char* what, const FrameList& frames) {
  return frames.empty() ? "" : fmt::format("{}: {}\n", what, frames_text(frames));
}

/// Throws Error if several frames would share a name.
FrameName name_of(const std::string& pattern, const std::optional<Scene>& scene,
                  const FrameList& frames, bool renumbers) {
  if (scene && scene->film && scene->film->name) return *scene->film->name;
  FrameName name(pattern);
  if (renumbers) name.renumber(frames);
  if (frames.size() == 1 || name.has_number()) return name;
  throw Error(
      ExitCode::kUsage,
      fmt::format("expected a name with the frame number as ####, %04d or {{frame:04}}, got {}",
                  roundel::quoted(pattern)));
}

/// Returns "300 96x64 0123…\n".
std::string manifest_line(std::int64_t frame, const std::string& path) {
  return fmt::format("{} {}\n", frame, pixel_hash(read_picture(path)));
}

/// Throws Error if the manifest cannot be written, or would replace an input.
void check_manifest(const VerifyOptions& options, const std::optional<Scene>& scene,
                    const FrameName& name, const FrameList& frames) {
  check_writable(*options.manifest, true);
  if (!std::filesystem::exists(*options.manifest)) return;
  std::vector<std::string> inputs = scene ? input_paths({*scene}) : std::vector<std::string>();
  if (!options.each.empty()) inputs.push_back(options.each);
  if (!options.frames.list_file.empty()) inputs.push_back(options.frames.list_file);
  for (const std::int64_t frame : frames) inputs.push_back(name.path(frame));
  check_output_is_no_input(*options.manifest, inputs, ExitCode::kOutputRefused);
}

void write_manifest(const std::string& file, const FrameName& name, const FrameList& sound) {
  std::vector<std::string> lines(sound.size());
  tbb::parallel_for(std::size_t{0}, sound.size(), [&](std::size_t i) {
    lines[i] = manifest_line(sound[i], name.path(sound[i]));
  });
  write_text_atomically(file, fmt::format("{}", fmt::join(lines, "")));
}

/// Removes the frames that are still corrupt: another process may have redrawn some. Returns
/// the number of removed files.
std::size_t remove_corrupt(const FrameName& name, const FrameList& corrupt, ImageFormat format) {
  WorkCount read;
  const ExistingFrames now(name, corrupt, format, FrameReading::kPixels, read);
  std::size_t removed = 0;
  for (std::size_t i = 0; i < corrupt.size(); ++i) {
    const std::string path = name.path(corrupt[i]);
    std::error_code error;
    if (now.files()[i].state != FrameState::kCorrupt ||
        !std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) {
      continue;
    }
    std::filesystem::remove(path, error);
    if (error)
      throw Error(ExitCode::kRuntimeFailure,
                  fmt::format("{}: cannot remove: {}", path, error.message()));
    ++removed;
  }
  return removed;
}

}  // namespace

int run_verify(const Arguments& arguments) {
  VerifyOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit(options.threads);
  const bool is_quiet = options.verbosity == Verbosity::kQuiet;
  std::optional<Scene> scene;
  if (options.scene_path)
    scene = load_film({*options.scene_path, options.each, options.pattern}, options.scene.overrides,
                      options.frames);
  const FrameList frames =
      scene ? frames_of(*scene, options.frames, 0) : options.frames.list.value_or(FrameList());
  const FrameName name = name_of(options.pattern, scene, frames, options.frames.renumbers);
  const ImageFormat format = format_of(name.path(frames.front()));
  NewFolders folders;
  if (options.manifest) {
    check_manifest(options, scene, name, frames);
    folders = make_folders_of({*options.manifest});
  }

  WorkCount read;
  std::optional<WorkProgress> progress;
  if (!is_quiet) progress.emplace(kReadingFrames, read);
  ExistingFrames existing(name, frames, format, FrameReading::kPixels, read);
  const ExpectedOrigin origin = scene ? origin_of(*scene) : existing.most_common_origin();
  existing.check_origins(origin, "expected", true);
  progress.reset();
  FrameList sound, missing, corrupt, foreign, bad;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FrameState state = existing.files()[i].state;
    const bool is_foreign = state == FrameState::kForeign || state == FrameState::kLink;
    (state == FrameState::kSound     ? sound
     : state == FrameState::kMissing ? missing
     : is_foreign                    ? foreign
                                     : corrupt)
        .push_back(frames[i]);
    if (state != FrameState::kSound) bad.push_back(frames[i]);
  }
  if (!is_quiet) {
    if (origin.fingerprints_vary && sound.size() > 1)
      print_err(
          fmt::format("{}: the scene moves, or there are several scenes; --scene SCENE checks it\n",
                      sound.size() > 2 ? "nearly every frame has a fingerprint of its own"
                                       : fmt::format("{} and {} differ in their fingerprints",
                                                     name.path(sound[0]), name.path(sound[1]))));
    const auto all = [](const FrameFile& /*file*/) { return true; };
    print_err(existing.fault_lines(all));
  }
  print_out(Lines(list_line("missing", missing)) + list_line("corrupt", corrupt) +
            list_line("foreign", foreign));
  if (!is_quiet && options.each.empty()) {
    const FrameList film =
        film_numbers(frames, scene ? &*scene : nullptr, options.frames.renumbers);
    const std::string line = leftovers_line(options.pattern, film);
    if (!line.empty()) print_err(line + "\n");
  }
  if (options.manifest) write_manifest(*options.manifest, name, sound);
  if (bad.empty()) {
    if (!is_quiet) {
      print_err(fmt::format("{} {} sound\n", counted(frames.size(), "frame"),
                            frames.size() == 1 ? "is" : "are"));
    }
    return static_cast<int>(ExitCode::kDone);
  }
  print_out(fmt::format("--frames {}\n", frames_text(bad)));
  if (options.removes_corrupt) {
    const std::size_t removed = remove_corrupt(name, corrupt, format);
    if (!is_quiet) print_err(fmt::format("{} deleted\n", counted(removed, "corrupt frame")));
  }
  return static_cast<int>(ExitCode::kRuntimeFailure);
}

}  // namespace roundel
