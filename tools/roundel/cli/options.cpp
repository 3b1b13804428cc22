#include "tools/roundel/cli/options.h"

#include <fmt/format.h>

#include <limits>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine_options.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/sequence_options.h"
#include "tools/roundel/cli/values.h"

namespace roundel {
namespace {

constexpr int kMaxRepeats = 100000;

void refuse_standard_output(const std::string& path, const char* expected) {
  if (path == "-" || path.empty()) throw Expected{expected};
}

}  // namespace

bool parse(const Arguments& arguments, RenderOptions& options) {
  CommandLine line("render", "SCENE... [-o FILE] [OPTION...]",
                   "Renders one frame of each scene into a picture, or with --frames a sequence of "
                   "frames of one scene.");
  add_scenes(line, options.scenes);
  line.add_value(
      "output,o", "FILE",
      [&options](const std::string& value) {
        if (value.empty()) throw Expected{"a file name ending in .png, .exr or .pfm, or a folder"};
        options.output = value;
      },
      "picture to write: .png (8-bit), .exr or .pfm (float); ####, %04d or {frame:04} stands for "
      "the frame number with 4 digits or more; or a folder (an existing one, or ending in /) for "
      "SCENE.png, or the ending of --format, needed with several scenes; a missing folder is made, "
      "its last level; or - for standard output, with --format. A symbolic "
      "link named by FILE is followed; frames of a sequence replace links (default: the scene's "
      "\"output\")");
  line.add_switch(
      "overwrite", [&options] { options.overwrite = true; },
      "replace existing pictures of a sequence (with --resume only those that are not right), and "
      "those whose names come from a scene or a folder; a single FILE named by -o is always "
      "replaced, at once and as a whole; never a file that the command reads");
  add_sequence(line, options);
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_optional_value(
      "stats", "FORMAT", "table",
      [&options](const std::string& value) {
        if (value == "table") {
          options.stats = StatsFormat::kTable;
        } else if (value == "json") {
          options.stats = StatsFormat::kJson;
        } else {
          throw Expected{"table or json"};
        }
      },
      "report time (ms), share and bytes of each stage: table on stderr, or json on stdout, one "
      "object a line for each picture (default: table)");
  add_quiet(line, options.verbosity, "print errors only");
  add_verbose(line, options.verbosity, "say which backend was chosen and why");
  line.add_note(
      "All scenes are checked before the first is rendered. The same frame is the same file, byte "
      "for byte, whatever the backend, the number of threads or the memory.");
  line.add_note(kExitCodes);
  line.add_check([&options](CommandLine::Problems& problems) {
    check_output_option(options.output, options.scenes.size(), problems, asked_format(options));
    check_sequence(options, problems);
  });
  return line.parse(arguments);
}

bool parse(const Arguments& arguments, ValidateOptions& options) {
  CommandLine line(
      "validate", "SCENE... [OPTION...]",
      "Checks scenes as render does, without making pictures, and prints their size, "
      "circles, overlaps (circle-bin pairs), memory and fingerprint on stdout. Memory "
      "is the most that render would have for this picture with these options, program "
      "included, and what --memory would have to allow.");
  add_scenes(line, options.scenes);
  line.add_value(
      "output,o", "FILE",
      [&options](const std::string& value) {
        try {
          options.format = format_of(value);
        } catch (const Error& error) {
          throw Rejected{error.what()};
        }
      },
      "the picture that render would write; nothing is written: only its ending counts");
  line.add_value(
      "format", "NAME",
      [&options](const std::string& value) {
        if (value != "png" && value != "exr" && value != "pfm") throw Expected{"png, exr or pfm"};
        options.format = format_of("a." + value);
      },
      "png, exr or pfm: the format that render would write (default: that of the scene's "
      "\"output\", else png)");
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  add_quiet(line, options.verbosity, "print errors only");
  line.add_note(kExitCodes);
  return line.parse(arguments);
}

bool parse(const Arguments& arguments, VerifyOptions& options) {
  CommandLine line(
      "verify", "PATTERN --frames LIST [OPTION...]",
      "Decodes the frames of a sequence, in parallel, and prints those that are missing, corrupt "
      "(do not decode) or foreign (made from another scene, or another frame than their name "
      "says) as lists of frames on stdout.");
  std::vector<std::string> patterns;
  line.add_arguments("PATTERN", 1, 1, patterns,
                     "name of the files, with the frame number as ####, %04d or {frame:04}");
  add_frames(line, options.frames, options.all_frames);
  line.add_value(
      "scene", "SCENE", [&options](const std::string& value) { options.scene_path = value; },
      "scene (YAML) that the frames should be of (default: that of most of them)");
  add_size(line, options.scene);
  add_seed(line, options.scene);
  add_threads(line, options.threads,
              fmt::format("number of CPU threads, 1 to {} (default: one a core)", kMaxThreads));
  add_quiet(line, options.verbosity, "print the lists of frames only, without reasons");
  line.add_note(
      "PFM files say nothing of their origin: that they decode, and their size, is all that is "
      "checked.");
  line.add_note(
      "Exit codes: 0 all frames are there and sound; 1 some are not; 2 wrong command line; 3 scene "
      "invalid; 130, 143 after SIGINT, SIGTERM.");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (!options.frames && !options.all_frames) problems.emplace_back("--frames: expected LIST");
    if (options.scene_path) return;
    if (options.all_frames) problems.emplace_back("--frames: expected --scene too for \"all\"");
    if (options.scene.overrides.seed || options.scene.overrides.width) {
      problems.emplace_back("--scene: expected with --size and --seed");
    }
  });
  if (!line.parse(arguments)) return false;
  options.pattern = patterns.front();
  return true;
}

bool parse(const Arguments& arguments, CirclesOptions& options) {
  CommandLine line(
      "circles", "SCENE -o FILE [OPTION...]",
      "Writes the circles of a frame, in scene space and paint order, as a NumPy array "
      "of float32 [n, 7]: x, y, z, radius, red, green, blue; or [n, 4] without colours "
      "where the shader of every layer is snow. In a mixed scene flakes are white. Data in "
      "float64 are rounded; pictures round their positions only behind the view.");
  std::vector<std::string> scenes;
  line.add_arguments("SCENE", 1, 1, scenes, "scene file (YAML)");
  line.add_value(
      "output,o", "FILE",
      [&options](const std::string& value) {
        refuse_standard_output(value, "a file name ending in .npy");
        if (!value.ends_with(".npy")) throw Expected{"a file name ending in .npy"};
        options.output = value;
      },
      "array to write (.npy); an existing file is replaced, unless the scene reads it; a missing "
      "folder is made, its last level");
  add_seed_and_frame(line, options.scene);
  line.add_note(kExitCodes);
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.output.empty()) problems.emplace_back("--output: expected -o FILE.npy");
  });
  if (!line.parse(arguments)) return false;
  options.scene_path = scenes.front();
  return true;
}

bool parse(const Arguments& arguments, InfoOptions& options) {
  CommandLine line("info", "[FILE...] [OPTION...]",
                   "Prints, on stdout, what pictures say about themselves: size, bit depth, "
                   "channels, and where they come from (fingerprint of the scene, seed, frame). "
                   "Without files: version, backends and devices of this program and machine.");
  line.add_arguments("FILE...", 0, kAnyNumber, options.files, "pictures (PNG)");
  line.add_switch(
      "json", [&options] { options.json = true; },
      "print JSON: an array with one object a picture, or one object for the machine; "
      "memory in bytes");
  line.add_note(kExitCodes);
  return line.parse(arguments);
}

bool parse(const Arguments& arguments, SelftestOptions& options) {
  CommandLine line("selftest", "[OPTION...]",
                   "Draws generated scenes and all classic ones on every backend and device at "
                   "hand, with several numbers of threads, bin sizes (pixels) and chunk sizes "
                   "(circles), and compares the float pictures by their bits. The first difference "
                   "is printed with its pixel, both values and the fewest circles that show it.");
  add_backend(
      line, options.backend,
      "auto (cpu, and every CUDA device present), cpu (only), or cuda (as auto, but a device "
      "must be present) (default: auto)");
  add_threads(line, options.threads,
              fmt::format("a further number of CPU threads to try, 1 to {}, besides 1, 2 and 7 "
                          "(default: one a core)",
                          kMaxThreads));
  add_quiet(line, options.verbosity, "print differences only");
  add_verbose(line, options.verbosity, "list the variants first");
  line.add_note(
      "Exit codes: 0 all equal; 1 a difference, or a failure at run time; 2 wrong command "
      "line; 130, 143 after SIGINT, SIGTERM.");
  return line.parse(arguments);
}

bool parse(const Arguments& arguments, BenchOptions& options) {
  CommandLine line(
      "bench", "[SCENE...] [OPTION...]",
      "Draws scenes again and again, from circles in memory to an 8-bit image in memory "
      "(on CUDA: device memory, by a graph), and prints microseconds: wall is from the "
      "call until the image is there, frame the device's own time, floor what the "
      "bytes and operations that the picture needs would take at this machine's "
      "measured rates, ratio frame/floor; medians. The picture is compared with the "
      "CPU's by its bits; where it differs there are no times.");
  line.add_arguments("SCENE...", 0, kAnyNumber, options.scenes,
                     "scene files (YAML) (default: the classic scenes)");
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_value(
      "repeat", "N",
      [&options](const std::string& value) {
        options.repeats = static_cast<int>(parse_whole(value, 1, kMaxRepeats));
      },
      fmt::format("how often each scene is timed, 1 to {} (default: 20)", kMaxRepeats));
  line.add_value(
      "json", "FILE", [&options](const std::string& value) { options.json = value; },
      "write all results as JSON, times in microseconds; - for stdout, instead of the table");
  add_quiet(line, options.verbosity, "print errors only");
  line.add_note(kExitCodes);
  return line.parse(arguments);
}

bool parse_schema(const Arguments& arguments) {
  CommandLine line("schema", "[OPTION...]",
                   "Prints the JSON Schema of scene files on stdout, for editors and checkers.");
  line.add_note(kExitCodes);
  return line.parse(arguments);
}

}  // namespace roundel
