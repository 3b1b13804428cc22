#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/film/frame_list.h"
#include "renderer/machine_options.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {

/// Options of several commands, each declared once. All keep references to their targets.

/// Values on the command line that override those of the scene files.
struct SceneOptions {
  SceneOverrides overrides;
  std::optional<std::int64_t> frame;  ///< default: the scene's first
};
/// "X,Y,W,H": the upper left pixel, from 0, then width and height, from 1.
std::array<int, 4> parse_box(const std::string& text);
void add_scenes(CommandLine& line, std::vector<std::string>& scenes);
/// --size, --antialias and --no-antialias
void add_size(CommandLine& line, SceneOptions& options);
void add_scale(CommandLine& line, SceneOptions& options);
/// --layers
void add_layers(CommandLine& line, SceneOptions& options);
/// add_size(), --scale, --crop and --layers
void add_picture(CommandLine& line, SceneOptions& options);
/// --set
void add_vars(CommandLine& line, SceneOptions& options);
/// --set and --seed
void add_seed(CommandLine& line, SceneOptions& options);
void add_seed_and_frame(CommandLine& line, SceneOptions& options);
/// Returns the frame on the command line, or the scene's first.
std::int64_t frame_of(const Scene& scene, const SceneOptions& options);

/// --frames LIST
struct FramesOption {
  std::optional<FrameList> list;
  std::string list_file;   ///< `list` was read from this file; may be empty
  bool all = false;        ///< all frames of the scene's animation
  bool renumbers = false;  ///< names count them from 0

  bool is_given() const { return list || all; }
};
void add_frames(CommandLine& line, FramesOption& frames);
/// --each; `needs`: the end of its help about what it requires.
void add_each(CommandLine& line, std::string& table, FramesOption& frames,
              const std::string& needs = "");
/// --renumber
void add_renumber(CommandLine& line, FramesOption& frames);
/// Returns the frames of --frames; without it `otherwise`, but all rows of a table. Throws
/// Error(kUsage) for "all" if the scene has no animation.
FrameList frames_of(const Scene& scene, const FramesOption& frames, std::int64_t otherwise);

void add_backend(CommandLine& line, BackendChoice& backend, const std::string& help,
                 bool* is_on_both = nullptr);
/// --backend, --device, --threads and --memory. `is_on_both`: --backend cpu,cuda, for commands that
/// support it.
void add_machine(CommandLine& line, MachineOptions& options, bool* is_on_both = nullptr);

inline constexpr int kMaxThreads = 1024;
/// `help` replaces "number of CPU threads" if the number means something else.
void add_threads(CommandLine& line, int& threads, const std::string& help = "");
/// `help`: what the memory is for; sizes are read by parse_memory().
void add_memory(CommandLine& line, std::uint64_t& budget, const std::string& help);

void add_quiet(CommandLine& line, Verbosity& verbosity,
               const std::string& help = "print errors only");
void add_verbose(CommandLine& line, Verbosity& verbosity, const std::string& help);

/// Returns the exit codes up to `last`, for the help. `invalid`: the meaning of
/// ExitCode::kInvalidScene.
std::string exit_codes(ExitCode last, const std::string& invalid = "scene or data invalid");

}  // namespace roundel
