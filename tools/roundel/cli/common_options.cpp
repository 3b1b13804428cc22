#include "tools/roundel/cli/common_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_film.h"

namespace roundel {
namespace {

constexpr int kMaxDevice = 255;

std::vector<int> parse_devices(const std::string& text) {
  std::vector<int> devices;
  for (const std::string& device : split_list(text))
    devices.push_back(static_cast<int>(parse_whole(device, 0, kMaxDevice)));
  return devices;
}

double parse_scale(const std::string& text) {
  const auto scale = to_number<double>(text);
  if (scale && *scale > 0 && *scale <= kMaxImageSide) return *scale;
  throw Expected{fmt::format("a number > 0 and <= {}", kMaxImageSide)};
}

std::vector<std::string> parse_names(const std::string& text) {
  std::vector<std::string> names = split_list(text);
  if (std::find(names.begin(), names.end(), "") != names.end())
    throw Expected{"names of layers with commas between them"};
  return names;
}

}  // namespace

std::string exit_codes(ExitCode last, const std::string& invalid) {
  std::string text =
      "0 done; 1 failed at run time, may succeed when tried again; 2 wrong command line; ";
  if (last >= ExitCode::kInvalidScene) text += "3 " + invalid + "; ";
  if (last >= ExitCode::kOutputRefused) text += "4 output refused (exists, or is not writable); ";
  if (last >= ExitCode::kSomeFramesFailed) text += "5 some of the frames, rows or scenes failed; ";
  return text + "130, 143 after SIGINT (Ctrl-C), SIGTERM";
}

std::array<int, 4> parse_box(const std::string& text) {
  std::array<int, 4> box{};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const std::size_t end = i + 1 < box.size() ? text.find(',', begin) : text.size();
    if (end == std::string::npos) throw Expected{"X,Y,W,H, four whole numbers"};
    box[i] = static_cast<int>(
        parse_whole(text.substr(begin, end - begin), i < 2 ? 0 : 1, kMaxImageSide, "pixels"));
    begin = end + 1;
  }
  return box;
}

void add_scenes(CommandLine& line, std::vector<std::string>& scenes) {
  line.add_arguments("SCENE...", 1, kAnyNumber, scenes, "scene files (YAML)");
}

void add_size(CommandLine& line, SceneOptions& options) {
  line.add_value("size", "WxH",
                 [&options](const std::string& value) {
                   std::tie(options.overrides.width, options.overrides.height) = parse_size(value);
                 },
                 {Group::kPicture,
                  fmt::format("width and height in pixels, instead of the scene's; 1 to {} each",
                              kMaxImageSide)});
  const auto set_antialias = [&options](bool is_smooth) {
    if (options.overrides.antialias == !is_smooth)
      throw Error(ExitCode::kUsage, "expected one of --antialias and --no-antialias");
    options.overrides.antialias = is_smooth;
  };
  line.add_switch("antialias", [set_antialias] { set_antialias(true); },
                  {Group::kPicture,
                   "draw smooth edges, whatever the scene says; a pixel on an edge gets the share "
                   "of it that the circle covers"});
  line.add_switch("no-antialias", [set_antialias] { set_antialias(false); },
                  {Group::kPicture, "draw hard edges, whatever the scene says"});
}

void add_scale(CommandLine& line, SceneOptions& options) {
  line.add_value(
      "scale", "FACTOR",
      [&options](const std::string& value) { options.overrides.scale = parse_scale(value); },
      {Group::kPicture,
       fmt::format(
           "scale the size and all lengths in px; 0.25 for a preview, above 0 and at most {}",
           kMaxImageSide)});
}

void add_layers(CommandLine& line, SceneOptions& options) {
  line.add_value(
      "layers", "NAMES",
      [&options](const std::string& value) { options.overrides.layers = parse_names(value); },
      {Group::kPicture,
       "draw only the layers with these names: stars,dust; the random numbers and the view stay "
       "the same"});
}

void add_picture(CommandLine& line, SceneOptions& options) {
  add_size(line, options);
  add_scale(line, options);
  line.add_value(
      "crop", "X,Y,W,H",
      [&options](const std::string& value) { options.overrides.crop = parse_box(value); },
      {Group::kPicture,
       "draw only a part of the picture; W x H pixels from column X and row Y, counted from 0 at "
       "the upper left, after --size and --scale. The pixels are those of the whole picture, bit "
       "for bit"});
  add_layers(line, options);
}

void add_vars(CommandLine& line, SceneOptions& options) {
  line.add_value(
      "set", "NAME=VALUE",
      [&options](const std::string& value) {
        const std::size_t equals = value.find('=');
        if (equals == 0 || equals == std::string::npos) throw Expected{"NAME=VALUE"};
        options.overrides.vars.push_back({value.substr(0, equals), value.substr(equals + 1)});
      },
      {Group::kValues,
       "set one of the scene's vars; gain=0.5, tint=#ff8800, center=[0.5,0.2]: values as in a YAML "
       "list, but colours without quotes. May be given several times"});
}

void add_seed(CommandLine& line, SceneOptions& options) {
  add_vars(line, options);
  line.add_value(
      "seed", "S", whole(options.overrides.seed, 0, std::numeric_limits<std::uint32_t>::max()),
      {Group::kValues, "seed of the random numbers, instead of the scene's; 0 to 4294967295"});
}

void add_seed_and_frame(CommandLine& line, SceneOptions& options) {
  add_seed(line, options);
  line.add_value(
      "frame", "N",
      [&options, read = whole(options.frame, kMinFrame, kMaxFrame)](const std::string& value) {
        if (value == "all" || value.find_first_of(",-", 1) != std::string::npos)
          throw Error(ExitCode::kUsage,
                      fmt::format("expected one frame, got {}; to draw several: roundel render "
                                  "SCENE --frames {}",
                                  roundel::quoted(value), shell_word(value)));
        read(value);
        options.overrides.frame = options.frame;
      },
      {Group::kValues,
       fmt::format("frame of the animation, by its number; {} to {}. Simulated layers are N steps "
                   "of 1/60 s old, or "
                   "with time: real N/fps s; below 0 they stand as in frame 0. Default: the first "
                   "frame of the scene's animation, or 0",
                   kMinFrame, kMaxFrame)});
}

std::int64_t frame_of(const Scene& scene, const SceneOptions& options) {
  return options.frame.value_or(scene.default_frame());
}

void add_frames(CommandLine& line, FramesOption& frames) {
  line.add_value(
      "frames", "LIST",
      [&frames](const std::string& value) {
        frames.list = value == "all" ? std::nullopt : std::optional(parse_frames(value));
        frames.list_file = value.starts_with('@') ? value.substr(1) : "";
        frames.all = value == "all";
      },
      {Group::kFilm, fmt::format("frames of a film: 0-99 or 1-10,15,20-30x2, or all; 20-30x2 and "
                                 "20-30:2 take every 2nd, all is the scene's animation, @FILE "
                                 "reads such a list from a file; numbers are from {} to {}",
                                 kMinFrame, kMaxFrame)});
}

void add_each(CommandLine& line, std::string& table, FramesOption& frames,
              const std::string& needs) {
  line.add_value("each", "TABLE", text(table, "a table, .csv or .tsv"),
                 {Group::kFilm,
                  "draw a picture for each row of a table; its first line has names. A column sets "
                  "the scene's var of its name, as --set does, or stands as {column} in the "
                  "pictures' names; {row:04} is the row's number, from 0. --frames chooses rows" +
                      needs});
  line.add_check([&table, &frames](CommandLine::Problems& problems) {
    if (!table.empty() && frames.renumbers)
      problems.emplace_back("--renumber: does not work with --each");
  });
}

void add_renumber(CommandLine& line, FramesOption& frames) {
  line.add_switch("renumber", frames.renumbers,
                  {Group::kFilm, "number the files of --frames from 0, without gaps"});
  line.add_check([&frames](CommandLine::Problems& problems) {
    if (frames.renumbers && !frames.is_given())
      problems.emplace_back("--renumber: works only with --frames");
  });
}

FrameList frames_of(const Scene& scene, const FramesOption& frames, std::int64_t otherwise) {
  const std::int64_t rows = scene.film ? scene.film->rows : 0;
  if (rows > 0) return frames.list.value_or(run_of_frames(0, rows));
  if (frames.list) {
    check_data_files(scene, *frames.list);
    return *frames.list;
  }
  if (!frames.all) return {otherwise};
  if (!scene.animation) {
    throw Error(ExitCode::kUsage,
                fmt::format("--frames all: expected an \"animation\" in {}", scene.path));
  }
  FrameList all = run_of_frames(scene.animation->start, scene.animation->frames);
  check_data_files(scene, all);
  return all;
}

void add_backend(CommandLine& line, BackendChoice& backend, const std::string& help,
                 bool* is_on_both) {
  const auto store = one_of(backend, {{"auto", BackendChoice::kAuto},
                                      {"cpu", BackendChoice::kCpu},
                                      {"cuda", BackendChoice::kCuda}});
  line.add_value("backend", "NAME",
                 [store, is_on_both](const std::string& value) {
                   if (is_on_both == nullptr) return store(value);
                   *is_on_both = value == "cpu,cuda";
                   if (*is_on_both) return;
                   try {
                     store(value);
                   } catch (const Expected&) {
                     throw expected_one_of({"auto", "cpu", "cuda", "cpu,cuda"});
                   }
                 },
                 {Group::kMachine, help});
}

void add_machine(CommandLine& line, MachineOptions& options, bool* is_on_both) {
  std::string help =
      "auto, cpu or cuda; the pictures are the same. auto is cuda if a device is present, but cpu "
      "if that is expected to be done before CUDA has started: (circles + pixels) x 60 ns / "
      "threads below 300 ms. Default: auto";
  if (is_on_both != nullptr) help += ". cpu,cuda draws every picture on both";
  add_backend(line, options.backend, help, is_on_both);
  line.add_value("device", "N",
                 [&options](const std::string& value) {
                   options.devices = parse_devices(value);
                   options.raster.device = options.devices.front();
                 },
                 {Group::kMachine,
                  "number of the CUDA device; \"roundel info\" lists them. Several, as in 0,2, for "
                  "a film. Default: 0, for a film all"});
  add_threads(line, options.raster.threads);
  add_memory(
      line, options.raster.memory_budget,
      "limit of the memory for a picture: 512M, 8G; bytes, or with K, M, G, T, at least 1M. Counts "
      "circles, lists, unfinished pixels, the picture and its file, not the program (with "
      "--backend cuda: device memory for circles, lists and pixels). Larger pictures are drawn in "
      "chunks, with the same result; if the limit is too small, the error names one that is "
      "enough. Default: a quarter of the memory for lists and unfinished pixels");
}

void add_threads(CommandLine& line, int& threads, const std::string& help) {
  line.add_value(
      "threads", "N", whole(threads, 1, kMaxThreads, "threads"),
      {Group::kMachine, help.empty() ? fmt::format("number of CPU threads, 1 to {}; default: one a "
                                                   "core, or what a quota of CPU time allows",
                                                   kMaxThreads)
                                     : help});
}

void add_memory(CommandLine& line, std::uint64_t& budget, const std::string& help) {
  line.add_value("memory", "SIZE",
                 [&budget](const std::string& value) { budget = parse_memory(value); },
                 {Group::kMachine, help});
}

void add_quiet(CommandLine& line, Verbosity& verbosity, const std::string& help) {
  line.add_switch("quiet,q", [&verbosity] { verbosity = Verbosity::kQuiet; },
                  {Group::kMessages, help});
}

void add_verbose(CommandLine& line, Verbosity& verbosity, const std::string& help) {
  line.add_switch("verbose,v", [&verbosity] { verbosity = Verbosity::kVerbose; },
                  {Group::kMessages, help});
}

}  // namespace roundel
