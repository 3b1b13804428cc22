#include "renderer/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "renderer/base/buffer.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/warnings.h"
#include "tools/roundel/cli/guesses.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/export.h"

namespace roundel {
namespace {

/// "half,piz": values and compression, in any order.
ExrStorage parse_exr(const std::string& value) {
  static constexpr std::pair<std::string_view, ExrCompression> kCompressions[] = {
      {"none", ExrCompression::kNone},
      {"rle", ExrCompression::kRle},
      {"zips", ExrCompression::kZips},
      {"zip", ExrCompression::kZip},
      {"piz", ExrCompression::kPiz}};
  ExrStorage storage;
  std::size_t end = 0;
  for (std::size_t at = 0; at <= value.size(); at = end + 1) {
    end = std::min(value.find(',', at), value.size());
    const std::string_view word = std::string_view(value).substr(at, end - at);
    const auto* const known = std::find_if(std::begin(kCompressions), std::end(kCompressions),
                                           [&](const auto& entry) { return entry.first == word; });
    if (known != std::end(kCompressions))
      storage.compression = known->second;
    else if (word == "half" || word == "float")
      storage.is_half = word == "half";
    else
      throw Expected{"half or float, and none, rle, zips, zip or piz, such as half,piz"};
  }
  return storage;
}

void add_sequence(CommandLine& line, RenderOptions& options) {
  add_frames(line, options.frames);
  add_renumber(line, options.frames);
  add_each(line, options.each, options.frames);
  line.add_switch(
      "resume", options.resume,
      {Group::kFilm,
       "keep finished frames, draw missing and damaged ones; with --frames or --each. A finished "
       "frame decodes and was made by this version of Roundel, from this scene and frame number. "
       "Frames of another scene, size, seed or program are refused, and PFM files, which name no "
       "scene; --overwrite draws them again. Several such runs into one folder share the work"});
  line.add_value("shard", "I/N",
                 [&options](const std::string& value) { options.shard = parse_shard(value); },
                 {Group::kFilm,
                  "draw only share I (from 1) of N of the frames; with --frames or --each. auto "
                  "asks Slurm, Open MPI or, as auto/N, Kubernetes for the share"});
  line.add_switch(
      "split-frame", options.split_frame,
      {Group::kFilm,
       "share each frame between all devices of this machine, each of which draws a band of it: "
       "for few large frames. An existing FILE is refused, as with --frames"});
  line.add_value(
      "format", "NAME",
      one_of(options.format, {{"png", {ImageFormat::kPng}},
                              {"exr", {ImageFormat::kExr}},
                              {"pfm", {ImageFormat::kPfm}},
                              {"rawvideo", {ImageFormat::kPng, VideoFormat::kRawVideo}},
                              {"y4m", {ImageFormat::kPng, VideoFormat::kY4m}}}),
      {Group::kPicture,
       "png, exr or pfm; FILE's extension must match, or be none of these; pictures in a folder "
       "get this extension. With -o - also rawvideo (pixels alone) or y4m (BT.709, limited range), "
       "in the order of the frames. Default: by FILE's extension, otherwise png"});
  line.add_value(
      "exr", "STORAGE", [&options](const std::string& value) { options.exr = parse_exr(value); },
      {Group::kPicture,
       "values and compression of EXR files, such as half,piz; half or float, and none, "
       "rle, zips, zip or piz. Half floats keep 11 bits, and values up to 65504. Default: "
       "float,zip"});
  line.add_value("pixel-format", "NAME",
                 one_of(options.pixels, {{"rgb24", PixelFormat::kRgb24},
                                         {"rgba", PixelFormat::kRgba},
                                         {"rgb48le", PixelFormat::kRgb48Le},
                                         {"rgba64le", PixelFormat::kRgba64Le},
                                         {"yuv420p", PixelFormat::kYuv420p},
                                         {"yuv444p", PixelFormat::kYuv444p},
                                         {"yuv420p10le", PixelFormat::kYuv420p10Le}}),
                 {Group::kFilm,
                  "pixels of rawvideo and y4m; rawvideo: rgb24, rgba, rgb48le or rgba64le "
                  "(default: with alpha if the scene has alpha, 16 bits if it has bits: 16). y4m: "
                  "yuv420p, yuv444p or yuv420p10le (default: yuv420p, for bits: 16 yuv420p10le)"});
  line.add_value(
      "audio", "FILE", text(options.audio, "the name of a file"),
      {Group::kFilm,
       "sound of a video (.mp4, .mov, .webm); its first track, cut where the film ends"});
  line.add_value("progress", "FORMAT",
                 one_of(options.progress, {{"auto", ProgressFormat::kAuto},
                                           {"none", ProgressFormat::kNone},
                                           {"bar", ProgressFormat::kBar},
                                           {"plain", ProgressFormat::kPlain},
                                           {"json", ProgressFormat::kJson},
                                           {"openjd", ProgressFormat::kOpenJd},
                                           {"deadline", ProgressFormat::kDeadline},
                                           {"blender", ProgressFormat::kBlender}}),
                 {Group::kMessages,
                  "progress on stderr; auto (bar on a terminal, otherwise plain), none, bar, "
                  "plain, json, or for farm managers openjd, deadline, blender. A single picture "
                  "shows it only if it takes long. Default: auto"});
}

/// A video is one file, of all frames.
void check_video(const RenderOptions& options, CommandLine::Problems& problems) {
  const auto refuse = [&](bool given, const char* option, const char* reason) {
    if (given) problems.push_back(fmt::format("{}: {}", option, reason));
  };
  constexpr const char* kNeedsFiles =
      "needs frames in files, got a video; write 'f_####.png', then join them: docs/films.md";
  constexpr const char* kByExtension = "the video's extension chooses it; leave this option out";
  refuse(options.resume, "--resume", kNeedsFiles);
  refuse(options.shard.has_value(), "--shard", kNeedsFiles);
  refuse(options.frames.renumbers, "--renumber", kNeedsFiles);
  refuse(!options.each.empty(), "--each", "needs pictures in files, got a video");
  refuse(options.format.has_value(), "--format", kByExtension);
  refuse(options.pixels != PixelFormat::kAsScene, "--pixel-format", kByExtension);
  bool has_number = true;
  const auto invalid = catch_error([&] { has_number = FrameName(*options.output).has_number(); });
  if (has_number || invalid)
    problems.push_back(
        fmt::format("--output: a video is one file for all frames, expected a name without frame "
                    "number, got {}",
                    roundel::quoted(*options.output)));
  if (!options.audio.empty() && !has_sound(*video_kind(*options.output)))
    problems.emplace_back("--audio: this file has no sound; expected -o FILE.mp4, .mov or .webm");
}

void check_sequence(const RenderOptions& options, CommandLine::Problems& problems) {
  if (options.is_video())
    check_video(options, problems);
  else if (!options.audio.empty())
    problems.emplace_back("--audio: needs a video: -o FILE.mp4, .mov or .webm");
  const auto needs_frames = [&](bool given, const char* option) {
    if (given && !options.is_sequence() && !options.is_video())
      problems.push_back(fmt::format("{}: needs --frames or --each", option));
  };
  needs_frames(options.resume, "--resume");
  needs_frames(options.shard.has_value(), "--shard");
  if (options.frames.is_given() && options.each.empty() && options.scene.frame) {
    problems.emplace_back("--frame: expected --frame or --frames, got both");
  }
  if (options.is_film() && options.scenes.size() > 1) {
    const char* const option = !options.each.empty()       ? "--each"
                               : options.frames.is_given() ? "--frames"
                               : options.split_frame       ? "--split-frame"
                                                           : "--output";
    problems.push_back(
        fmt::format("{}: expected one scene, got {}", option, options.scenes.size()));
  }
  if (options.has_stream_format() && !options.is_stream() && !options.is_video())
    problems.emplace_back("--format: rawvideo and y4m go to standard output: -o -");
  if (options.pixels != PixelFormat::kAsScene && !options.is_video() &&
      (!options.format ||
       options.format->video !=
           (is_yuv(options.pixels) ? VideoFormat::kY4m : VideoFormat::kRawVideo))) {
    problems.emplace_back(is_yuv(options.pixels)
                              ? "--pixel-format: this one needs --format y4m"
                              : "--pixel-format: this one needs --format rawvideo");
  }
  if (options.watches && (options.is_stream() || options.is_video() || options.split_frame))
    problems.emplace_back("--watch: draws pictures in files, without -o -, videos, --split-frame");
  if (options.watches &&
      (is_stream_path(options.each) ||
       std::any_of(options.scenes.begin(), options.scenes.end(), is_stream_path)))
    problems.emplace_back("--watch: needs scene files, not standard input");
  if (options.is_stream()) {
    if (!options.format && options.is_sequence())
      problems.emplace_back(
          "--output: standard output needs --format png, exr, pfm, rawvideo or y4m");
    if (options.resume) problems.emplace_back("--resume: needs files, not standard output");
    if (options.stats == StatsFormat::kJson)
      problems.emplace_back("--stats: standard output has the pictures; use --stats=table");
  }
  // "render first.yaml out.png"
  const std::string& last = options.scenes.back();
  if (!options.output && options.scenes.size() > 1 && has_picture_ending(last))
    problems.push_back(fmt::format("{}: expected a scene; to write this file: -o {}",
                                   roundel::quoted(last), shell_word(last)));
}

/// Pictures that this process has made.
using Made = std::set<std::string>;

struct Still {
  const Scene& scene;
  ExportPlan plan;
};

/// Throws Error if the picture of a scene cannot be written, or would replace one of the files in
/// `inputs`.
Still plan_still(const Scene& scene, const RenderOptions& options, const InputFiles& inputs,
                 const Made& made) {
  Still still{scene, plan_export(scene, options)};
  const bool is_named_by_user = options.output && !names_folder(*options.output);
  const bool may_replace =
      is_named_by_user || options.overwrite || made.count(still.plan.path()) > 0;
  check_writable(still.plan.path(), may_replace);
  inputs.check_output(still.plan.path(), ExitCode::kOutputRefused);
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
  std::map<std::string, std::string> writers;  // scene of each picture
  const InputFiles inputs(input_paths(scenes));
  for (const Scene& scene : scenes) {
    problems.attempt([&] {
      Still still = plan_still(scene, options, inputs, made);
      const auto [other, is_new] = writers.emplace(link_target(still.plan.path()), scene.path);
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
    const Lines warnings = SceneWarnings().about(
        {still.scene, frame, still.plan.format.picture, sample, result.stages.overlaps});
    print_warnings(with_path(still.scene, warnings));
  });
}

/// Shows the progress of a picture of very many circles, whose making takes longest.
std::unique_ptr<WorkProgress> show_drawing(const Still& still, const RenderOptions& options,
                                           const WorkCount& progress) {
  constexpr std::uint64_t kMinShownCircles = std::uint64_t{1} << 24;
  const bool is_silent =
      options.verbosity == Verbosity::kQuiet && options.progress == ProgressFormat::kAuto;
  if (is_silent || count_circles(still.scene) < kMinShownCircles) return nullptr;
  return std::make_unique<WorkProgress>(still.plan.path(), progress, options.progress);
}

/// Runs `draw`. A rasterizer knows no files, so a lack of memory gets the scene's name here.
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
  // With --watch the other scenes are drawn while one of them is broken.
  if (!problems.empty() && (!options.watches || stills.empty())) return problems.exit_code();

  DrawingCost cost;
  std::vector<std::string> paths;
  for (const Still& still : stills) {
    cost += drawing_cost(still.scene);
    paths.push_back(still.plan.path());
  }
  // CUDA starts in 70 % of the time with one connection, and stills are drawn one after the other.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);  // NOLINT(concurrency-mt-unsafe): no other thread
  const ChosenBackend chosen = choose_backend(options.machine, cost);
  const std::unique_ptr<Rasterizer> rasterizer =
      make_rasterizer(chosen.backend, options.machine.raster);
  const NewFolders folders = make_folders_of(paths);
  // Many pictures are synced to disk together.
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
        sample = render_to_file(still.scene, still.plan.frames.front(), *rasterizer,
                                still.plan.path(), result.stages, still.plan.format.picture,
                                &progress, sync, still.plan.format.exr);
      });
      shown.reset();
      result.seconds = watch.seconds();
      report(still, backend_name(chosen.backend), result, sample, options);
    });
    if (!is_drawn) continue;
    made.insert(still.plan.path());
    if (sync == Sync::kLater)
      file_systems.add(
          std::filesystem::path(link_target(still.plan.path())).parent_path().string());
  }
  problems.attempt([&] { file_systems.sync(); });
  const bool some_failed = !problems.empty() && problems.count() < stills.size();
  return some_failed ? ExitCode::kSomeFramesFailed : problems.exit_code();
}

}  // namespace

std::optional<ImageFormat> RenderOptions::picture_format() const {
  return format && !has_stream_format() ? std::optional(format->picture) : std::nullopt;
}

bool RenderOptions::is_video() const {
  return output && video_kind(*output) && !names_folder(*output);
}

bool parse(const Arguments& arguments, RenderOptions& options) {
  CommandLine line("render", "SCENE... [-o FILE] [OPTION...]",
                   "Draws one frame of each scene into a picture, or a film with --frames. SCENE "
                   "may name a scene file for each frame (scene_####.yaml). --each draws a picture "
                   "for each row of a table.");
  add_scenes(line, options.scenes);
  line.add_value(
      "output,o", "FILE",
      text(options.output, "a file name ending in .png, .exr or .pfm, or a folder"),
      {Group::kPicture,
       "picture (.png, .exr or .pfm), video (.mp4), or folder; #### stands for the frame number "
       "with "
       "4 digits or more, also %04d or {frame:04}; with --each {column} stands for a field. A "
       "folder exists or ends in /; it gets SCENE.png, or the extension of --format; several "
       "scenes need one. Missing folders are made. - is standard output. A symbolic link named by "
       "FILE is followed; frames of a film replace links. A video (.mp4, .mov, .webm, .gif or "
       ".apng) has all frames of the animation, or those of --frames; the program ffmpeg makes it. "
       "Default: the scene's \"output\""});
  line.add_switch("overwrite", options.overwrite,
                  {Group::kPicture,
                   "replace existing pictures; needed for films, and for names that come from a "
                   "scene or a folder. A single FILE named by -o is always replaced, at once and "
                   "as a whole. With --resume replaces only pictures that are not right. Never "
                   "replaces a file that the command reads"});
  line.add_switch("watch", options.watches,
                  {Group::kPicture,
                   "draw again whenever a scene or its data change; until Ctrl-C. Errors are "
                   "printed; the last good picture is kept. Quick with --scale. A film's frames "
                   "are drawn if they have changed"});
  add_picture(line, options.scene);
  add_sequence(line, options);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_optional_value(
      "stats", "FORMAT", "table",
      one_of(options.stats, {{"table", StatsFormat::kTable}, {"json", StatsFormat::kJson}}),
      {Group::kMessages,
       "print time (ms), share and bytes of each stage; table on stderr, or json on stdout: one "
       "object a line for each picture. Default: table"});
  add_quiet(line, options.verbosity);
  add_verbose(line, options.verbosity, "print which backend was chosen, and why");
  line.add_note(
      "All scenes are checked before the first is drawn. A frame is the same file, byte for byte, "
      "with any backend, number of threads or memory. A failed or interrupted run leaves no "
      "partial file.");
  line.set_usual({"output", "size", "antialias", "watch", "frame", "frames", "resume", "set"});
  line.set_examples({"roundel render scenes/tissue.yaml -o tissue.png",
                     "roundel render scenes/rgb.yaml --size 800x600 --antialias -o rgb.png",
                     "roundel render scenes/title.yaml --frames all -o film/title_####.png"});
  line.set_exit_codes(exit_codes(ExitCode::kSomeFramesFailed));
  line.set_guide("docs/films.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (!options.has_stream_format() && !options.is_video())
      check_output_option(options.output, options.scenes.size(), problems,
                          options.picture_format());
    check_sequence(options, problems);
  });
  if (!line.parse(arguments)) return false;
  if (options.is_video() && !options.frames.list && !options.scene.frame) options.frames.all = true;
  options.scene.overrides.memory = options.machine.raster.memory_budget;
  options.machine.raster.times_stages = options.stats != StatsFormat::kNone;
  if (options.is_stream() && !options.format) options.format = {ImageFormat::kPng};
  return true;
}

namespace {

/// `options`: set as far as the command line is read.
int render(const Arguments& arguments, RenderOptions& options) {
  if (!parse(arguments, options)) return 0;
  set_verbosity(options.verbosity);
  if (options.is_stream()) check_is_not_terminal("out.png");
  if (options.is_film() && options.watches) {
    OwnFiles own;
    watch(options, [&own](const RenderOptions& round) {
      if (const int code = draw_changes(round, own); code != 0) std::_Exit(code);
    });
  }
  if (options.is_film()) return export_film(options);
  release_large_blocks_on_free();
  trim_heap();
  const ThreadLimit thread_limit(options.machine.raster.threads);

  Made made;
  if (options.watches)
    watch(options, [&made](const RenderOptions& round) { draw_stills(round, made); });
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
