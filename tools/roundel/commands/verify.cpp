#include <fmt/format.h>

#include <string>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/image/files.h"
#include "renderer/scene/load_scene.h"
#include "renderer/sequence/existing_frames.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

struct VerifyOptions {
  std::string pattern;
  std::optional<std::string> scene_path;  ///< without one the frames are compared with each other
  FramesOption frames;
  int threads = 0;
  SceneOptions scene;
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, VerifyOptions& options) {
  CommandLine line(
      "verify", "PATTERN --frames LIST [OPTION...]",
      "Decodes the frames of a sequence, in parallel, and prints those that are missing, corrupt "
      "(do not decode) or foreign (made from another scene, or another frame than their name "
      "says) as lists of frames on stdout.");
  std::vector<std::string> patterns;
  line.add_arguments("PATTERN", 1, 1, patterns,
                     "name of the files, with the frame number as ####, %04d or {frame:04}");
  add_frames(line, options.frames);
  line.add_value("scene", "SCENE", text(options.scene_path),
                 "scene (YAML) that the frames should be of (default: that of most of them)");
  add_size(line, options.scene);
  add_part(line, options.scene);
  add_layers(line, options.scene);
  add_seed(line, options.scene);
  add_threads(line, options.threads);
  add_quiet(line, options.verbosity, "print the lists of frames only, without reasons");
  line.add_note(
      "PFM files say nothing of their origin: that they decode, and their size, is all that is "
      "checked.");
  line.add_note(
      "Exit codes: 0 all frames are there and sound; 1 some are not; 2 wrong command line; 3 scene "
      "invalid; 130, 143 after SIGINT, SIGTERM.");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (!options.frames.is_given()) problems.emplace_back("--frames: expected LIST");
    if (options.scene_path) return;
    if (options.frames.all) problems.emplace_back("--frames: expected --scene too for \"all\"");
    const SceneOverrides& overrides = options.scene.overrides;
    if (overrides.seed || overrides.width || overrides.layers || overrides.crop ||
        overrides.scale != 1 || !overrides.vars.empty()) {
      problems.emplace_back(
          "--scene: expected with --size, --scale, --crop, --layers, --set and --seed");
    }
  });
  if (!line.parse(arguments)) return false;
  options.pattern = patterns.front();
  return true;
}

/// "missing: 3,7-9", or nothing.
std::string list_line(const char* what, const FrameList& frames) {
  return frames.empty() ? "" : fmt::format("{}: {}\n", what, frames_text(frames));
}

}  // namespace

int run_verify(const Arguments& arguments) {
  VerifyOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit(options.threads);
  std::optional<Scene> scene;
  if (options.scene_path) scene = load_scene(*options.scene_path, options.scene.overrides);
  const FrameList frames =
      scene ? frames_of(*scene, options.frames, 0) : options.frames.list.value_or(FrameList());
  const FrameName name(options.pattern);
  const ImageFormat format = format_of(name.path(frames.front()));
  if (frames.size() > 1 && !name.has_number()) {
    throw Error(ExitCode::kUsage,
                fmt::format("expected a name with the frame number as ####, %04d or {{frame:04}}, "
                            "got {}",
                            roundel::quoted(options.pattern)));
  }

  std::vector<FrameFile> files = examine_frames(name, frames, format);
  const FrameOrigin origin = scene ? origin_of(*scene) : most_common_origin(files);
  judge_frames(files, frames, origin, "expected");
  FrameList missing, corrupt, foreign, bad;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FrameState state = files[i].state;
    if (state == FrameState::kSound) continue;
    const bool is_foreign = state == FrameState::kForeign || state == FrameState::kLink;
    (state == FrameState::kMissing ? missing : is_foreign ? foreign : corrupt).push_back(frames[i]);
    bad.push_back(frames[i]);
  }
  if (options.verbosity != Verbosity::kQuiet) {
    if (!scene && origin.fingerprint_of)
      print_err(
          "nearly every frame has a fingerprint of its own, as in a film of data: with --scene it "
          "is "
          "checked which is right\n");
    const auto all = [](const FrameFile& /*file*/) { return true; };
    for (const std::string& line : fault_lines(name, frames, files, all)) print_err(line + "\n");
  }
  print_out(list_line("missing", missing) + list_line("corrupt", corrupt) +
            list_line("foreign", foreign));
  if (bad.empty()) {
    if (options.verbosity != Verbosity::kQuiet) {
      print_err(fmt::format("{} {} sound\n", counted(frames.size(), "frame"),
                            frames.size() == 1 ? "is" : "are"));
    }
    return static_cast<int>(ExitCode::kDone);
  }
  print_out(fmt::format("--frames {}\n", frames_text(bad)));
  return static_cast<int>(ExitCode::kRuntimeFailure);
}

}  // namespace roundel
