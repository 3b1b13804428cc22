#include "renderer/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "renderer/base/buffer.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "tools/roundel/cli/file_watch.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/surprises.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/export/export.h"

namespace roundel {
namespace {

/// The options that are for sequences, and their checks.
void add_sequence(CommandLine& line, RenderOptions& options) {
  add_frames(line, options.frames);
  add_renumber(line, options.frames);
  add_each(line, options.each, options.frames);
  line.add_switch(
      "resume", options.resume,
      "with --frames or --each: keep the frames that are there already, if they decode and were "
      "made from this scene and frame number, and render those that are missing or damaged; files "
      "of another scene, size, seed or program, and PFM files, which do not say, are refused, or "
      "rendered again with --overwrite; several such exports into one folder share the work");
  line.add_value(
      "shard", "I/N", [&options](const std::string& value) { options.shard = parse_shard(value); },
      "with --frames or --each: only share I (from 1) of N; auto asks Slurm, Open MPI or, as "
      "auto/N, Kubernetes which share this is");
  line.add_switch("split-frame", options.split_frame,
                  "all devices, or all ranks of mpirun, work on one frame together, each on a band "
                  "of it, instead of on a frame each: for few large frames; an existing FILE is "
                  "refused as with --frames");
  line.add_value(
      "format", "NAME",
      one_of(options.format, {{"png", {ImageFormat::kPng}},
                              {"exr", {ImageFormat::kExr}},
                              {"pfm", {ImageFormat::kPfm}},
                              {"rawvideo", {ImageFormat::kPng, VideoFormat::kRawVideo}},
                              {"y4m", {ImageFormat::kPng, VideoFormat::kY4m}}}),
      "png, exr or pfm: a FILE must end so, or as no picture's name does; pictures in a folder get "
      "that ending; for -o - also rawvideo (pixels alone) or y4m (BT.709, limited range), in the "
      "order of the frames (default: that of the ending, in a folder png)");
  line.add_value("pixel-format", "NAME",
                 one_of(options.pixels, {{"rgb24", PixelFormat::kRgb24},
                                         {"rgba", PixelFormat::kRgba},
                                         {"rgb48le", PixelFormat::kRgb48Le},
                                         {"rgba64le", PixelFormat::kRgba64Le},
                                         {"yuv420p", PixelFormat::kYuv420p},
                                         {"yuv444p", PixelFormat::kYuv444p},
                                         {"yuv420p10le", PixelFormat::kYuv420p10Le}}),
                 "of rawvideo: rgb24, rgba, rgb48le or rgba64le (default: with alpha for scenes "
                 "with alpha, 16 bits for scenes with bits: 16); of y4m: yuv420p, yuv444p or "
                 "yuv420p10le (default: yuv420p, yuv420p10le for bits: 16)");
  line.add_value("progress", "FORMAT",
                 one_of(options.progress, {{"auto", ProgressFormat::kAuto},
                                           {"none", ProgressFormat::kNone},
                                           {"bar", ProgressFormat::kBar},
                                           {"plain", ProgressFormat::kPlain},
                                           {"json", ProgressFormat::kJson},
                                           {"openjd", ProgressFormat::kOpenJd},
                                           {"deadline", ProgressFormat::kDeadline},
                                           {"blender", ProgressFormat::kBlender}}),
                 "on stderr: auto (bar on a terminal, else plain), none, bar, plain, json, or for "
                 "farm managers openjd, deadline, blender; without --frames and --each only of "
                 "pictures that take long (default: auto)");
}

void check_sequence(const RenderOptions& options, CommandLine::Problems& problems) {
  const auto needs_frames = [&](bool given, const char* option) {
    if (given && !options.is_sequence())
      problems.push_back(fmt::format("{}: expected --frames or --each too", option));
  };
  needs_frames(options.resume, "--resume");
  needs_frames(options.shard.has_value(), "--shard");
  if (options.frames.is_given() && options.each.empty() && options.scene.frame) {
    problems.emplace_back("--frame: expected one of --frame and --frames");
  }
  if (options.is_film() && options.scenes.size() > 1) {
    problems.push_back(fmt::format("{}: expected one scene", !options.each.empty() ? "--each"
                                                             : options.frames.is_given()
                                                                 ? "--frames"
                                                             : options.split_frame ? "--split-frame"
                                                                                   : "--output"));
  }
  if (options.is_video() && !options.is_stream()) {
    problems.push_back("--format: expected -o - for rawvideo and y4m" +
                       video_hint(options.output.value_or("")));
  }
  if (options.pixels != PixelFormat::kAsScene &&
      (!options.format ||
       options.format->video !=
           (is_yuv(options.pixels) ? VideoFormat::kY4m : VideoFormat::kRawVideo))) {
    problems.emplace_back(is_yuv(options.pixels)
                              ? "--pixel-format: expected --format y4m too"
                              : "--pixel-format: expected --format rawvideo too");
  }
  if (options.watches && options.is_film())
    problems.emplace_back(
        "--watch: expected files of single pictures, without -o -, --frames and --each");
  if (options.watches && std::any_of(options.scenes.begin(), options.scenes.end(), is_stream_path))
    problems.emplace_back("--watch: expected scene files, not standard input");
  if (options.is_stream()) {
    if (!options.format) problems.emplace_back("--output: expected --format for standard output");
    if (options.resume) problems.emplace_back("--resume: expected files, not standard output");
    if (options.stats == StatsFormat::kJson) {
      problems.emplace_back("--stats: expected table, as standard output has the pictures");
    }
  }
}

/// Pictures that this process has made.
using Made = std::set<std::string>;

/// One picture to make.
struct Still {
  const Scene& scene;
  ExportPlan plan;
};

/// Throws Error where the picture of a scene cannot be written, or would replace one of the files
/// in `inputs`.
Still plan_still(const Scene& scene, const RenderOptions& options, const InputFiles& inputs,
                 const Made& made) {
  Still still{scene, plan_export(scene, options)};
  const bool named_by_hand = options.output && !names_folder(*options.output);
  const bool may_replace = named_by_hand || options.overwrite || made.count(still.plan.path()) > 0;
  check_writable(still.plan.path(), may_replace);
  inputs.check_keeps(still.plan.path(), ExitCode::kOutputRefused);
  return still;
}

/// Values are checked as they are read.
bool has_unread_data(const Scene& scene) {
  return std::any_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
    const auto* const data = std::get_if<DataSource>(&layer.source);
    return data != nullptr && data->facts == nullptr;
  });
}

std::vector<Still> plan_stills(const std::vector<Scene>& scenes, const RenderOptions& options,
                               const Made& made, Problems& problems) {
  std::vector<Still> stills;
  std::map<std::string, std::string> writers;  // scene by picture
  const InputFiles inputs(files_read(scenes));
  for (const Scene& scene : scenes) {
    problems.attempt([&] {
      Still still = plan_still(scene, options, inputs, made);
      const auto [other, is_new] = writers.emplace(behind_links(still.plan.path()), scene.path);
      if (!is_new) {
        throw Error(ExitCode::kUsage, fmt::format("{} and {} would both be written to {}",
                                                  other->second, scene.path, still.plan.path()));
      }
      if (scenes.size() > 1 && has_unread_data(scene)) {
        Circles unused;
        CircleSource(scene).generate(still.plan.frames.front(), unused);
      }
      stills.push_back(std::move(still));
    });
  }
  return stills;
}

void report(const Still& still, const std::string& backend, const ExportResult& result,
            const CircleSample& sample, const RenderOptions& options) {
  const std::int64_t frame = still.plan.frames.front();
  print_err(frame_text(options.progress, frame, still.plan.path()));
  print_report({still.scene, still.plan.path(), backend, result, frame}, options, [&] {
    warn_of_surprises(still.scene, still.plan.format.picture, sample, 1, false);
    warn_of_nothing(still.scene, still.plan.format.picture, sample, frame, result.stages.overlaps);
  });
}

/// Shows how far a picture of very many circles is; their making is what takes long.
std::unique_ptr<WorkProgress> show_drawing(const Still& still, const RenderOptions& options,
                                           const WorkCount& progress) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 24;
  const bool is_silent =
      options.verbosity == Verbosity::kQuiet && options.progress == ProgressFormat::kAuto;
  if (is_silent || count_circles(still.scene) < kMany) return nullptr;
  return std::make_unique<WorkProgress>(still.plan.path(), progress, options.progress);
}

/// Runs `draw`. A rasterizer knows no files: where it has too little memory, the scene is named
/// here.
template <typename Draw>
void draw_named(const Scene& scene, const Draw& draw) try {
  draw();
} catch (const Error& error) {
  const std::string_view text = error.what();
  if (!text.starts_with("--memory: ")) throw;
  throw Error(error.exit_code(), fmt::format("{}: {}", scene.path, text));
}

/// Draws a picture of each scene, and adds them to `made`. Returns the exit code.
ExitCode draw_stills(const RenderOptions& options, Made& made) {
  Problems problems;
  const std::vector<Scene> scenes = load_scenes(options.scenes, options.scene.overrides, problems);
  const std::vector<Still> stills = plan_stills(scenes, options, made, problems);
  // Who watches gets the pictures of the scenes beside one that is being mended.
  if (!problems.empty() && (!options.watches || stills.empty())) return problems.exit_code();

  PictureWork work = 0;
  std::vector<std::string> paths;
  for (const Still& still : stills) {
    work += work_of(still.scene);
    paths.push_back(still.plan.path());
  }
  const ChosenBackend chosen = choose_backend(options.machine, work);
  const std::unique_ptr<Rasterizer> rasterizer =
      make_rasterizer(chosen.backend, options.machine.raster);
  const NewFolders folders = make_folders_of(paths);
  // Many pictures wait for the disk once.
  const Sync sync = stills.size() > 1 ? Sync::kLater : Sync::kNow;
  FileSystems file_systems;
  for (const Still& still : stills) {
    const bool is_drawn = problems.attempt([&] {
      const Stopwatch watch;
      ExportResult result;
      WorkCount progress;
      std::unique_ptr<WorkProgress> shown = show_drawing(still, options, progress);
      CircleSample sample;
      draw_named(still.scene, [&] {
        sample =
            render_to_file(still.scene, still.plan.frames.front(), *rasterizer, still.plan.path(),
                           result.stages, still.plan.format.picture, &progress, sync);
      });
      shown.reset();
      result.seconds = watch.seconds();
      report(still, backend_name(chosen.backend), result, sample, options);
    });
    if (!is_drawn) continue;
    made.insert(still.plan.path());
    if (sync == Sync::kLater)
      file_systems.add(
          std::filesystem::path(behind_links(still.plan.path())).parent_path().string());
  }
  problems.attempt([&] { file_systems.sync(); });
  const bool some_failed = !problems.empty() && problems.count() < stills.size();
  return some_failed ? ExitCode::kSomeFramesFailed : problems.exit_code();
}

/// Draws again whenever a file changes, until a signal ends the process.
[[noreturn]] void watch_stills(RenderOptions options) {
  Made made;
  FileWatch watch;
  const std::set<std::string> scenes(options.scenes.begin(), options.scenes.end());
  for (const std::string& scene : scenes) watch.add(scene);
  std::set<std::string> files = scenes;
  options.scene.overrides.on_data_file = [&](const std::string& path) {
    files.insert(path);
    watch.add(path);
  };
  for (bool is_first = true;; is_first = false) {
    Problems problems;
    problems.attempt([&] { draw_stills(options, made); });
    watch.keep(files);
    if (is_first && options.verbosity != Verbosity::kQuiet)
      print_err(fmt::format("watching {}; Ctrl-C ends\n", counted(files.size(), "file")));
    watch.wait();
    files = scenes;
  }
}

}  // namespace

std::optional<ImageFormat> RenderOptions::picture_format() const {
  return format && !is_video() ? std::optional(format->picture) : std::nullopt;
}

bool parse(const Arguments& arguments, RenderOptions& options) {
  CommandLine line("render", "SCENE... [-o FILE] [OPTION...]",
                   "Renders one frame of each scene into a picture, or with --frames a sequence of "
                   "frames of one scene, or of a scene file a frame (scene_####.yaml), or with "
                   "--each a picture for each row of a table.");
  add_scenes(line, options.scenes);
  line.add_value("output,o", "FILE",
                 text(options.output, "a file name ending in .png, .exr or .pfm, or a folder"),
                 "picture to write: .png, .exr or .pfm (float); ####, %04d or {frame:04} stands "
                 "for the frame number with 4 digits or more, with --each {column} for a field; or "
                 "a folder (an existing one, or ending in /) for SCENE.png, or the ending of "
                 "--format, needed with several scenes; missing folders are made; "
                 "or - for standard output, with --format. A symbolic link named by FILE is "
                 "followed; frames of a sequence replace links (default: the scene's \"output\")");
  line.add_switch(
      "overwrite", options.overwrite,
      "replace existing pictures of a sequence (with --resume only those that are not right), and "
      "those whose names come from a scene or a folder; a single FILE named by -o is always "
      "replaced, at once and as a whole; never a file that the command reads");
  line.add_switch("watch", options.watches,
                  "draw again whenever a scene or its data change, until Ctrl-C; quick with "
                  "--scale; what is wrong with a scene is said, and the picture stays as it is");
  add_sequence(line, options);
  add_picture(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_optional_value(
      "stats", "FORMAT", "table",
      one_of(options.stats, {{"table", StatsFormat::kTable}, {"json", StatsFormat::kJson}}),
      "report time (ms), share and bytes of each stage: table on stderr, or json on stdout, one "
      "object a line for each picture (default: table)");
  add_quiet(line, options.verbosity);
  add_verbose(line, options.verbosity, "say which backend was chosen and why");
  line.add_note(
      "All scenes are checked before the first is rendered. The same frame is the same file, byte "
      "for byte, whatever the backend, the number of threads or the memory.");
  line.add_note(exit_codes(ExitCode::kSomeFramesFailed));
  line.add_check([&options](CommandLine::Problems& problems) {
    if (!options.is_video())
      check_output_option(options.output, options.scenes.size(), problems,
                          options.picture_format());
    check_sequence(options, problems);
  });
  if (!line.parse(arguments)) return false;
  options.scene.overrides.memory = options.machine.raster.memory_budget;
  options.machine.raster.times_stages = options.stats != StatsFormat::kNone;
  return true;
}

namespace {

/// `options`: set as far as the command line is read.
int render(const Arguments& arguments, RenderOptions& options) {
  if (!parse(arguments, options)) return 0;
  set_verbosity(options.verbosity);
  if (options.is_film()) return export_film(options);
  keep_no_freed_blocks();
  give_back_freed_blocks();
  const ThreadLimit thread_limit(options.machine.raster.threads);

  if (options.watches) watch_stills(options);
  Made made;
  return static_cast<int>(draw_stills(options, made));
}

}  // namespace

int run_render(const Arguments& arguments) {
  RenderOptions options;
  const auto report_failure = [&options](const std::string& reason) {
    if (options.progress == ProgressFormat::kOpenJd) print_err("openjd_fail: " + reason + "\n");
  };
  try {
    const int code = render(arguments, options);
    if (code != 0) report_failure(fmt::format("roundel render: exit code {}", code));
    return code;
  } catch (...) {
    const std::string text = current_error().what();
    report_failure("roundel render: " + printable(text.substr(0, text.find('\n'))));
    throw;
  }
}

}  // namespace roundel
