#include <fmt/format.h>

#include <array>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "tools/roundel/cli/guesses.h"
#include "tools/roundel/cli/help.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace {

using namespace roundel;  // NOLINT: a program's own file

struct Entry {
  Command command;
  bool is_usual;  ///< shown by -h
};
constexpr std::array kCommands = {
    Entry{{"render", "draw scenes into pictures and films", run_render}, true},
    Entry{{"verify", "find missing, corrupt and foreign frames of a film", run_verify}, false},
    Entry{{"validate", "check scenes and print what they need", run_validate}, true},
    Entry{{"diff", "compare pictures and judge their difference", run_diff, true}, true},
    Entry{{"regress", "draw scenes and compare them with goldens", run_regress, true}, true},
    Entry{{"accept", "store pictures of regress as goldens", run_accept, true}, true},
    Entry{{"report", "merge results of several runs into a report", run_report, true}, false},
    Entry{{"circles", "write a frame's circles as a NumPy array", run_circles}, false},
    Entry{{"explain", "list the circles of a pixel, or map the work", run_explain}, true},
    Entry{{"legend", "draw the legend of a scene's colours and sizes", run_legend}, true},
    Entry{{"info", "describe a picture, or this machine", run_info}, true},
    Entry{{"selftest", "compare all backends and devices, bit by bit", run_selftest}, false},
    Entry{{"schema", "print the JSON Schema of scene files", run_schema}, false},
};

constexpr const char* kMemoryAdvice =
    ": fewer circles or pixels need less, and so does a smaller --memory where the command has it";

constexpr const char* kIntroduction =
    "Usage: roundel COMMAND [ARGUMENT...]\n"
    "Draws millions of translucent circles: pictures, films, goldens for tests.\n\n";

std::string examples() {
  return "\n" +
         example_lines({"roundel render scenes/tissue.yaml -o tissue.png",
                        "roundel render scenes/snow.yaml --frames 0-299 -o film/snow_####.png",
                        "roundel render -h"});
}

std::string command_rows(bool only_usual) {
  HelpRows rows;
  for (const auto& [command, is_usual] : kCommands)
    if (is_usual || !only_usual) rows.emplace_back(command.name, command.summary);
  return help_table(rows);
}

std::string short_program_help() {
  return kIntroduction + command_rows(true) + examples() + "\nfull list: roundel --help\n";
}

std::string program_help() {
  return kIntroduction + command_rows(false) +
         "\n\"roundel COMMAND -h\" shows the usual options and examples of a command, \"roundel "
         "COMMAND\n--help\" or \"roundel help COMMAND\" all of them.\n" +
         examples() +
         "\nScene files: docs/scenes.md. Commands: docs/command.md. Films: docs/films.md.\n"
         "Python: docs/python.md. Pages are installed in share/doc/roundel, example scenes in\n"
         "share/roundel/scenes.\n";
}

/// Prints the possible values of the last word; commands complete their own words.
int complete(const Arguments& words) {
  const bool is_help = words.size() == 2 && words.front() == "help";
  if (words.size() < 2 || is_help) {
    Lines names;
    for (const Entry& entry : kCommands)
      names += fmt::format("{}\t{}", entry.command.name, entry.command.summary);
    names += "help\tprint the help of a command";
    names += "--help";
    names += "--version";
    std::string text;  // with tabs, which lines for people do not contain
    for (const std::string& name : completing(names, words.empty() ? "" : words.back()))
      text += name + "\n";
    print_data(text);
    return 0;
  }
  Arguments rest(words.begin(), words.end());
  for (const Entry& entry : kCommands) {
    if (rest.front() != entry.command.name) continue;
    rest.front() = kCompletionOption;
    return entry.command.run(rest);
  }
  return 0;
}

/// `arguments`: the command's name first.
const Command& find_command(const Arguments& arguments) {
  const std::string& name = arguments.front();
  Arguments names;
  for (const Entry& entry : kCommands) {
    if (name == entry.command.name) return entry.command;
    names.emplace_back(entry.command.name);
  }
  if (name == "bench")
    throw Error(
        ExitCode::kUsage,
        "\"bench\" is the program roundel-bench; build it in a clone: cmake --preset release "
        "-DROUNDEL_LAB=ON && cmake --build --preset release --target roundel-bench");
  throw UsageError(roundel::quoted(name) + ": unknown command" + guess_command(arguments, names),
                   "\"roundel --help\" lists the commands");
}

int run(Arguments arguments) {  // the program's name first
  if (arguments.size() < 2) {
    print_err(lines_of(short_program_help()));
    throw Error(ExitCode::kUsage, "expected a command");
  }
  if (arguments.size() > 2 && arguments[1] == "help") arguments = {"", arguments[2], "--help"};
  const std::string name = arguments[1];
  const Arguments rest(arguments.begin() + 2, arguments.end());
  if (name == kCompletionOption) return complete(rest);
  if (name == "--version" || name == "-V") {
    print_version();
    return 0;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    print_out(lines_of(name == "-h" ? short_program_help() : program_help()));
    return 0;
  }
  const Arguments from_name(arguments.begin() + 1, arguments.end());
  const Command& command = find_command(from_name);
  if (command.compares) set_failure_code(2);
  return command.run(rest);
}

}  // namespace

int main(int argc, char** argv) {
  return run_process([&] { return run(Arguments(argv, argv + argc)); }, kMemoryAdvice);
}
