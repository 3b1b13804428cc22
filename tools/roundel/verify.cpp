#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/text.h"
#include "renderer/sequence/existing_frames.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/export_plan.h"
#include "tools/roundel/machine.h"
#include "tools/roundel/options.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

/// The fingerprint that most of the frames have; empty where none has one.
std::string most_common_fingerprint(const std::vector<FrameFile>& files) {
  std::map<std::string, std::size_t> counts;
  for (const FrameFile& file : files) {
    if (file.state == FrameState::kSound && !file.fingerprint.empty()) ++counts[file.fingerprint];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
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
  const FrameList frames = scene ? frames_of(*scene, options.frames, options.all_frames, 0)
                                 : options.frames.value_or(FrameList());
  const FrameName name(options.pattern);
  format_of(name.path(frames.front()));
  if (frames.size() > 1 && !name.has_number()) {
    throw Error(ExitCode::kUsage,
                fmt::format("expected a name with the frame number as ####, %04d or {{frame:04}}, "
                            "got {}",
                            roundel::quoted(options.pattern)));
  }

  const std::vector<FrameFile> files = examine_frames(name, frames);
  const std::string expected = scene ? fingerprint(*scene) : most_common_fingerprint(files);
  FrameList missing, corrupt, foreign, bad;
  for (std::size_t i = 0; i < files.size(); ++i) {
    FrameFile file = files[i];
    if (file.state == FrameState::kSound && !file.fingerprint.empty() &&
        file.fingerprint != expected) {
      file = {FrameState::kForeign, file.fingerprint,
              name.path(frames[i]) + ": is of another scene"};
    }
    if (file.state == FrameState::kSound) continue;
    (file.state == FrameState::kMissing   ? missing
     : file.state == FrameState::kCorrupt ? corrupt
                                          : foreign)
        .push_back(frames[i]);
    bad.push_back(frames[i]);
    const bool has_reason = options.verbosity != Verbosity::kQuiet && !file.problem.empty();
    if (has_reason) print_err(file.problem + "\n");
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
