#include "tools/roundel/cli/run_options.h"

#include <fmt/format.h>

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine_options.h"
#include "tools/roundel/cli/sequence_options.h"
#include "tools/roundel/commands/diff_options.h"

namespace roundel {
namespace {

CommandLine::Store into(std::optional<std::string>& target, const char* expected) {
  return [&target, expected](const std::string& value) {
    if (value.empty() || value == "-") throw Expected{expected};
    target = value;
  };
}

void add_regress_output(CommandLine& line, std::string& output, const std::string& help) {
  output = kRegressOutput;
  line.add_value(
      "output,o", "DIR",
      [&output](const std::string& value) {
        if (value.empty() || value == "-") throw Expected{"a folder"};
        output = value;
      },
      help + fmt::format(" (default: {})", kRegressOutput));
}

}  // namespace

const char* const kResultsNote =
    "Results of an earlier run (JSON, JUnit, report) are removed before anything is compared. An "
    "output that would replace a file which the command reads is refused.";

void add_run_files(CommandLine& line, RunFiles& files) {
  line.add_value("manifest", "FILE", into(files.manifest, "a file name"),
                 "what may differ in which pictures (YAML, see docs/regress.md) (default: "
                 "goldens.yaml in the folder of the goldens, if it is there)");
  line.add_value("report", "DIR", into(files.report, "a folder"),
                 "write a page that shows what differs, DIR/index.html, for any browser, without "
                 "server or network");
  line.add_value("junit", "FILE", into(files.junit, "a file name"),
                 "write the results as JUnit's XML, a test case a picture");
}

bool parse(const Arguments& arguments, RegressOptions& options) {
  CommandLine line(
      "regress", "SCENE... --goldens DIR [OPTION...]",
      "Draws scenes and compares each picture with the one stored for it, its golden: DIR/NAME.png "
      "for NAME.yaml, with --frames DIR/NAME/0007.png for frame 7. Prints what differs, and "
      "whether the scene has changed since the golden was stored or the renderer; keeps what was "
      "drawn for \"roundel accept\".");
  add_scenes(line, options.scenes);
  line.add_value(
      "goldens", "DIR", [&options](const std::string& value) { options.goldens = value; },
      "folder of the goldens");
  add_regress_output(line, options.output,
                     "folder for pictures that differ (DIR/actual) and where (DIR/diff); those of "
                     "the run before are removed from it");
  add_frames(line, options.frames, options.all_frames);
  add_run_files(line, options.files);
  line.add_value(
      "json", "FILE",
      [&options](const std::string& value) {
        if (value.empty()) throw Expected{"a file name, or - for stdout"};
        options.files.json = value;
      },
      "write the results as JSON; - for stdout, instead of lines");
  add_tolerance(line, options.tolerance, options.measures);
  add_size(line, options.scene);
  add_seed(line, options.scene);
  add_machine(line, options.machine);
  add_quiet(line, options.verbosity, "print errors only: the exit code says it");
  add_verbose(line, options.verbosity, "list the pictures that are the same, too");
  line.add_note(
      "Goldens are never changed by this command, so that no run passes because it has updated "
      "them. A scene that cannot be drawn does not keep the others from it.");
  line.add_note(kResultsNote);
  line.add_note(
      "Exit codes: 0 all the same, or within what may differ; 1 some differ or have no golden; 2 "
      "could not compare (wrong command line, a scene or golden that cannot be read, a picture "
      "that cannot be drawn); 130, 143 after SIGINT, SIGTERM.");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.goldens.empty()) problems.emplace_back("--goldens: expected DIR");
  });
  return line.parse(arguments);
}

bool parse(const Arguments& arguments, AcceptOptions& options) {
  CommandLine line("accept", "NAME... | --all [OPTION...]",
                   "Makes pictures that the last \"roundel regress\" has drawn the goldens, one by "
                   "one. Goldens that have these bytes already are not touched.");
  line.add_arguments("NAME...", 0, kAnyNumber, options.names,
                     "pictures, by the names that regress prints (with or without .png); * stands "
                     "for any characters, ? for one");
  line.add_switch(
      "all", [&options] { options.all = true; }, "all that it has left");
  add_regress_output(line, options.output, "folder that regress has written to");
  line.add_value("goldens", "DIR", into(options.goldens, "a folder"),
                 "folder of the goldens, an existing one (default: the one that regress has "
                 "compared with, if it lies in the working directory)");
  add_quiet(line, options.verbosity, "print errors only");
  line.add_note(
      "What is stored must be a sound PNG, and links are not followed: the pictures may come from "
      "another machine. Names that begin with - stand behind --.");
  line.add_note(
      "Exit codes: 0 the goldens were as they should be, or --all found nothing to accept; 1 "
      "goldens were stored or replaced, so that no script passes that accepts what it checks; 2 "
      "could not (wrong command line, a name that means nothing, a file that cannot be read or "
      "written); 130, 143 after SIGINT, SIGTERM.");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.all != options.names.empty())
      problems.emplace_back("expected either NAME or --all");
  });
  return line.parse(arguments);
}

}  // namespace roundel
